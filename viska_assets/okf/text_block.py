"""A leaf block of a markdown body and its place in the page file."""

from enum import StrEnum
from typing import NamedTuple

from viska_assets.model.span import OffsetMap, Span


class Part(StrEnum):
    """What a block of a body is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    HEADER_CELL = "header_cell"
    CELL = "cell"
    DEFINITION = "definition"
    CODE = "code"
    HTML = "html"


class TextBlock(NamedTuple):
    """One leaf block. ``content`` is its markdown; ``offsets`` maps a place in it to the page file.

    ``level`` is a heading's level. ``table``, ``row`` and ``column`` place a cell (rows of the body count from 0).
    ``callout`` names the ``[!callout]`` of the enclosing quote, ``label`` the footnote being defined.
    """

    part: Part
    content: str
    offsets: OffsetMap
    span: Span
    level: int = 0
    table: int = -1
    row: int = -1
    column: int = -1
    callout: str = ""
    label: str = ""
