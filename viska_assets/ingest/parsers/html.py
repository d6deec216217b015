"""HTML and inline XBRL: one walk over the tree that yields headings, paragraphs, list items and data tables."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from viska_assets.ingest.builder import DocumentBuilder
from viska_assets.ingest.covers import cover_of_html
from viska_assets.ingest.grid import RawCell, build_grid
from viska_assets.ingest.layout import classify_line, emit_layout_rows, is_data_table
from viska_assets.ingest.parsers import html_marks as marks
from viska_assets.ingest.parsers.html_events import (
    Event,
    NotWellFormed,
    TooDeep,
    html_events,
    is_table,
    looks_like_xhtml,
    tables_settled,
    xhtml_events,
)
from viska_assets.ingest.parsers.ixbrl import XbrlReader, is_resource
from viska_assets.ingest.pieces import UNKNOWN, Piece, flowed, join
from viska_assets.ingest.source_cursor import SourceCursor, text_runs
from viska_assets.model.document import BlockKind, MediaType, Notice, NoticeKind, ParsedDocument

_CODE = re.compile(r"<(script|style)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_NUMBER_TAGS = ("ix:nonfraction", "ix:fraction")
MAX_SPAN = 1000


def parse_html(text: str, name: str, document_id: str) -> ParsedDocument:
    """Read a decoded HTML page, with its inline XBRL if it has any."""
    builder = DocumentBuilder()
    walker = walk_html(text, name, builder)
    document_text = builder.text()
    facts = walker.xbrl.facts(builder.marks, document_text)
    cover = cover_of_html(walker.title, walker.xbrl, document_text, builder.blocks, name)
    metadata = {"title": walker.title} if walker.title else {}
    return builder.build(document_id, MediaType.HTML, cover, facts=facts, metadata=metadata)


def walk_html(text: str, name: str, builder: DocumentBuilder, *, source_start: int = 0) -> "HtmlWalker":
    """Walk a decoded HTML page into ``builder``; ``source_start`` is the page's place in its source.

    A page is read as XML where it is well-formed XHTML, else as the forgiving parser mends it.
    """
    start = builder.point()
    if looks_like_xhtml(text):
        try:
            return _walked(xhtml_events(text), text, builder, source_start)
        except NotWellFormed:
            builder.return_to(start)
    try:
        return _walked(html_events(text, name), text, builder, source_start)
    except TooDeep:
        builder.return_to(start)
        read_flat(text, builder, source_start)
        return HtmlWalker(builder, SourceCursor(text), source_start)


def _walked(events: Iterator[Event], text: str, builder: DocumentBuilder, source_start: int) -> "HtmlWalker":
    walker = HtmlWalker(builder, SourceCursor(text), source_start)
    walker.walk(events)
    return walker


def read_flat(text: str, builder: DocumentBuilder, source_start: int) -> None:
    """Read markup nested beyond the parser's depth as lines between its tags, without tables."""
    without_code = _CODE.sub(lambda match: " " * len(match.group()), text)
    for run, start in text_runs(without_code):
        builder.add(BlockKind.PARAGRAPH, builder.reader.read(html.unescape(run), source_start + start))
    detail = "markup nested beyond 2048 levels, read as lines without tables"
    builder.notices.append(Notice(NoticeKind.TRUNCATED, detail))


@dataclass(slots=True)
class _OpenTable:
    """The table being read: its cells so far and which raw columns row spans still cover."""

    cells: list[RawCell] = field(default_factory=list)
    bold: set[int] = field(default_factory=set)
    caption: str = ""
    row: int = -1
    column: int = 0
    covered: dict[int, int] = field(default_factory=dict)

    def start_row(self) -> None:
        self.row += 1
        self.column = 0
        self.covered = {column: until for column, until in self.covered.items() if until > self.row}

    def place(self, columns: int, rows: int) -> tuple[int, int]:
        while self.column in self.covered:
            self.column += 1
        start, end = self.column, self.column + columns
        if rows > 1:
            self.covered.update(dict.fromkeys(range(start, end), self.row + rows))
        self.column = end
        return start, end


@dataclass(slots=True)
class _OpenCell:
    element: Any
    start: int
    end: int
    row_span: int
    is_header: bool


