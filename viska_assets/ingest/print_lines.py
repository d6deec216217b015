"""Printed lines with positions (old ASCII filings, plain text, PDF pages): paragraphs and tables out of them.

A line is a row of segments, each with its print positions: character columns in text, points in a PDF. Tables
are found by lines whose segments end in numbers; their cells go through the same grid as HTML cells.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from viska_assets.ingest import cell_forms
from viska_assets.ingest.builder import DocumentBuilder
from viska_assets.ingest.grid import RawCell, build_grid
from viska_assets.ingest.layout import classify_line
from viska_assets.ingest.pieces import Piece, join
from viska_assets.model.document import BlockKind

_RULE = re.compile(r"[\s\-=_~*.]*(?:[-=_~]{3,}|[*.]{5,})[\s\-=_~*.]*")
_MAX_HEADER_LINES = 6
_MAX_LABELS = 3


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a printed line between wide gaps."""

    piece: Piece
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PrintLine:
    """One printed line; ``gap`` counts the blank lines before it."""

    segments: tuple[Segment, ...]
    gap: int = 0
    bold: bool = False

    @property
    def piece(self) -> Piece:
        """The whole line as one piece."""
        return join([segment.piece for segment in self.segments], " ")

    @property
    def is_tabular(self) -> bool:
        """Whether the line ends in a value that stands apart from what is before it."""
        texts = [segment.piece.text for segment in self.segments]
        return len(texts) >= 2 and any(cell_forms.is_value(text) for text in texts[1:])


def is_rule(text: str) -> bool:
    """Whether a line only rules columns off."""
    return bool(_RULE.fullmatch(text))


def emit_lines(builder: DocumentBuilder, lines: Sequence[PrintLine], *, page: int | None = None) -> None:
    """Write printed lines as paragraphs and tables, in order."""
    position = 0
    for start, end in _table_ranges(lines):
        _emit_paragraphs(builder, lines[position:start], page)
        emit_table(builder, lines[start:end], page=page)
        position = end
    _emit_paragraphs(builder, lines[position:], page)


def emit_table(
    builder: DocumentBuilder, lines: Sequence[PrintLine], *, header_lines: int = 0, page: int | None = None
) -> None:
    """Write lines known to be a table, the first ``header_lines`` being headers."""
    cells = [
        RawCell(segment.piece, row, segment.start, segment.end, is_header=row < header_lines)
        for row, line in enumerate(lines)
        for segment in line.segments
    ]
    grid = build_grid(cells, spread_headers=True)
    if grid.columns < 2 or not grid.has_numbers:
        for line in lines:
            builder.add(BlockKind.PARAGRAPH, line.piece, page=page)
        return
    builder.add_table(grid, page=page)


def _table_ranges(lines: Sequence[PrintLine]) -> list[tuple[int, int]]:
    """Half-open ranges of lines that form tables: two or more tabular lines close together, with their headers."""
    ranges: list[tuple[int, int]] = []
    tabular = [index for index, line in enumerate(lines) if line.is_tabular]
    group: list[int] = []
    for index in tabular:
        if group and not _belongs(lines, group[-1], index):
            _close(lines, group, ranges)
            group = []
        group.append(index)
    _close(lines, group, ranges)
    return ranges


def _belongs(lines: Sequence[PrintLine], last: int, index: int) -> bool:
    """Whether a tabular line continues the table of the one before: only short labels or headers between."""
    between = lines[last + 1 : index]
    if len(between) > 4 or any(line.gap > 3 for line in lines[last + 1 : index + 1]):
        return False
    return all(len(line.segments) > 1 or len(line.piece.text) <= 70 for line in between)


def _close(lines: Sequence[PrintLine], group: Sequence[int], ranges: list[tuple[int, int]]) -> None:
    if len(group) < 2 and not (group and len(lines[group[0]].segments) >= 3):
        return
    start, end = group[0], group[-1] + 1
    floor = ranges[-1][1] if ranges else 0
    first_value = min(
        segment.start
        for index in group
        for segment in lines[index].segments[1:]
        if cell_forms.is_value(segment.piece.text)
    )
    ranges.append((_header_start(lines, start, floor, first_value), end))


def _header_start(lines: Sequence[PrintLine], start: int, floor: int, first_value: int) -> int:
    """The first of the header lines above a table; labels between them and the numbers belong to the table."""
    labels = 0
    for index in range(start - 1, max(floor, start - _MAX_HEADER_LINES - _MAX_LABELS) - 1, -1):
        line = lines[index]
        if lines[index + 1].gap > 2 or any(len(segment.piece.text) > 70 for segment in line.segments):
            break
        beyond = [segment for segment in line.segments if segment.end > first_value]
        if beyond and (len(line.segments) > 1 or line.segments[0].start * 5 >= first_value * 3):
            start, labels = index, 0
            continue
        labels += 1
        if labels > _MAX_LABELS or len(line.segments) > 1:
            break
    if start > floor and lines[start - 1].piece.text.endswith(":") and len(lines[start - 1].piece.text) <= 60:
        return start - 1
    return start


def _emit_paragraphs(builder: DocumentBuilder, lines: Sequence[PrintLine], page: int | None) -> None:
    paragraph: list[PrintLine] = []
    for line in lines:
        if paragraph and _starts_paragraph(paragraph[-1], line):
            _emit_paragraph(builder, paragraph, page)
            paragraph = []
        paragraph.append(line)
    if paragraph:
        _emit_paragraph(builder, paragraph, page)


def _starts_paragraph(last: PrintLine, line: PrintLine) -> bool:
    if line.gap > 0 or line.bold != last.bold:
        return True
    kind, _ = classify_line(line.piece.text, is_bold=line.bold)
    return kind is not BlockKind.PARAGRAPH


def _emit_paragraph(builder: DocumentBuilder, lines: Sequence[PrintLine], page: int | None) -> None:
    piece = join([line.piece for line in lines], " ")
    is_bold = all(line.bold for line in lines)
    is_title = len(lines) <= 2 and piece.text.isupper() and len(piece.text) <= 100
    kind, level = classify_line(piece.text, is_bold=is_bold or is_title)
    builder.add(kind, piece, level=level, page=page)
