"""P2: every figure, date, name and label of a unit against the places it cites."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from viska_assets.guardrail.alterations import exchanged_name, reversed_label, reversed_word
from viska_assets.guardrail.binding import Binder, Bound, cited_in
from viska_assets.guardrail.codes import Code
from viska_assets.guardrail.computed import check_computation
from viska_assets.guardrail.context import UnitContext, untraced_periods
from viska_assets.guardrail.entities import foreign_name
from viska_assets.guardrail.findings import Desk, cited_words, file_span, nearest_to
from viska_assets.guardrail.grounding import QUANTITIES, Attempt, attempt, is_computed_from, is_presented
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.model.claim_unit import ClaimUnit
from viska_assets.model.evidence import Evidence
from viska_assets.model.verdict import Finding
from viska_assets.text.metrics import normal_label
from viska_assets.text.names import Mention, find_named, ordinals_in
from viska_assets.text.quantities import Quantity, Role
from viska_assets.text.spelled import Form, find_spelled

SKIPPED = frozenset({"heading", "label", "navigation", "citations"})


@dataclass(frozen=True)
class Grounded:
    """A figure of the page and the evidence that grounds it."""

    unit: ClaimUnit
    figure: Quantity
    bound: Bound
    evidence: Evidence
    reading: ChunkReading


class FigureCheck:
    """Checks the figures of one page; ``grounded`` collects what P3 derives its claims from."""

    def __init__(self, binder: Binder, desk: Desk, currency: str | None = None) -> None:
        self._binder = binder
        self._desk = desk
        self._currency = currency
        self.grounded: list[Grounded] = []

    def check(self, units: Sequence[ClaimUnit]) -> Iterator[Finding]:
        """The P2 findings of the units, in reading order."""
        for unit in units:
            if unit.exempt in SKIPPED:
                continue
            yield from self._unit(unit)

    def _unit(self, unit: ClaimUnit) -> Iterator[Finding]:
        bounds = [bound for _, bound in self._binder.for_figure(unit, 0)]
        cited = [b.reading for b in bounds if b.reading is not None and b.code is None]
        operands = self._operand_readings(bounds)
        fye = next((r.chunk.fiscal_year_end for r in cited + operands if r.chunk.fiscal_year_end), None)
        context = UnitContext(unit, self._currency, fye)
        used: list[tuple[Evidence, ChunkReading]] = []
        failed = False
        for figure in context.quantities:
            if not figure.is_figure:
                continue
            findings = list(self._figure(figure, context, used))
            failed = failed or any(f.severity.value == "hard" for f in findings)
            yield from findings
        if not bounds or failed or not (cited or operands):
            return
        yield from self._surroundings(context, used, list({id(r): r for r in cited + operands}.values()))

    def _operand_readings(self, bounds: list[Bound]) -> list[ChunkReading]:
        found: list[ChunkReading] = []
        for bound in bounds:
            if bound.entry.computation is not None:
                for source_id in bound.entry.computation.operands.values():
                    operand = self._binder.bind(source_id)
                    if operand is not None and operand.reading is not None and operand.code is None:
                        found.append(operand.reading)
        return found

    def _figure(
        self, figure: Quantity, context: UnitContext, used: list[tuple[Evidence, ChunkReading]]
    ) -> Iterator[Finding]:
        if figure.malformed:
            yield self._finding(Code.MALFORMED_NUMBER, figure.malformed, figure, context)
            return
        citations = [bound for _, bound in self._binder.for_figure(context.unit, figure.span.end)]
        usable = [b for b in citations if b.code is None]
        if not citations:
            if context.unit.exempt:
                yield self._finding(Code.UNGROUNDED, "the figure carries no citation", figure, context)
            return
        if not usable:
            return
        attempts: list[Attempt] = []
        problem: tuple[Code, str, Bound] | None = None
        for bound in usable:
            if bound.entry.computation is not None:
                code, detail, warnings = check_computation(figure, bound, self._binder)
                if code is None:
                    yield from (self._finding(w, detail, figure, context, bound) for w in warnings)
                    return
                problem = problem or (code, detail, bound)
                continue
            if figure.role is not Role.FIGURE:
                if _is_quoted(figure, bound):
                    return
                continue
            tried = attempt(figure, context, bound)
            passed = tried.passed
            if passed is not None:
                self.grounded.append(Grounded(context.unit, figure, bound, passed.evidence, passed.reading))
                used.append((passed.evidence, passed.reading))
                yield from (self._finding(w, "", figure, context, bound) for w in passed.warnings)
                return
            attempts.append(tried)
        if self._is_in_label(figure, context, citations):
            return
        yield self._failure(figure, context, attempts, problem)

    def _is_in_label(self, figure: Quantity, context: UnitContext, citations: list[Bound]) -> bool:
        """Whether the digits belong to a cited label that the sentence repeats (``1-90 days past due``)."""
        near = context.unit.text[max(0, figure.extent.start - 16) : figure.extent.end + 16].lower()
        labels: set[str] = set()
        for bound in citations:
            for source_id in cited_in(self._binder, bound.entry.id):
                operand = self._binder.bind(source_id)
                if operand is not None and operand.code is None and not operand.bare:
                    labels |= {label for e in operand.evidence for label in [*e.row_path, *e.column_path]}
        return any(_repeats(label.lower(), near, figure.span.of(context.unit.text)) for label in labels)

    def _failure(
        self, figure: Quantity, context: UnitContext, attempts: list[Attempt], problem: tuple[Code, str, Bound] | None
    ) -> Finding:
        if figure.role is not Role.FIGURE and problem is None:
            return self._finding(Code.DERIVED_NO_RECORD, "a multiple or fraction needs a computation", figure, context)
        if problem is not None and not any(t.nearest and t.nearest.rank < 8 for t in attempts):
            return self._finding(problem[0], problem[1], figure, context, problem[2])
        ruled = next((a for a in attempts if a.code is not None), None)
        if ruled is not None and ruled.code is not None:
            return self._finding(ruled.code, ruled.detail, figure, context, ruled.bound)
        evidence = [e for a in attempts for e in a.bound.evidence if e.unit in QUANTITIES]
        best = min((a for a in attempts if a.nearest), key=lambda a: a.nearest.rank if a.nearest else 99, default=None)
        if best is None or best.nearest is None:
            return self._finding(
                Code.UNGROUNDED,
                "no number at the cited place",
                figure,
                context,
                attempts[0].bound if attempts else None,
            )
        code = best.nearest.code or Code.UNGROUNDED
        if code is Code.UNGROUNDED and is_computed_from(figure, self._row_evidence(best, evidence)):
            code = Code.DERIVED_NO_RECORD
        return self._finding(code, best.nearest.detail, figure, context, best.bound, evidence)

    def _row_evidence(self, tried: Attempt, evidence: list[Evidence]) -> list[Evidence]:
        rows = {e.row_path for e in evidence if e.row_path}
        if tried.bound.reading is None or not rows:
            return evidence
        return [e for e in tried.bound.reading.chunk.evidence if e.row_path in rows]

    def _finding(
        self,
        code: Code,
        detail: str,
        figure: Quantity,
        context: UnitContext,
        bound: Bound | None = None,
        evidence: list[Evidence] | None = None,
    ) -> Finding:
        near = nearest_to(figure.value, evidence if evidence is not None else list(bound.evidence) if bound else [])
        message = f"{figure.raw}: {detail or code.replace('_', ' ').lower()}"
        if near and code not in (Code.LABEL_UNVERIFIED, Code.CCY_UNVERIFIED, Code.PERIOD_UNVERIFIED):
            message += f"; the source prints {near[0].printed}"
        span = file_span(context.unit, figure.extent.start, figure.extent.end)
        return self._desk.finding(
            code,
            message,
            span,
            claim=context.unit.text,
            figure=figure.raw,
            cited=cited_words(bound) if bound else "",
            nearest=near,
        )

    def _surroundings(
        self, context: UnitContext, used: list[tuple[Evidence, ChunkReading]], cited: list[ChunkReading]
    ) -> Iterator[Finding]:
        unit = context.unit
        for mention in untraced_periods(context, used, cited):
            in_text = mention.span.end <= len(unit.text) and any(q.period is mention for q in context.quantities)
            span = (
                file_span(unit, mention.span.start, mention.span.end) if in_text else file_span(unit, 0, len(unit.text))
            )
            words = mention.span.of(unit.text) if in_text else context.labels
            yield self._desk.finding(
                Code.PERIOD_MISMATCH,
                f"{words!r} stands nowhere at the cited place",
                span,
                claim=unit.text,
                figure=words,
            )
        for quantity in context.quantities:
            if quantity.role in (Role.IDENTIFIER, Role.ORDINAL, Role.LABEL) and not any(
                _names(quantity, r) for r in cited
            ):
                span = file_span(unit, quantity.span.start, quantity.span.end)
                message = f"{quantity.raw!r} does not stand in the cited chunk"
                yield self._desk.finding(Code.NAME_NOT_FOUND, message, span, claim=unit.text, figure=quantity.raw)
        yield from self._alterations(context, used)
        if used or any(q.is_figure for q in context.quantities):
            spoken = " ".join(
                " ".join([*e.row_path, *e.column_path, normal_label(e.xbrl.concept) if e.xbrl else ""]) for e, _ in used
            )
            name = foreign_name(unit.text, cited, spoken) or foreign_name(unit.row_label, cited, spoken)
            if name is not None:
                at = max(0, unit.text.find(name))
                span = file_span(unit, at, min(len(unit.text), at + len(name)))
                message = f"{name!r} is not whom the cited source is about, nor named there"
                yield self._desk.finding(Code.ENTITY_MISMATCH, message, span, claim=unit.text, figure=name)

    def _alterations(self, context: UnitContext, used: list[tuple[Evidence, ChunkReading]]) -> Iterator[Finding]:
        """A direction word turned round or a company exchanged in a sentence that otherwise repeats its source."""
        unit = context.unit
        signs = [
            (g.figure.sign, g.figure.sign if is_presented(g.evidence) else -1 if g.evidence.value < 0 else 1)
            for g in self.grounded
            if g.unit is unit
        ]
        for text, names in self._sources_of(context, used):
            word = reversed_word(unit.text, text, signs)
            if word is not None:
                yield self._at_word(Code.SIGN_FLIP, word, f"the source has the opposite of {word!r}", unit)
                return
            name = exchanged_name(unit.text, text, names)
            if name is not None:
                yield self._at_word(Code.ENTITY_MISMATCH, name, f"the source names another company than {name!r}", unit)
                return
        for evidence, reading in used:
            if reading.is_prose(evidence):
                continue
            labels = list(evidence.row_path[-1:])
            if evidence.xbrl is not None:
                labels.append(normal_label(evidence.xbrl.concept))
            word = next((w for label in labels if (w := reversed_label(context.full_text, label, signs))), None)
            if word is not None:
                yield self._at_word(Code.SIGN_FLIP, word, f"the cited row says the opposite of {word!r}", unit)
                return

    def _sources_of(
        self, context: UnitContext, used: list[tuple[Evidence, ChunkReading]]
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The passages that the unit cites: the sentences of its evidence and quotes, with a neighbour on each side."""
        places = [(r, r.local(e.span).start) for e, r in used if r.is_prose(e)]
        for _, bound in self._binder.for_figure(context.unit, 0):
            if bound.reading is not None and bound.quote is not None:
                places.append((bound.reading, bound.quote.start))
        seen: set[tuple[str, int]] = set()
        for reading, place in places:
            spans = reading.sentence_spans
            at = next((i for i, s in enumerate(spans) if s.end > place), 0)
            if not spans or (reading.chunk.chunk_id, at) in seen:
                continue
            seen.add((reading.chunk.chunk_id, at))
            names = reading.chunk.entity_names
            yield spans[at].of(reading.chunk.text), names
            start, end = spans[max(0, at - 1)].start, spans[min(len(spans) - 1, at + 1)].end
            yield reading.chunk.text[start:end], names

    def _at_word(self, code: Code, word: str, message: str, unit: ClaimUnit) -> Finding:
        at = max(0, unit.text.lower().find(word.split()[0]))
        span = file_span(unit, at, at + len(word))
        return self._desk.finding(code, message, span, claim=unit.text, figure=word)


