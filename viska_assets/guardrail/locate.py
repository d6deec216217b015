"""The product's own citation finder: for each figure of a claim the row, cell or quote of a chunk that speaks of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from viska_assets.guardrail.binding import locate_cells
from viska_assets.guardrail.context import UnitContext
from viska_assets.guardrail.grounding import QUANTITIES, Trial, try_evidence
from viska_assets.guardrail.quotes import MAX_QUOTE, MIN_QUOTE
from viska_assets.guardrail.reading import PATH_JOIN, ChunkReading
from viska_assets.model.claim_unit import ClaimUnit, UnitKind
from viska_assets.model.evidence import Evidence
from viska_assets.model.page import CellLocator, GridLocator, QuoteLocator, RowLocator
from viska_assets.model.span import OffsetMap, Span
from viska_assets.model.views import CitedChunk
from viska_assets.text.quantities import Quantity, Role

AnyLocator = CellLocator | RowLocator | GridLocator | QuoteLocator
_WORD = re.compile(r"[a-z]{3,}|\d[\d.,]*\d|\d")


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a figure of a claim stands in a source: ``at`` is the end of the figure in the claim's text."""

    at: int
    chunk_id: str
    locator: AnyLocator | None
    excerpt: str
    evidence: Evidence | None = None


def locate_claim(
    text: str,
    chunks: Sequence[CitedChunk],
    *,
    currency: str | None = None,
    row_label: str = "",
    column_label: str = "",
) -> tuple[Placement, ...]:
    """The best place in the chunks for each figure of a claim; for a claim without figures one place of its words.

    Args:
        text: The claim's visible text.
        chunks: The chunks that may be cited.
        currency: The page's currency.
        row_label: Row label of a table cell.
        column_label: Column label of a table cell.
    """
    span = Span(0, len(text))
    unit = ClaimUnit(UnitKind.SENTENCE, text, span, OffsetMap(), row_label=row_label, column_label=column_label)
    readings = [ChunkReading(chunk) for chunk in chunks]
    fye = next((chunk.fiscal_year_end for chunk in chunks if chunk.fiscal_year_end), None)
    context = UnitContext(unit, currency, fye)
    words = _words(context.full_text)
    placements: list[Placement] = []
    for figure in context.quantities:
        if figure.is_figure and not figure.malformed:
            found = _place(figure, context, readings, words)
            if found is not None:
                placements.append(found)
    if not placements and readings:
        placements.append(_place_words(len(text.rstrip(" .")), readings, words))
    return tuple(placements)


def _place(
    figure: Quantity, context: UnitContext, readings: list[ChunkReading], words: frozenset[str]
) -> Placement | None:
    if figure.role is not Role.FIGURE:
        return _place_words(figure.extent.end, readings, words) if readings else None
    trials = [
        (trial, reading)
        for reading in readings
        for evidence in reading.chunk.evidence
        if evidence.unit in QUANTITIES
        for trial in [try_evidence(figure, evidence, context, reading)]
    ]
    if not trials:
        return _place_words(figure.extent.end, readings, words) if readings else None
    best, reading = min(trials, key=lambda pair: (*_merit(pair[0], pair[1], words), pair[0].evidence.span))
    locator = locator_of(best.evidence, reading)
    return Placement(figure.extent.end, reading.chunk.chunk_id, locator, best.evidence.printed, best.evidence)


def _merit(trial: Trial, reading: ChunkReading, words: frozenset[str]) -> tuple[int, int, int]:
    shared = len(words & _words(_around(trial.evidence, reading)))
    return trial.rank, len(trial.warnings), -shared


def _around(evidence: Evidence, reading: ChunkReading) -> str:
    if reading.is_prose(evidence):
        return reading.sentence_at(reading.local(evidence.span).start).text
    return " ".join([*evidence.row_path, *evidence.column_path])


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def locator_of(evidence: Evidence, reading: ChunkReading) -> AnyLocator | None:
    """The locator that names exactly this evidence: a cell by its label paths, its address, or a quote."""
    if reading.is_prose(evidence):
        return quote_of(reading, reading.local(evidence.span))
    row, column = PATH_JOIN.join(evidence.row_path), PATH_JOIN.join(evidence.column_path)
    choices: list[CellLocator | RowLocator | GridLocator] = []
    if row and column:
        choices.append(CellLocator(row=row, column=column))
    if evidence.cell:
        choices.append(GridLocator(cell=evidence.cell))
    if row:
        choices.append(RowLocator(row=row))
    for locator in choices:
        found = locate_cells(reading, locator)
        if found and all(e.value == evidence.value and e.unit is evidence.unit for e in found):
            return locator
    return quote_of(reading, reading.local(evidence.span))


def quote_of(reading: ChunkReading, local: Span) -> QuoteLocator | None:
    """A verbatim quote of 15 to 300 characters around a place of a chunk, whole sentences where they fit."""
    text = reading.chunk.text
    sentence = reading.sentence_at(local.start).span
    start, end = min(sentence.start, local.start), max(sentence.end, local.end)
    if end - start > MAX_QUOTE:
        start = max(start, local.start - MAX_QUOTE * 2 // 3)
        end = min(end, start + MAX_QUOTE)
        start, end = _at_words(text, start, end, local)
    if end - start < MIN_QUOTE:
        start, end = max(0, start - MIN_QUOTE), min(len(text), end + MIN_QUOTE)
        start, end = _at_words(text, start, end, local)
    quote = text[start:end].strip()
    return QuoteLocator(quote=quote) if quote else None


def _at_words(text: str, start: int, end: int, keep: Span) -> tuple[int, int]:
    while 0 < start < keep.start and not text[start - 1].isspace():
        start += 1
    while keep.end < end < len(text) and not text[end].isspace():
        end -= 1
    return start, end


def _place_words(at: int, readings: list[ChunkReading], words: frozenset[str]) -> Placement:
    """A place by words alone, for claims about dates, names and events."""
    best: tuple[int, int, ChunkReading, Span] | None = None
    for reading in readings:
        for number, span in enumerate(reading.sentence_spans):
            merit = (-len(words & _words(span.of(reading.chunk.text))), number)
            if best is None or merit < best[:2]:
                best = (*merit, reading, span)
    if best is None:
        return Placement(at, readings[0].chunk.chunk_id, None, "")
    reading, span = best[2], best[3]
    quote = quote_of(reading, Span(span.start, min(span.start + 1, span.end)))
    return Placement(at, reading.chunk.chunk_id, quote, quote.quote if quote else "")
