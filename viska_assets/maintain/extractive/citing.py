"""From evidence to a citation whose locator names that evidence and nothing else of its chunk."""

from collections.abc import Iterator

from viska_assets.guardrail.binding import resolve_locator
from viska_assets.model.delta import Citation
from viska_assets.model.evidence import Evidence
from viska_assets.model.page import CellLocator, GridLocator, Locator, QuoteLocator
from viska_assets.model.span import Span
from viska_assets.model.views import CitedChunk

SHORTEST_QUOTE = 15
LONGEST_QUOTE = 300


def cite_cell(chunk: CitedChunk, evidence: Evidence, title: str) -> Citation | None:
    """A citation of a table cell: the shortest labels that are unique in the chunk, or else the grid address."""
    for locator in _cell_locators(evidence):
        if [item.span for item in resolve_locator(locator, chunk)] == [evidence.span]:
            return _citation(chunk, locator, evidence.printed, title)
    return None


def _cell_locators(evidence: Evidence) -> Iterator[Locator]:
    rows, columns = evidence.row_path, evidence.column_path
    if rows and columns:
        yield CellLocator(row=rows[-1], column=columns[-1])
        yield CellLocator(row=rows[-1], column=" / ".join(columns))
        yield CellLocator(row=" / ".join(rows), column=columns[-1])
        yield CellLocator(row=" / ".join(rows), column=" / ".join(columns))
    if evidence.cell:
        yield GridLocator(cell=evidence.cell)


def cite_quote(chunk: CitedChunk, quote: str, title: str) -> Citation | None:
    """A citation of a verbatim passage; None where it is too short, too long or stands twice in the chunk."""
    if not SHORTEST_QUOTE <= len(quote) <= LONGEST_QUOTE or chunk.text.count(quote) != 1:
        return None
    return _citation(chunk, QuoteLocator(quote=quote), quote[:80], title)


def quote_around(chunk: CitedChunk, evidence: Evidence) -> str | None:
    """The line or the 200 characters around a number of running text, cut at word borders."""
    at = evidence.span.shifted(-chunk.span.start) if evidence.span.start >= chunk.span.start else evidence.span
    line_start = chunk.text.rfind("\n", 0, at.start) + 1
    line_end = chunk.text.find("\n", at.end)
    line = Span(line_start, len(chunk.text) if line_end < 0 else line_end)
    start = max(line.start, at.start - 120)
    end = min(line.end, at.end + 80)
    while start > line.start and not chunk.text[start - 1].isspace():
        start -= 1
    while end < line.end and not chunk.text[end].isspace():
        end += 1
    quote = chunk.text[start:end].strip()
    return quote if SHORTEST_QUOTE <= len(quote) <= LONGEST_QUOTE else None


def cite(chunk: CitedChunk, evidence: Evidence, title: str) -> Citation | None:
    """A citation of a number, by cell in a table and by quote in running text."""
    if chunk.table:
        return cite_cell(chunk, evidence, title)
    quote = quote_around(chunk, evidence)
    return cite_quote(chunk, quote, title) if quote else None


def _citation(chunk: CitedChunk, locator: Locator, excerpt: str, title: str) -> Citation:
    return Citation(
        chunk=chunk.chunk_id,
        locator=locator,
        excerpt=excerpt,
        content_sha256=chunk.content_sha256,
        source=chunk.source_concept,
        title=title,
    )
