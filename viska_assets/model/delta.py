"""What a drafter returns: typed statements and figures with citations. Rendering to markdown is not its business."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from viska_assets.model.page import Computation, ConceptType, Frozen, Locator, Supersession


class Citation(Frozen):
    """Where a statement or figure stands in a source."""

    kind: Literal["citation"] = "citation"
    chunk: str
    locator: Locator
    excerpt: str
    content_sha256: str
    source: str
    title: str


class Derivation(Frozen):
    """A computed figure: its expression and the citations of its operands."""

    kind: Literal["derivation"] = "derivation"
    expression: str
    operands: dict[str, Citation]
    unit: str


Support = Annotated[Citation | Derivation, Field(discriminator="kind")]


class Statement(Frozen):
    """One sentence or bullet of a page's section, with the supports of its figures in reading order.

    ``text`` is markdown whose quoted parts are escaped. ``[@0]`` in it says where the mark of the first support
    stands; supports without a place are marked at the end.
    """

    kind: Literal["statement"] = "statement"
    text: str
    supports: tuple[Support, ...] = ()
    bullet: bool = True


class FigureCell(Frozen):
    """A printed figure of a table with its support."""

    text: str
    support: Support


class FigureRow(Frozen):
    """One row of a figure table; ``cells`` maps a column label to its figure."""

    label: str
    cells: dict[str, FigureCell]


class FigureTable(Frozen):
    """A table of figures; ``columns`` gives the order, ``corner`` heads the label column."""

    kind: Literal["table"] = "table"
    corner: str
    columns: tuple[str, ...]
    rows: tuple[FigureRow, ...]


class SectionName(StrEnum):
    """The sections a page may have, in the order in which they are rendered."""

    SUMMARY = "Summary"
    VALUE = "Value"
    COMPUTATION = "Computation"
    KEY_FIGURES = "Key figures"
    SEGMENTS = "Segments"
    GUIDANCE = "Guidance"
    POSITION = "Position"
    VIEW = "View"
    ARGUMENTS = "Arguments"
    RISKS = "Risks"
    REPORTED = "Reported figures"
    EVENTS = "Recent events"
    THESES = "Open theses"
    HOLDINGS = "Holdings"
    DOCUMENT = "Document"
    HISTORY = "History"


class Section(Frozen):
    """A named section of a page and its contents in order."""

    name: SectionName
    blocks: tuple[Annotated[Statement | FigureTable, Field(discriminator="kind")], ...]


class ConceptDelta(Frozen):
    """All that one document adds to one concept, typed. ``known_at`` orders deltas of different documents.

    ``about`` is the issuer whose page links to this one. ``facts`` are the page's own frontmatter keys, for readers
    and filters; they are no claims. ``drafted_by`` names the drafter in the page's ``generated`` where it is not the
    extractive one.
    """

    concept_id: str
    type: ConceptType
    title: str
    description: str
    document_id: str
    known_at: datetime
    resource: str = ""
    tags: tuple[str, ...] = ()
    identifiers: dict[str, str] = Field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    currency: str = ""
    about: str = ""
    facts: dict[str, str] = Field(default_factory=dict)
    sections: tuple[Section, ...] = ()
    supersedes: tuple[Supersession, ...] = ()
    stale_after: datetime | None = None
    drafted_by: str = ""


__all__ = [
    "Citation",
    "Computation",
    "ConceptDelta",
    "Derivation",
    "FigureCell",
    "FigureRow",
    "FigureTable",
    "Section",
    "SectionName",
    "Statement",
    "Support",
]
