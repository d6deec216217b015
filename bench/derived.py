"""Computed figures of a pack as pages: the operands cited by cell or quote, the figure cited by its computation."""

import re
from dataclasses import dataclass
from typing import Any

from cases import Chunks, EmptyBundle, _entry, _render, _with_marks
from packs import PackDocument, words_of

from viska_assets.guardrail.gate import judge
from viska_assets.guardrail.grounding import QUANTITIES
from viska_assets.guardrail.locate import Placement, locate_claim, locator_of
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.model.evidence import Evidence, ScaleSource
from viska_assets.model.page import Computation, SourceEntry
from viska_assets.model.verdict import Predicate, Verdict
from viska_assets.model.views import CitedChunk
from viska_assets.text.quantities import Side, read_quantities

_NUMBER = re.compile(r"const_m?\d+|[$€£]?\s?\d[\d,]*(?:\.\d+)?%?")
_CALL = re.compile(r"(add|subtract|multiply|divide)\(([^()]*(?:\([^()]*\))?[^()]*),\s*([^()]*(?:\([^()]*\))?[^()]*)\)")
_TABLE = re.compile(r"table_(average|min|max|sum)\(([^,()]+),")
_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
_SCALES = {0: "", 3: "thousand", 6: "million", 9: "billion"}


@dataclass(frozen=True)
class DerivedOutcome:
    """The verdicts of one computed claim: with its operands, without a record, with one operand exchanged."""

    expression: str
    given: Verdict
    bare: Verdict
    altered: Verdict


@dataclass(frozen=True)
class Operand:
    """A cited number."""

    evidence: Evidence
    chunk: CitedChunk


def judge_derived(row: dict[str, Any], document: PackDocument) -> DerivedOutcome | None:
    """Judge one computed claim; None where no computation entry can be written for it."""
    written = _expression(row["program"])
    figure = _value_span(row)
    if written is None or figure is None:
        return None
    names: dict[str, str] = {}
    expression = _NUMBER.sub(lambda m: _named(m[0].strip(), names, row), written)
    if len(names) == 1 and expression.count("a") == 2:
        expression, names["b"] = expression[::-1].replace("a", "b", 1)[::-1], names["a"]
    operands = {name: _find(printed, row, document) for name, printed in names.items()}
    found = {name: operand for name, operand in operands.items() if operand is not None}
    if len(found) != len(operands) or not found:
        return None
    expression = _signed(expression, found)
    best: tuple[Verdict, str, int] | None = None
    for scale in _SCALES:
        for tried in _variants(expression):
            verdict = _judge(row, figure, tried, found, scale)
            if best is None or verdict.passed:
                best = (verdict, tried, scale)
            if verdict.passed:
                break
        if best is not None and best[0].passed:
            break
    assert best is not None
    verdict, tried, scale = best
    if not verdict.passed and _needs_unstated_scale(row, figure, found):
        return None
    altered = _altered(found)
    bare_chunks = list({o.chunk.chunk_id: o.chunk for o in found.values()}.values())
    return DerivedOutcome(
        tried, verdict, _judge_bare(row, figure, bare_chunks, scale), _judge(row, figure, tried, altered, scale)
    )


def _needs_unstated_scale(row: dict[str, Any], figure: tuple[int, int], operands: dict[str, Operand]) -> bool:
    """Whether the claim prints a scale that the document nowhere states, so that no gate could prove it."""
    printed = [
        q for q in read_quantities(row["claim"], side=Side.PAGE) if q.extent.start == figure[0] and q.scale_explicit
    ]
    return bool(printed) and all(o.evidence.scale_source is ScaleSource.NONE for o in operands.values())


def _signed(expression: str, operands: dict[str, Operand]) -> str:
    """The expression over the printed signs: the pack writes magnitudes and signs of its own."""
    negative = {name for name, operand in operands.items() if operand.evidence.value < 0}
    tokens = re.findall(r"[a-z]+|\d[\d.]*|\S", expression)
    out: list[str] = []
    for number, token in enumerate(tokens):
        unary = bool(out) and out[-1] == "-" and (number < 2 or tokens[number - 2] in "(*/+-,")
        if token in negative and unary:
            out[-1] = token
        else:
            out.append(f"(-{token})" if token in negative else token)
    return " ".join(out)


def _variants(expression: str) -> list[str]:
    """The expression as written, as a percentage, and without the pack's factors between units."""
    plain = re.sub(r"\s?[*/]\s?1000\b", "", expression)
    return list(dict.fromkeys([expression, f"({expression})*100", f"({expression})/100", plain, f"({plain})*100"]))


def _expression(program: str) -> str | None:
    """A pack's program in the gate's grammar, its numbers still written out."""
    text = program
    if _TABLE.search(text) or "greater" in text or "exp(" in text:
        return None
    for _ in range(6):
        text, count = _CALL.subn(lambda m: f"({m[2].strip()} {_SIGNS[m[1]]} {m[3].strip()})", text)
        if not count:
            break
    text = text.replace("[", "(").replace("]", ")").replace("−", "-").replace("–", "-")
    text = re.sub(r"(?<![\w)])-\s?(?=[\d$])", "-", text)
    return text if text and not re.search(r"[A-Za-z_](?<!const_)", re.sub(r"const_m?\d+", "", text)) else None


