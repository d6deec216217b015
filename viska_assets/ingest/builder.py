"""The builder that every parser writes to: blocks go in as pieces, one document with true offsets comes out."""

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
from viska_assets.model.span import OffsetMap, Span

BLOCK_SEPARATOR = "\n\n"
CELL_SEPARATOR = " | "


@dataclass(slots=True)
class DocumentBuilder:
    """Collects blocks in reading order; ``marks`` afterwards holds the span of every marked tag."""

    reader: PieceReader = field(default_factory=PieceReader)
    blocks: list[Block] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    marks: dict[int, Span] = field(default_factory=dict)
    _texts: list[str] = field(default_factory=list)
    _runs: list[tuple[int, int]] = field(default_factory=list)
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
        cells: list[Cell] = []
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
                span = Span(start, self._length)
                cells.append(Cell(cell.piece.text, span, row, cell.column, cell.row_span, cell.column_span))
                column, line_break = cell.column, "\n"
        if block_start is None:
            return
        table = Table(tuple(cells), len(grid.rows), grid.columns, grid.header_rows, caption)
        self.blocks.append(Block(BlockKind.TABLE, Span(block_start, self._length), 0, table, page))

    def _append(self, piece: Piece, line_break: str, bars: str = "") -> int:
        lead = (line_break if self._length else "") + bars
        self._texts.append(lead)
        self._length += len(lead)
        start = self._length
        self._texts.append(piece.text)
        for at, source in piece.runs:
            self._add_run(start + at, source)
        for key, mark_start, mark_end in piece.marks:
            known = self.marks.get(key)
            begin = known.start if known else start + mark_start
            self.marks[key] = Span(begin, start + mark_end)
        self._length += len(piece.text)
        return start

    def _add_run(self, at: int, source: int) -> None:
        if source == UNKNOWN:
            return
        if self._runs:
            last_at, last_source = self._runs[-1]
            if source - last_source == at - last_at:
                return
            if last_at == at:
                self._runs.pop()
        self._runs.append((at, source))

    def include(self, document: ParsedDocument) -> None:
        """Append the blocks and notices of another document (an attachment)."""
        shift = self._append(Piece(document.text), BLOCK_SEPARATOR)
        for block in document.blocks:
            table = block.table
            if table is not None:
                cells = tuple(replace(cell, span=cell.span.shifted(shift)) for cell in table.cells)
                table = replace(table, cells=cells)
            self.blocks.append(replace(block, span=block.span.shifted(shift), table=table))
        self.notices.extend(document.notices)

    def text(self) -> str:
        """The cleaned text so far."""
        return "".join(self._texts)

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
        runs = tuple(self._runs) if self._runs and self._runs[0][0] == 0 else ((0, 0), *self._runs)
        return ParsedDocument(
            document_id=document_id,
            media_type=media_type,
            text=self.text(),
            offsets=OffsetMap(runs),
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


def _described(kind: str, decoded: Sequence[str]) -> str:
    said = " ".join(decoded)[:500]
    return f"{kind} removed" + (f", decoded: {said!r}" if said else "")