def _repeats(label: str, near: str, digits: str) -> bool:
    """Whether ``near`` repeats the label's digits together with a word beside them."""
    label, near = (re.sub("[–—−]", "-", text) for text in (label, near))
    words = label.split()
    if len(words) == 1 and re.search(r"\d\D+\d", label) and label in near:
        return digits in re.findall(r"\d[\d.,]*", label)
    for number, word in enumerate(words):
        if digits not in re.findall(r"[\d.,]*\d", word):
            continue
        pairs = [" ".join(words[max(0, number - 1) : number + 1]), " ".join(words[number : number + 2])]
        if any(len(pair.split()) == 2 and any(c.isalpha() for c in pair) and pair in near for pair in pairs):
            return True
    return False


def _names(quantity: Quantity, reading: ChunkReading) -> bool:
    text = reading.chunk.text
    if quantity.role is Role.ORDINAL:
        return quantity.key in ordinals_in(text)
    if quantity.role is Role.LABEL:
        return any(n.kind is Mention.LABEL and n.key == quantity.key for n in find_named(text))
    at = text.find(quantity.key)
    while at >= 0:
        end = at + len(quantity.key)
        if not (at and text[at - 1].isalnum()) and not (end < len(text) and text[end].isalnum()):
            return True
        at = text.find(quantity.key, at + 1)
    return False


def _is_quoted(figure: Quantity, bound: Bound) -> bool:
    """Whether the source itself says the multiple or fraction, in the quoted words."""
    if bound.reading is None:
        return False
    span = bound.quote
    text = span.of(bound.reading.chunk.text) if span else "" if not bound.bare else bound.reading.chunk.text
    form = Form.MULTIPLIER if figure.role is Role.MULTIPLIER else Form.FRACTION
    return any(s.form is form and s.value == figure.value for s in find_spelled(text))