def _named(printed: str, names: dict[str, str], row: dict[str, Any]) -> str:
    """The operand name of a printed number, or the number itself where it is a constant."""
    if printed.startswith("const_"):
        return ("-" if "m" in printed[6:] else "") + printed.removeprefix("const_").removeprefix("m")
    bare = printed.strip("$€£% ").replace(",", "")
    if bare in ("100", "1000", "2", "3", "4", "5", "12") and not any(bare == w for w in _gold_words(row)):
        return bare
    for name, held in names.items():
        if held == printed:
            return name
    name = "abcdefghijkl"[len(names)] if len(names) < 12 else "z"
    names[name] = printed
    return name


def _gold_words(row: dict[str, Any]) -> frozenset[str]:
    gold = " ".join(" ".join(g.get("cells", [])) + " " + g.get("text", "") for g in row["gold_evidence"])
    return words_of(gold)


def _digits(text: str) -> str:
    return re.sub(r"[^\d.]", "", text).strip(".")


def _find(printed: str, row: dict[str, Any], document: PackDocument) -> Operand | None:
    wanted = _digits(printed)
    claim = words_of(row["claim"])
    hints = _gold_words(row) | claim
    best: tuple[int, int, Operand] | None = None
    for number, (chunk, words) in enumerate(zip(document.chunks, document.words, strict=True)):
        for evidence in chunk.evidence:
            if evidence.unit in QUANTITIES and _digits(evidence.printed) == wanted:
                label = words_of(" ".join([*evidence.row_path, *evidence.column_path]))
                merit = len(hints & words) + len(hints & label) + 3 * len(claim & label)
                if best is None or merit > best[0]:
                    best = (merit, -number, Operand(evidence, chunk))
    return best[2] if best else None


def _value_span(row: dict[str, Any]) -> tuple[int, int] | None:
    """Where the computed value stands in the claim."""
    wanted = _digits(row["value"])
    figures = [q for q in read_quantities(row["claim"], side=Side.PAGE) if q.is_figure]
    for figure in reversed(figures):
        if _digits(figure.span.of(row["claim"])) == wanted:
            return figure.extent.start, figure.extent.end
    return None


def _judge(
    row: dict[str, Any], figure: tuple[int, int], expression: str, operands: dict[str, Operand], scale: int
) -> Verdict:
    sources: list[SourceEntry] = []
    for name, operand in operands.items():
        placement = Placement(
            0,
            operand.chunk.chunk_id,
            locator_of(operand.evidence, ChunkReading(operand.chunk)),
            operand.evidence.printed,
        )
        sources.append(_entry(f"o{name}", placement, operand.chunk.content_sha256))
    computation = Computation(expression=expression, operands={name: f"o{name}" for name in operands})
    sources.append(SourceEntry(id="d1", resource="computed", computation=computation))
    chunks = {o.chunk.chunk_id: o.chunk for o in operands.values()}
    others = (
        tuple(p for p in locate_claim(row["claim"], list(chunks.values())) if p.at < figure[0]) if not scale else ()
    )
    if others:
        claim = row["claim"]
        body = _with_marks(claim[: figure[1]], others, list(chunks.values()), sources) + "[^d1]" + claim[figure[1] :]
        from guardrail import escape

        return _run(escape(body), sources, chunks)
    return _run(_body(row["claim"], figure, "[^d1]", scale), sources, chunks)


def _judge_bare(row: dict[str, Any], figure: tuple[int, int], chunks: list[CitedChunk], scale: int) -> Verdict:
    claim = row["claim"]
    sources: list[SourceEntry] = []
    placements = locate_claim(claim, chunks)
    placements = tuple(p for p in placements if p.at == figure[1]) or placements[:1]
    marked = _with_marks(
        "x", tuple(Placement(1, p.chunk_id, p.locator, p.excerpt) for p in placements[:1]), chunks, sources
    )
    return _run(_body(claim, figure, marked[1:], scale), sources, {c.chunk_id: c for c in chunks})


def _body(claim: str, figure: tuple[int, int], mark: str, scale: int) -> str:
    from guardrail import escape

    start, end = figure
    if not scale:
        return escape(f"{claim[:end]}{mark}{claim[end:]}")
    head, cell = claim[:start].strip(), claim[start:end]
    column = f"Figure ({_SCALES[scale]})"
    return f"| Statement | {column} |\n| --- | --- |\n| {escape(head)} | {escape(cell + mark)} |"


def _run(body: str, sources: list[SourceEntry], chunks: dict[str, CitedChunk]) -> Verdict:
    return judge(
        _render(body, sources, "", {}),
        "issuers/case.md",
        EmptyBundle(),
        Chunks(chunks),
        predicates=frozenset({Predicate.P1, Predicate.P2}),
    )


def _altered(operands: dict[str, Operand]) -> dict[str, Operand]:
    """The operands with the first one citing another number of its chunk."""
    name, first = next(iter(operands.items()))
    others = [
        e
        for e in first.chunk.evidence
        if e.unit is first.evidence.unit and e.value not in {o.evidence.value for o in operands.values()} and e.value
    ]
    if not others:
        others = [e for e in first.chunk.evidence if e.unit in QUANTITIES and e.value != first.evidence.value]
    if not others:
        return {}
    return {**operands, name: Operand(others[0], first.chunk)}
