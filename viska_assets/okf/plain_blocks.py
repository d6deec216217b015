"""A fast reader for the plain markdown that the renderer writes: headings, paragraphs, flat ``*`` lists and tables.

It either gives exactly the blocks that markdown-it's token tree gives, or gives up at the first line it is not sure
of, and the tree is built. A test holds the two together.
"""

import re
from typing import NamedTuple

from viska_assets.model.span import OffsetMap, Span
from viska_assets.okf.text_block import Part, TextBlock

_HEADING = re.compile(r"(#{1,6}) (\S(?:.*[^\s#])?)$")
_BULLET = re.compile(r"\* (?=[A-Za-z\"“‘$€£¥(\[])(?!\[[^\]]*\]:)(.*\S)$")
_DELIMITER = re.compile(r"\|(?: ?-{3,} ?\|)+$")
_PARAGRAPH = re.compile(r"(?=[A-Za-z0-9\"“‘$€£¥(\[])(?!\d{1,9}[.)](?:\s|$))(?!\[[^\]]*\]:)")
_UNSURE = re.compile(r"[\t\r\x00\x0b\x0c\x1c-\x1f\x85\u2028\u2029]| \n")


class _Line(NamedTuple):
    """A line of the body and the offset of its first character in the page file."""

    text: str
    start: int


def read_plain_blocks(text: str, start: int, end: int) -> tuple[TextBlock, ...] | None:
    """The blocks of ``text[start:end]``, or None where it holds more than plain markdown."""
    body = text[start:end]
    if _UNSURE.search(body) or body.endswith(" "):
        return None
    lines: list[_Line] = []
    place = start
    for piece in body.split("\n"):
        lines.append(_Line(piece, place))
        place += len(piece) + 1
    blocks: list[TextBlock] = []
    table = -1
    row = 0
    while row < len(lines):
        line = lines[row]
        if not line.text:
            row += 1
            continue
        taken = 1
        first = line.text[0]
        if first == "#" and (heading := _HEADING.match(line.text)):
            content = heading[2]
            blocks.append(_block(Part.HEADING, content, line.start + heading.start(2), level=len(heading[1])))
        elif first == "*" and (bullet := _BULLET.match(line.text)):
            blocks.append(_block(Part.LIST_ITEM, bullet[1], line.start + 2))
            if not _ends_item(lines, row + 1):
                return None
        elif first == "|":
            table += 1
            taken = _take_table(lines, row, table, blocks)
        elif _PARAGRAPH.match(line.text):
            taken = _take_paragraph(lines, row, blocks)
        else:
            return None
        if not taken:
            return None
        row += taken
    return tuple(blocks)


def _block(part: Part, content: str, at: int, *, level: int = 0) -> TextBlock:
    return TextBlock(part, content, OffsetMap(((0, at),)), Span(at, at + len(content)), level=level)


def _ends_item(lines: list[_Line], row: int) -> bool:
    following = lines[row].text if row < len(lines) else ""
    return not following or following.startswith("* ") or _HEADING.match(following) is not None


def _take_paragraph(lines: list[_Line], first: int, blocks: list[TextBlock]) -> int:
    """Take the lines of a paragraph; 0 where something other than a blank line ends it."""
    row = first
    runs: list[tuple[int, int]] = []
    place = 0
    while row < len(lines) and lines[row].text:
        if not _PARAGRAPH.match(lines[row].text):
            return 0
        runs.append((place, lines[row].start))
        place += len(lines[row].text) + 1
        row += 1
    content = "\n".join(line.text for line in lines[first:row])
    last = lines[row - 1]
    span = Span(lines[first].start, last.start + len(last.text))
    blocks.append(TextBlock(Part.PARAGRAPH, content, OffsetMap(tuple(runs)), span))
    return row - first


def _take_table(lines: list[_Line], first: int, table: int, blocks: list[TextBlock]) -> int:
    """Take the rows of a table; 0 where its form is not the renderer's."""
    if first and lines[first - 1].text and not _HEADING.match(lines[first - 1].text):
        return 0
    delimiter = lines[first + 1].text if first + 1 < len(lines) else ""
    columns = delimiter.count("|") - 1
    if not _DELIMITER.match(delimiter) or not _take_row(lines[first], Part.HEADER_CELL, table, -1, columns, blocks):
        return 0
    row = first + 2
    while row < len(lines) and lines[row].text:
        if not _take_row(lines[row], Part.CELL, table, row - first - 2, columns, blocks):
            return 0
        row += 1
    return row - first


def _take_row(line: _Line, part: Part, table: int, row: int, columns: int, blocks: list[TextBlock]) -> bool:
    text = line.text
    if text[0] != "|" or text[-1] != "|" or "\\" in text or "`" in text or len(text) < 2:
        return False
    cells = text[1:-1].split("|")
    if len(cells) != columns:
        return False
    place = line.start + 1
    cursor = line.start
    for column, cell in enumerate(cells):
        content = cell.strip(" ")
        if content:
            cursor = place + cell.index(content)
        at = cursor
        cursor = at + len(content)
        offsets, span = OffsetMap(((0, at),)), Span(at, at + len(content))
        blocks.append(TextBlock(part, content, offsets, span, table=table, row=row, column=column))
        place += len(cell) + 1
    return True
