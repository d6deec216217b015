"""From a citation mark to the evidence it names: source entry, chunk, locator, candidates."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from viska_assets.guardrail.codes import Code
from viska_assets.guardrail.quotes import check_quote
from viska_assets.guardrail.reading import ChunkReader, ChunkReading, label_key, path_key
from viska_assets.model.claim_unit import CitationMark, ClaimUnit
from viska_assets.model.evidence import Evidence
from viska_assets.model.page import CellLocator, GridLocator, QuoteLocator, RowLocator, SourceEntry
from viska_assets.model.span import Span


@dataclass(frozen=True)
class Bound:
    """A resolved source entry: its chunk, the evidence at its locator, and the text that counts as its context.

    ``code`` says why it cannot be used, or is None. ``bare`` marks a citation without locator, ``quote`` is the
    quoted span of the chunk's text.
    """

    entry: SourceEntry
    reading: ChunkReading | None = None
    evidence: tuple[Evidence, ...] = ()
    quote: Span | None = None
    bare: bool = False
    code: Code | None = None
    detail: str = ""


class Binder:
    """Resolves the source entries of one page, each once."""

    def __init__(self, sources: Sequence[SourceEntry], reader: ChunkReader) -> None:
        self._entries = {entry.id: entry for entry in sources}
        self._reader = reader
        self._bound: dict[str, Bound] = {}

    def entry(self, source_id: str) -> SourceEntry | None:
        """The source entry of an id."""
        return self._entries.get(source_id)

    def readings(self) -> list[ChunkReading]:
        """The chunks that the page cites, in the order of its sources."""
        found = (self._reader.read(entry.chunk) for entry in self._entries.values() if entry.chunk)
        return list({id(r): r for r in found if r is not None}.values())

    def bind(self, source_id: str) -> Bound | None:
        """The resolved entry of an id; None where the page has no such source."""
        entry = self._entries.get(source_id)
        if entry is None:
            return None
        if source_id not in self._bound:
            self._bound[source_id] = self._resolve(entry)
        return self._bound[source_id]

    def for_figure(self, unit: ClaimUnit, at: int) -> list[tuple[CitationMark, Bound]]:
        """The bound citations of a figure: the nearest following mark first, then the others of its unit."""
        after = sorted((m for m in unit.marks if m.at >= at), key=lambda m: m.at)
        before = sorted((m for m in unit.marks if m.at < at), key=lambda m: -m.at)
        found: list[tuple[CitationMark, Bound]] = []
        for mark in [*after, *before]:
            bound = self.bind(mark.source_id)
            if bound is not None:
                found.append((mark, bound))
        return found

    def _resolve(self, entry: SourceEntry) -> Bound:
        if entry.computation is not None:
            return Bound(entry)
        if not entry.chunk:
            return Bound(entry, code=Code.DANGLING_CITATION, detail="the source entry names no chunk")
        reading = self._reader.read(entry.chunk)
        if reading is None:
            return Bound(entry, code=Code.DANGLING_CITATION, detail=f"no chunk {entry.chunk} is stored")
        chunk = reading.chunk
        if chunk.withdrawn:
            return Bound(
                entry, reading, code=Code.SOURCE_WITHDRAWN, detail=f"document {chunk.document_id} is withdrawn"
            )
        if entry.content_sha256 and entry.content_sha256 != chunk.content_sha256:
            return Bound(entry, reading, code=Code.CHUNK_CHANGED, detail=f"chunk {entry.chunk} has another hash")
        if (
            chunk.source_concept
            and entry.resource
            and entry.resource.strip("/").removesuffix(".md") != chunk.source_concept
        ):
            detail = f"chunk {entry.chunk} belongs to {chunk.source_concept}, not to {entry.resource}"
            return Bound(entry, reading, code=Code.MISATTRIBUTED, detail=detail)
        return self._at_locator(entry, reading)

    def _at_locator(self, entry: SourceEntry, reading: ChunkReading) -> Bound:
        locator = entry.locator
        if locator is None:
            return Bound(entry, reading, reading.chunk.evidence, bare=True)
        if isinstance(locator, QuoteLocator):
            span, code = check_quote(locator.quote, reading, self.readings())
            if span is None or code is not None:
                return Bound(entry, reading, code=code, detail=f"quote {locator.quote[:60]!r}")
            inside = tuple(e for e in reading.chunk.evidence if span.covers(reading.local(e.span)))
            return Bound(entry, reading, inside, quote=span)
        found = locate_cells(reading, locator)
        if not found:
            return Bound(entry, reading, code=Code.LOCATOR_NOT_FOUND, detail=f"no evidence at {describe(locator)}")
        return Bound(entry, reading, found)


def locate_cells(reading: ChunkReading, locator: CellLocator | RowLocator | GridLocator) -> tuple[Evidence, ...]:
    """The evidence at a cell, row or spreadsheet address of a chunk."""
    if isinstance(locator, GridLocator):
        return tuple(e for e in reading.chunk.evidence if e.cell == locator.cell)
    row = reading.rows.get(label_key(locator.row)) or reading.rows.get(_joined(locator.row)) or []
    if isinstance(locator, RowLocator):
        return tuple(row)
    keys = {label_key(locator.column), _joined(locator.column)}
    return tuple(e for e in row if e.column_path and keys & {label_key(e.column_path[-1]), path_key(e.column_path)})


def _joined(label: str) -> str:
    return path_key(tuple(label.split(" / ")))


def describe(locator: CellLocator | RowLocator | GridLocator | QuoteLocator | None) -> str:
    """A locator in words."""
    match locator:
        case CellLocator(row=row, column=column):
            return f"{row} × {column}"
        case RowLocator(row=row):
            return f"row {row}"
        case GridLocator(cell=cell):
            return f"cell {cell}"
        case QuoteLocator(quote=quote):
            return f"“{quote[:60]}”"
        case _:
            return "the whole chunk"


def distinct_values(evidence: Iterable[Evidence]) -> int:
    """How many different numbers the evidence holds."""
    return len({(e.value, e.unit, e.currency) for e in evidence})


def cited_in(binder: Binder, source_id: str, depth: int = 4) -> list[str]:
    """A source id and, where it is a computation, the ids of its operands down to the cited chunks."""
    entry = binder.entry(source_id)
    if entry is None or entry.computation is None or not depth:
        return [source_id]
    found = [source_id]
    for operand in entry.computation.operands.values():
        found += [i for i in cited_in(binder, operand, depth - 1) if i not in found]
    return found