class HtmlWalker:
    """Reads the events of a page once, in document order; what has been read is cleared from the tree."""

    def __init__(self, builder: DocumentBuilder, cursor: SourceCursor, source_start: int = 0) -> None:
        self.builder = builder
        self.xbrl = XbrlReader()
        self.title = ""
        self._cursor = cursor
        self._source_start = source_start
        self._inline: list[Piece] = []
        self._letters = self._bold_letters = 0
        self._kind: tuple[BlockKind, int] | None = None
        self._bold: list[bool] = [False]
        self._raised = 0
        self._preformatted = 0
        self._open_numbers: list[tuple[int, int]] = []
        self._open_texts: list[Any] = []
        self._open_resources = 0
        self._table: _OpenTable | None = None
        self._layout_tables: list[Any] = []
        self._cell: _OpenCell | None = None
        self._skipped: Any = None
        self._text_ahead: Any = None
        self._tail_ahead: Any = None

    def walk(self, events: Iterator[Event]) -> None:
        """Read all events into the builder."""
        for event, element in tables_settled(events):
            self._read_text_ahead()
            if event == "start":
                self._start(element)
            elif event == "end":
                self._end(element)
                self._release(element)
            elif self._skipped is None:
                self._tail_ahead = element
        self._read_text_ahead()
        self._flush()

    def _read_text_ahead(self) -> None:
        """Read what stood between the last event and this one."""
        if self._text_ahead is not None:
            self._text(self._text_ahead.text)
        elif self._tail_ahead is not None:
            self._text(self._tail_ahead.tail)
        self._text_ahead = self._tail_ahead = None

    def _release(self, element: Any) -> None:
        """Clear an element that has been read, and what stands before it; the parser may still look at its name."""
        kept = self._skipped is not None or self._open_numbers or self._open_texts or self._open_resources
        if kept or self._table is not None or not isinstance(element.tag, str):
            return
        element.clear(keep_tail=True)
        parent = element.getparent()
        while parent is not None and (before := element.getprevious()) is not None:
            parent.remove(before)

    def _start(self, element: Any) -> None:
        tag = marks.tag_name(element.tag) if isinstance(element.tag, str) else ""
        self._open_resources += is_resource(tag)
        if self._skipped is not None:
            return
        style = element.get("style")
        marked = marks.read_style(style) if style else None
        if tag in marks.SKIPPED_TAGS or (marked and marked.hidden) or element.get("hidden") is not None:
            self._skipped = element
            return
        inherited = self._bold[-1] if marked is None or marked.bold is None else marked.bold
        self._bold.append(inherited or tag in marks.BOLD_TAGS)
        if tag == "sup" or (marked and marked.raised):
            self._raised += 1
        if tag in marks.BLOCK_TAGS:
            self._start_block(element, tag)
        elif tag == "br":
            self._break_line()
        elif tag in _NUMBER_TAGS:
            key = self.builder.new_mark()
            self._open_numbers.append((key, self.xbrl.open_number(key, element)))
        elif tag == "ix:nonnumeric" and self.xbrl.open_text(element):
            self._open_texts.append(element)
        self._text_ahead = element

    def _end(self, element: Any) -> None:
        tag = marks.tag_name(element.tag) if isinstance(element.tag, str) else ""
        if is_resource(tag):
            self.xbrl.read_resource(element)
            self._open_resources -= 1
        if self._skipped is not None:
            if element is self._skipped:
                self._end_skipped(element, tag)
            return
        self._tail_ahead = element
        if not tag:
            return
        style = element.get("style")
        marked = marks.read_style(style) if style else None
        self._bold.pop()
        if tag == "sup" or (marked and marked.raised):
            self._raised -= 1
        if tag in marks.BLOCK_TAGS:
            self._end_block(element, tag)
        elif tag in _NUMBER_TAGS:
            _, place = self._open_numbers.pop()
            self.xbrl.close_number(place, element)
        elif self._open_texts and self._open_texts[-1] is element:
            self.xbrl.close_text(self._open_texts.pop())

    def _end_skipped(self, element: Any, tag: str) -> None:
        if tag in marks.SKIPPED_TAGS:
            self._read_title(element, tag)
        else:
            self._notice_hidden(element)
        self._skipped = None
        self._tail_ahead = element

    def _start_block(self, element: Any, tag: str) -> None:
        if tag == "table":
            self._start_table(element)
        elif self._table is not None:
            self._start_in_table(element, tag)
        else:
            self._flush()
            if tag in marks.HEADINGS:
                self._kind = (BlockKind.HEADING, marks.HEADINGS[tag])
            elif tag == "li":
                self._kind = (BlockKind.LIST_ITEM, 0)
            elif tag == "pre":
                self._preformatted += 1
                self._kind = (BlockKind.PREFORMATTED, 0)

    def _start_table(self, element: Any) -> None:
        if self._table is not None:
            return
        self._flush()
        if any(True for inner in element.iter() if inner is not element and is_table(inner)):
            self._layout_tables.append(element)
        else:
            self._table = _OpenTable()

    def _start_in_table(self, element: Any, tag: str) -> None:
        table = self._table
        if table is None:
            return
        if tag == "tr":
            table.start_row()
        elif tag in ("td", "th"):
            if table.row < 0:
                table.start_row()
            rows = _span(element, "rowspan")
            start, end = table.place(_span(element, "colspan"), rows)
            self._clear()
            self._cell = _OpenCell(element, start, end, rows, tag == "th")
        elif tag == "caption":
            self._clear()
        else:
            self._break_line()

    def _end_block(self, element: Any, tag: str) -> None:
        if self._table is None:
            if tag == "pre":
                self._preformatted -= 1
            if tag == "table" and self._layout_tables and self._layout_tables[-1] is element:
                self._layout_tables.pop()
            self._flush()
            return
        if tag == "table":
            self._end_table()
        elif tag in ("td", "th") and self._cell is not None and self._cell.element is element:
            self._end_cell()
        elif tag == "caption":
            piece = flowed(self._inline)
            self._table.caption = piece.text
            self.builder.add(BlockKind.PARAGRAPH, piece)
            self._clear()
        else:
            self._break_line()

    def _end_cell(self) -> None:
        cell, table = self._cell, self._table
        if cell is None or table is None:
            return
        piece = flowed(self._inline)
        if piece.text:
            if self._letters and self._bold_letters >= 0.9 * self._letters:
                table.bold.add(len(table.cells))
            table.cells.append(RawCell(piece, table.row, cell.start, cell.end, cell.row_span, cell.is_header))
        self._cell = None
        self._clear()

    def _end_table(self) -> None:
        table = self._table
        if table is None:
            return
        if self._cell is not None:
            self._end_cell()
        self._table = None
        stray = self._inline
        self._clear()
        grid = build_grid(table.cells)
        if is_data_table(grid):
            self.builder.add_table(grid, caption=table.caption)
        else:
            emit_layout_rows(self.builder, table.cells, table.bold)
        self._inline = stray
        self._flush()

    def _text(self, raw: str | None) -> None:
        if not raw:
            return
        if raw.isspace() and "\u00a0" not in raw:
            if self._inline and not self._preformatted:
                self._inline.append(Piece(" "))
            return
        starts = self._cursor.locate(raw)
        if self._raised and not self._open_numbers:
            raw = marks.superscripted(raw)
        keep_lines = bool(self._preformatted) and self._table is None
        sources = [(at, self._source_start + source) for at, source in starts] or [(0, UNKNOWN)]
        piece = self.builder.reader.read_mapped(raw, sources, keep_lines=keep_lines)
        piece.marks.extend((key, 0, len(piece.text)) for key, _ in self._open_numbers)
        self._inline.append(piece)
        letters = len(piece.text.strip())
        self._letters += letters
        if self._bold[-1]:
            self._bold_letters += letters

    def _break_line(self) -> None:
        if self._preformatted:
            self._inline.append(Piece("\n"))
        elif self._inline:
            self._inline.append(Piece(" "))

    def _flush(self) -> None:
        if self._table is not None:
            return
        if self._inline:
            if self._preformatted:
                self.builder.add(BlockKind.PREFORMATTED, join(self._inline))
            else:
                piece = flowed(self._inline)
                is_bold = bool(self._letters) and self._bold_letters >= 0.9 * self._letters
                kind, level = self._kind or classify_line(piece.text, is_bold=is_bold)
                self.builder.add(kind, piece, level=level)
        self._kind = None
        self._clear()

    def _clear(self) -> None:
        self._inline = []
        self._letters = self._bold_letters = 0

    def _read_title(self, element: Any, tag: str) -> None:
        if tag in ("head", "title") and not self.title:
            for inner in element.iter():
                if isinstance(inner.tag, str) and marks.tag_name(inner.tag) == "title":
                    self.title = " ".join("".join(inner.itertext()).split())
                    return

    def _notice_hidden(self, element: Any) -> None:
        for inner in element.iter():
            if isinstance(inner.tag, str) and marks.tag_name(inner.tag) in ("ix:header", "ix:hidden"):
                return
        hidden = " ".join("".join(element.itertext()).split())
        if hidden:
            self.builder.notices.append(
                Notice(NoticeKind.HIDDEN_TEXT, f"text styled invisible, not read: {hidden[:300]!r}", len(hidden))
            )


def _span(element: Any, name: str) -> int:
    raw = element.get(name) or "1"
    return min(MAX_SPAN, max(1, int(raw))) if raw.strip().isdigit() else 1
