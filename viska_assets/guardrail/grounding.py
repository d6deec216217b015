"""P2 for one figure: is there a number at the cited place that says the same, in unit, sign, period and label?"""

import re
from dataclasses import dataclass, field, replace
from decimal import Decimal

from viska_assets.guardrail.binding import Bound, distinct_values
from viska_assets.guardrail.codes import Code
from viska_assets.guardrail.context import (
    UnitContext,
    basis_conflict,
    computed_words,
    period_conflict,
    scenario_conflict,
)
from viska_assets.guardrail.labels import Naming, naming_of
from viska_assets.guardrail.matching import Fit, Magnitude, converted, fit, is_scale_slip, units_fit
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.guardrail.signs import SignFit, compare_signs, loose_direction, page_sign, source_sign
from viska_assets.model.evidence import Evidence, ScaleSource, Unit
from viska_assets.model.span import Span
from viska_assets.text.directions import direction_words
from viska_assets.text.metrics import label_class, metric_of
from viska_assets.text.numerals import last_nonzero_place, significant_digits
from viska_assets.text.quantities import Quantity

QUANTITIES = frozenset(
    {
        Unit.MONEY,
        Unit.PERCENT,
        Unit.PERCENTAGE_POINT,
        Unit.BASIS_POINT,
        Unit.RATIO,
        Unit.COUNT,
        Unit.PER_SHARE,
        Unit.SHARES,
    }
)
_WORD_BEFORE = re.compile(r"([A-Za-z]+)[^A-Za-z]*$")
_WORD_AFTER = re.compile(r"[^A-Za-z]*([A-Za-z]+)")
_SCALE_WORDS = frozenset({"thousand", "million", "billion", "trillion", "lakh", "crore"})
_PER_SHARE_WORDS = ("share", "eps", "dividend", "price", "option", "rsu", "unit", "strike", "stock")


@dataclass(frozen=True)
class Trial:
    """One figure held against one piece of evidence: ``code`` is None where it is grounded.

    ``rank`` orders failures by nearness, 0 being a pass.
    """

    evidence: Evidence
    reading: ChunkReading
    code: Code | None
    rank: int
    detail: str = ""
    warnings: tuple[Code, ...] = ()


@dataclass
class Attempt:
    """A figure held against all evidence of one citation."""

    bound: Bound
    trials: list[Trial] = field(default_factory=list)
    code: Code | None = None
    detail: str = ""

    @property
    def passed(self) -> Trial | None:
        """The trial that grounds the figure, if any and if nothing else forbids it."""
        if self.code is not None:
            return None
        return next((t for t in self.trials if t.code is None), None)

    @property
    def nearest(self) -> Trial | None:
        """The trial that comes nearest."""
        return min(self.trials, key=lambda t: (t.rank, t.evidence.span), default=None)


def attempt(figure: Quantity, context: UnitContext, bound: Bound) -> Attempt:
    """Hold a figure against the evidence at one citation."""
    found = Attempt(bound)
    if bound.reading is None:
        return found
    candidates = [e for e in bound.evidence if e.unit in QUANTITIES]
    found.trials = [try_evidence(figure, e, context, bound.reading) for e in candidates]
    passing = [t for t in found.trials if t.code is None]
    if bound.bare and passing:
        found.code, found.detail = _bare_rule(figure, [t.evidence for t in passing], candidates)
    elif len(passing) > 1 and bound.quote is None and distinct_values(t.evidence for t in passing) > 1:
        named = [t for t in passing if Code.LABEL_UNVERIFIED not in t.warnings]
        if distinct_values(t.evidence for t in named) != 1:
            found.code, found.detail = Code.AMBIGUOUS_EVIDENCE, f"{len(passing)} numbers at the locator fit"
        else:
            found.trials = named
    elif passing and bound.quote is None and _is_ambiguous_cell(bound, candidates):
        found.code, found.detail = Code.AMBIGUOUS_EVIDENCE, "the labels of the locator name several cells"
    elif passing and bound.quote is not None and _is_chance(figure, context, passing):
        found.code, found.detail = Code.LOW_ENTROPY, "a bare digit, and the sentence does not name what it counts"
    return found


def _is_chance(figure: Quantity, context: UnitContext, passing: list[Trial]) -> bool:
    """Whether a digit without unit or counted noun meets a quote, neither its metric named nor its words repeated."""
    if figure.unit is not Unit.COUNT or figure.noun or abs(figure.value) >= 10 * figure.quantum:
        return False
    if any(Code.LABEL_UNVERIFIED not in t.warnings for t in passing):
        return False
    page = _beside(context.unit.text, figure.extent)
    return not any(_repeats(page, _beside(t.reading.chunk.text, t.reading.local(t.evidence.span))) for t in passing)


def _beside(text: str, span: Span) -> tuple[str, str]:
    """The word before and the word after a place, empty where there is none near."""
    before = _WORD_BEFORE.search(text[max(0, span.start - 40) : span.start])
    after = _WORD_AFTER.match(text[span.end : span.end + 40])
    return before[1].lower() if before else "", after[1].lower() if after else ""


