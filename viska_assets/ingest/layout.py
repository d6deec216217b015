"""What a line of print is (heading, list item, paragraph), and which tables only lay text out."""

import re
from collections.abc import Collection, Sequence
from itertools import groupby

from viska_assets.ingest.builder import DocumentBuilder
from viska_assets.ingest.grid import Grid, RawCell
from viska_assets.ingest.pieces import join
from viska_assets.model.document import BlockKind

_BULLET = re.compile(r"\s*(?:[•●▪■◦‣∙·○□➢✓►–—*-]|o(?= ))\s+\S")
_LONE_BULLET = re.compile(r"[•●▪■◦‣∙·○□➢✓►*–—-]|o|\(?(?:\d{1,2}|[a-z]|[ivx]{1,5})[).]|\(\d{1,2}\)|[⁰¹²³⁴-⁹⁽⁾]+")
_PART = re.compile(r"part\s+[ivx]{1,4}\b[.:—–\s-]*(?:$|[A-Z])", re.IGNORECASE)
_ITEM = re.compile(r"item\s+\d{1,2}[a-c]?\b(?:\.\d\d)?", re.IGNORECASE)
_NOTE = re.compile(r"note\s+\d{1,2}\b|\d{1,2}\.\s+[A-Z]", re.IGNORECASE)
_HEADING_LENGTH = 160
_LAYOUT_CELL_LENGTH = 500


def classify_line(text: str, *, is_bold: bool = False) -> tuple[BlockKind, int]:
    """The kind of a block of running text and, for a heading, its level (1 is the outermost)."""
    if _BULLET.match(text):
        return BlockKind.LIST_ITEM, 0
    if len(text) > _HEADING_LENGTH or not any(c.isalpha() for c in text):
        return BlockKind.PARAGRAPH, 0
    ends_sentence = text.endswith((".", ";", ","))
    if _PART.match(text) and len(text) <= 60 and (is_bold or text.isupper()):
        return BlockKind.HEADING, 1
    if _ITEM.match(text) and (is_bold or (len(text) <= 100 and text.isupper())):
        return BlockKind.HEADING, 2
    if not is_bold or (ends_sentence and len(text) > 80):
        return BlockKind.PARAGRAPH, 0
    if text.isupper() or _NOTE.match(text):
        return BlockKind.HEADING, 3
    return BlockKind.HEADING, 4


def is_data_table(grid: Grid) -> bool:
    """Whether a grid holds data: numbers beside labels, or short texts under headers; bullets and prose do not."""
    if grid.columns < 2 or not grid.rows:
        return False
    lengths = [len(cell.piece.text) for row in grid.rows for cell in row]
    if grid.has_numbers:
        return max(lengths) <= 4 * _LAYOUT_CELL_LENGTH
    if len(grid.rows) < 2 or max(lengths) > _LAYOUT_CELL_LENGTH:
        return False
    firsts = [row[0].piece.text for row in grid.rows]
    if sum(1 for text in firsts if _LONE_BULLET.fullmatch(text)) * 2 >= len(firsts):
        return False
    return sum(1 for row in grid.rows if len(row) > 1) * 2 > len(grid.rows)


def emit_layout_rows(builder: DocumentBuilder, cells: Sequence[RawCell], bold: Collection[int]) -> None:
    """Write the rows of a layout table as lines of text."""
    numbered = list(enumerate(cells))
    for _, group in groupby(numbered, key=lambda pair: pair[1].row):
        row = list(group)
        is_bold = all(index in bold for index, _ in row)
        piece = join([cell.piece for _, cell in row], " ")
        kind, level = classify_line(piece.text, is_bold=is_bold)
        if len(row) > 1 and _LONE_BULLET.fullmatch(row[0][1].text):
            kind, level = BlockKind.LIST_ITEM, 0
        builder.add(kind, piece, level=level)
