"""The builder that every parser writes to: blocks go in as pieces, one document with true offsets comes out."""

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from viska_assets.ingest.grid import Grid
from viska_assets.ingest.pieces import UNKNOWN, Piece, PieceReader
from viska_assets.model.document import (
    Block,
    BlockKind,
    Cell,
    Cover,
    MediaType,
    Notice,
    NoticeKind,
    ParsedDocument,
    Table,
    XbrlFact,
)
from viska_assets.model.packed import PackedCells, PackedRuns
from viska_assets.model.span import OffsetMap, Span

BLOCK_SEPARATOR = "\n\n"
CELL_SEPARATOR = " | "


@dataclass(frozen=True, slots=True)
class Point:
    """How far a builder has come: the lengths of all that it collects."""

    blocks: int
    notices: int
    removed: int
    texts: int
    runs: int
    length: int
    marks: int


@dataclass(slots=True)
class DocumentBuilder:
    """Collects blocks in reading order; ``marks`` afterwards holds the span of every marked tag.

    A document may hold millions of cells and offset runs, so none of them is an object here.
    """

    reader: PieceReader = field(default_factory=PieceReader)
    blocks: list[Block] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    marks: dict[int, Span] = field(default_factory=dict)
    _texts: list[str] = field(default_factory=list)
    _runs: PackedRuns = field(default_factory=PackedRuns)
    _length: int = 0
    _marks_given: int = 0

    def new_mark(self) -> int:
        """A key for a tag whose span is wanted in ``marks``."""
        self._marks_given += 1
        return self._marks_given

    def add(self, kind: BlockKind, piece: Piece, *, level: int = 0, page: int | None = None) -> None:
        """Append a block of running text; an empty one is dropped."""
        piece = piece.stripped()
        if piece.text:
            start = self._append(piece, BLOCK_SEPARATOR)
            self.blocks.append(Block(kind, Span(start, self._length), level, None, page))

    def add_table(self, grid: Grid, *, caption: str = "", page: int | None = None) -> None:
        """Append a table: one line a row, cells parted by bars, an empty place between bars where a cell is empty."""
        places = array("I")
        first, begun = len(self._texts), self._length
        block_start: int | None = None
        line_break = BLOCK_SEPARATOR
        for row, placed in enumerate(grid.rows):
            column: int | None = None
            for cell in placed:
                if column is None:
                    start = self._append(cell.piece, line_break, "| " * cell.column)
                else:
                    start = self._append(cell.piece, "", CELL_SEPARATOR * (cell.column - column))
                if block_start is None:
                    block_start = start - len("| " * cell.column)
                at = (start - begun, self._length - begun)
                places.extend((*at, row, cell.column, cell.row_span, cell.column_span))
                column, line_break = cell.column, "\n"
        if block_start is None:
            return
        text = "".join(self._texts[first:])
        self._texts[first:] = [text]
        cells = PackedCells(text, begun, places)
        table = Table(cells, len(grid.rows), grid.columns, grid.header_rows, caption)
        self.blocks.append(Block(BlockKind.TABLE, Span(block_start, self._length), 0, table, page))

    def _append(self, piece: Piece, line_break: str, bars: str = "") -> int:
        lead = (line_break if self._length else "") + bars
        self._texts.append(lead)
        self._length += len(lead)
        start = self._length
        self._texts.append(piece.text)
        for at, source in piece.runs:
            if source != UNKNOWN:
                self._runs.add(start + at, source)
        for key, mark_start, mark_end in piece.marks:
            known = self.marks.get(key)
            begin = known.start if known else start + mark_start
            self.marks[key] = Span(begin, start + mark_end)
        self._length += len(piece.text)
        return start

    def include(self, document: ParsedDocument) -> None:
        """Append the blocks and notices of another document (an attachment)."""
        shift = self._append(Piece(document.text), BLOCK_SEPARATOR)
        for block in document.blocks:
            table = block.table
            if table is not None:
                table = replace(table, cells=_shifted(table.cells, shift))
            self.blocks.append(replace(block, span=block.span.shifted(shift), table=table))
        self.notices.extend(document.notices)

    def text(self) -> str:
        """The cleaned text so far."""
        self._texts = ["".join(self._texts)]
        return self._texts[0]

    def point(self) -> Point:
        """Where the builder stands now, to return to."""
        return Point(
            blocks=len(self.blocks),
            notices=len(self.notices),
            removed=len(self.reader.removed),
            texts=len(self._texts),
            runs=len(self._runs),
            length=self._length,
            marks=self._marks_given,
        )

    def return_to(self, point: Point) -> None:
        """Forgets all that was added since a point."""
        del self.blocks[point.blocks :], self.notices[point.notices :], self.reader.removed[point.removed :]
        del self._texts[point.texts :]
        self._runs.shorten(point.runs)
        self._length, self._marks_given = point.length, point.marks
        self.marks = {key: span for key, span in self.marks.items() if key <= point.marks}

    def build(
        self,
        document_id: str,
        media_type: MediaType,
        cover: Cover,
        *,
        facts: Sequence[XbrlFact] = (),
        metadata: dict[str, str] | None = None,
    ) -> ParsedDocument:
        """The finished document."""
        return ParsedDocument(
            document_id=document_id,
            media_type=media_type,
            text=self.text(),
            offsets=OffsetMap(self._runs.from_start()),
            blocks=tuple(self.blocks),
            cover=cover,
            facts=tuple(facts),
            notices=(*self.notices, *self._hidden_text_notices()),
            metadata=dict(metadata or {}),
        )

    def _hidden_text_notices(self) -> list[Notice]:
        """Removed characters by kind: an incident where they are suspicious, else a count."""
        counts: Counter[tuple[bool, str]] = Counter()
        decoded: dict[str, list[str]] = {}
        for removed in self.reader.removed:
            counts[removed.is_suspicious, removed.kind.value] += len(removed.raw)
            if removed.decoded.strip():
                decoded.setdefault(removed.kind.value, []).append(removed.decoded)
        return [
            Notice(NoticeKind.HIDDEN_TEXT, _described(kind, decoded.get(kind, ())), count)
            if suspicious
            else Notice(NoticeKind.CLEANED, f"{kind} removed", count)
            for (suspicious, kind), count in sorted(counts.items())
        ]


def _shifted(cells: Sequence[Cell], offset: int) -> Sequence[Cell]:
    if isinstance(cells, PackedCells):
        return cells.shifted(offset)
    return tuple(replace(cell, span=cell.span.shifted(offset)) for cell in cells)


def _described(kind: str, decoded: Sequence[str]) -> str:
    said = " ".join(decoded)[:500]
    return f"{kind} removed" + (f", decoded: {said!r}" if said else "")