def _repeats(page: tuple[str, str], source: tuple[str, str]) -> bool:
    """Whether a page repeats what its source says beside a digit: the words on both sides, or the counted word."""
    counted = len(page[1]) > 3 and page[1] not in _SCALE_WORDS and page[1] == source[1]
    return counted or (page == source and all(page))


def _is_ambiguous_cell(bound: Bound, candidates: list[Evidence]) -> bool:
    return bound.entry.locator is not None and bound.entry.locator.kind == "cell" and distinct_values(candidates) > 1


def _bare_rule(figure: Quantity, passing: list[Evidence], candidates: list[Evidence]) -> tuple[Code | None, str]:
    """A citation without locator holds only a figure that cannot match by chance (GUARDRAIL 2.7)."""
    if significant_digits(figure.value) < 3:
        return Code.LOW_ENTROPY, "fewer than three significant digits"
    if len({(e.value, e.unit) for e in passing}) > 1 or len({(e.row_path, e.column_path) for e in passing}) > 1:
        return Code.AMBIGUOUS_EVIDENCE, f"{len(passing)} of {len(candidates)} numbers fit"
    return None, ""


def try_evidence(figure: Quantity, evidence: Evidence, context: UnitContext, reading: ChunkReading) -> Trial:
    """Hold a figure against one number of a source."""
    noun = _source_noun(evidence, reading)
    value = converted(abs(figure.value), figure.unit, evidence.unit)
    quantum, rough = figure.quantum, figure.rough_quantum
    if value is None:
        value = abs(figure.value)
    elif figure.unit is not evidence.unit:
        quantum, rough = (converted(q, figure.unit, evidence.unit) or q for q in (quantum, rough))
    page = Magnitude(value, quantum, rough, figure.bound)
    source_value = abs(evidence.value)
    source = Magnitude(source_value, evidence.quantum, last_nonzero_place(source_value), evidence.bound)
    fitted = fit(page, source)
    if fitted is Fit.NONE and _prints_bare(figure, evidence, reading):
        fitted = fit(page, _bare(source, evidence.scale))
    if fitted is Fit.NONE:
        return _misfit(figure, evidence, reading, page, source)
    if not _units_agree(figure, evidence, context, reading, noun):
        return Trial(evidence, reading, Code.UNIT_MISMATCH, 7, f"{figure.unit} against {evidence.unit}")
    if figure.currency and evidence.currency and figure.currency != evidence.currency:
        return Trial(evidence, reading, Code.CCY_MISMATCH, 6, f"{figure.currency} against {evidence.currency}")
    metric = _page_metric(figure, context)
    tied = source_sign(evidence, reading)
    loose = (
        loose_direction(context.unit.text, figure)
        if reading.is_prose(evidence) and _is_directed(evidence, reading)
        else 0
    )
    metrics = {metric, metric_of(" ".join(evidence.row_path[-1:]))}
    sign = compare_signs(
        page_sign(_with_label_direction(figure, context), metric),
        tied,
        figure,
        metrics,
        loose,
        presented=is_presented(evidence),
    )
    if sign is SignFit.FLIPPED:
        return Trial(evidence, reading, Code.SIGN_FLIP, 5, "sign or direction differs")
    return _in_context(figure, evidence, context, reading, fitted, sign)


def _in_context(
    figure: Quantity, evidence: Evidence, context: UnitContext, reading: ChunkReading, fitted: Fit, sign: SignFit
) -> Trial:
    naming, label = naming_of(context.labels or context.unit.text, evidence, reading)
    if context.labels and naming is not Naming.NAMED:
        inside = naming_of(context.unit.text, evidence, reading)
        naming, label = inside if inside[0] is Naming.NAMED else (naming, label)
    if naming is Naming.OTHER:
        return Trial(evidence, reading, Code.LABEL_CONFLICT, 2, f"the sentence names {label!r}")
    if period_conflict(context, evidence, reading):
        return Trial(evidence, reading, Code.PERIOD_MISMATCH, 3, f"the evidence is of {_period_words(evidence)}")
    word = computed_words(context, evidence, reading)
    if word is not None:
        return Trial(evidence, reading, Code.DERIVED_NO_RECORD, 4, f"the sentence claims a computed figure ({word})")
    if basis_conflict(context, evidence, reading):
        return Trial(evidence, reading, Code.BASIS_MISMATCH, 4, f"the evidence is {evidence.basis}")
    if scenario_conflict(context, evidence, reading):
        return Trial(evidence, reading, Code.SCENARIO_MISMATCH, 4, f"the evidence is {evidence.scenario}")
    warnings: list[Code] = []
    if fitted is Fit.FALSE_PRECISION:
        warnings.append(Code.FALSE_PRECISION)
    if fitted is Fit.BOUND_DROPPED:
        warnings.append(Code.BOUND_UNSTATED)
    if sign is SignFit.UNVERIFIED:
        warnings.append(Code.SIGN_UNVERIFIED)
    if bool(figure.currency) != bool(evidence.currency) and evidence.unit in (Unit.MONEY, Unit.PER_SHARE, Unit.COUNT):
        warnings.append(Code.CCY_UNVERIFIED)
    if naming is Naming.SILENT:
        warnings.append(Code.LABEL_UNVERIFIED)
    if context.periods and evidence.period is None:
        warnings.append(Code.PERIOD_UNVERIFIED)
    return Trial(evidence, reading, None, 0, "", tuple(warnings))


