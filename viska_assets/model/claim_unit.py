"""The units in which a page is judged: sentences, list items, table cells and headings with their citation marks."""

from dataclasses import dataclass
from enum import StrEnum

from viska_assets.model.span import OffsetMap, Span


class UnitKind(StrEnum):
    """Which part of a page a claim unit is."""

    SENTENCE = "sentence"
    LIST_ITEM = "list_item"
    CELL = "cell"
    HEADING = "heading"
    CAPTION = "caption"


@dataclass(frozen=True, slots=True)
class CitationMark:
    """One ``[^id]`` in a unit: ``at`` is its place in the unit's ``text`` (marks are taken out of the text)."""

    source_id: str
    at: int
    span: Span


@dataclass(frozen=True, slots=True)
class ClaimUnit:
    """One unit of a page: its visible text without markup and marks, and where it stands in the page file.

    ``offsets`` maps a place in ``text`` to the page file. For a cell, ``row_label`` and ``column_label`` are the
    labels of its row and column. ``section`` is the nearest heading. ``exempt`` names the declared exemption
    ("navigation", "citations", "judgement", ...) under which P1 asks for no citation, or is empty.
    """

    kind: UnitKind
    text: str
    span: Span
    offsets: OffsetMap
    marks: tuple[CitationMark, ...] = ()
    row_label: str = ""
    column_label: str = ""
    section: str = ""
    exempt: str = ""