def _prints_bare(figure: Quantity, evidence: Evidence, reading: ChunkReading) -> bool:
    """Whether prose takes its scale from afar, so that page and source may both print the number without it."""
    far = evidence.scale_source in (ScaleSource.NOTE, ScaleSource.SECTION, ScaleSource.DOCUMENT)
    return far and bool(evidence.scale) and not figure.scale_explicit and reading.is_prose(evidence)


def _bare(source: Magnitude, scale: int) -> Magnitude:
    return Magnitude(
        source.value.scaleb(-scale), source.quantum.scaleb(-scale), source.rough.scaleb(-scale), source.bound
    )


def _misfit(figure: Quantity, evidence: Evidence, reading: ChunkReading, page: Magnitude, source: Magnitude) -> Trial:
    if is_scale_slip(page.value, source.value, page.quantum):
        unknown = (
            evidence.scale_source is ScaleSource.NONE
            and not evidence.scale
            and evidence.unit is Unit.MONEY
            and figure.scale_explicit
        )
        code = Code.SCALE_UNKNOWN if unknown else Code.SCALE_MISMATCH
        return Trial(evidence, reading, code, 8, "the digits agree, the scale does not")
    return Trial(evidence, reading, Code.UNGROUNDED, 9, "")


def _with_label_direction(figure: Quantity, context: UnitContext) -> Quantity:
    """A cell's figure with the one direction that its row label gives it (``Operating loss``)."""
    if not context.unit.row_label or figure.direction:
        return figure
    signs = {sign for _, _, sign, _ in direction_words(context.unit.row_label)}
    return replace(figure, direction=signs.pop()) if len(signs) == 1 else figure


def _is_directed(evidence: Evidence, reading: ChunkReading) -> bool:
    """Whether a direction word of its sentence is tied to the evidence."""
    local = reading.local(evidence.span)
    quantity = reading.sentence_at(local.start).quantity_at(local)
    return quantity is not None and quantity.direction != 0


def is_presented(evidence: Evidence) -> bool:
    """Whether a tagged number's printed sign shows the effect on cash and not the change that its concept names."""
    return evidence.xbrl is not None and "IncreaseDecreaseIn" in evidence.xbrl.concept


def _source_noun(evidence: Evidence, reading: ChunkReading) -> str:
    if not reading.is_prose(evidence):
        return ""
    local = reading.local(evidence.span)
    quantity = reading.sentence_at(local.start).quantity_at(local)
    return quantity.noun if quantity else ""


def _units_agree(figure: Quantity, evidence: Evidence, context: UnitContext, reading: ChunkReading, noun: str) -> bool:
    labels = [*evidence.row_path, *evidence.column_path]
    if reading.is_prose(evidence):
        local = reading.local(evidence.span)
        metric = reading.sentence_at(local.start).metric_near(local)
        labels = [metric.replace("_", " ")] if metric else []
    per_share = not figure.scale and any(word in context.full_text.lower() for word in _PER_SHARE_WORDS)
    return units_fit(
        figure.unit,
        evidence.unit,
        page_bare=not figure.noun,
        source_bare=not noun,
        per_share=per_share,
        ratio=any(label_class(label) is Unit.RATIO for label in labels),
    )


def _page_metric(figure: Quantity, context: UnitContext) -> str | None:
    """The metric that a figure belongs to: its row, else the last metric named before it, else the next."""
    if context.unit.row_label:
        found = metric_of(context.unit.row_label)
        if found:
            return found
    offset = len(context.full_text) - len(context.unit.text)
    start = figure.span.start + offset
    before = [m for m in context.metrics if m.span.end <= start]
    if before:
        return before[-1].metric_id
    after = [m for m in context.metrics if m.span.start >= start]
    return after[0].metric_id if after else None


def _period_words(evidence: Evidence) -> str:
    if evidence.period is None:
        return " / ".join(evidence.column_path) or "another period"
    start = f"{evidence.period.start} to " if evidence.period.start else ""
    return f"{start}{evidence.period.end}"


def is_computed_from(figure: Quantity, evidence: list[Evidence]) -> bool:
    """Whether a figure is the difference, ratio or change of two numbers at the cited place."""
    values = [e.value for e in evidence if e.unit in QUANTITIES][:16]
    target, half = abs(figure.value), figure.quantum / 2
    for one in values:
        for two in values:
            if one is two:
                continue
            results = [one - two] if figure.unit not in (Unit.PERCENT, Unit.RATIO) else []
            if two and figure.unit is Unit.PERCENT:
                results += [(one - two) / two * 100, one / two * 100]
            if two and figure.unit is Unit.RATIO:
                results.append(one / two)
            if any(abs(abs(r) - target) <= half for r in results if r) and target > Decimal(0):
                return True
    return False
