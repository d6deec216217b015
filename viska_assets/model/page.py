"""A concept page of the bundle: typed frontmatter and a markdown body, as OKF v0.2 and Viska's grammar have it."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class ConceptType(StrEnum):
    """Viska's closed vocabulary of page types."""

    ISSUER = "Issuer"
    HOLDING = "Holding"
    THESIS = "Thesis"
    METRIC = "Metric"
    EVENT = "Event"
    SOURCE = "Source"


FOLDER_OF_TYPE: dict[ConceptType, str] = {
    ConceptType.ISSUER: "issuers",
    ConceptType.HOLDING: "holdings",
    ConceptType.THESIS: "theses",
    ConceptType.METRIC: "metrics",
    ConceptType.EVENT: "events",
    ConceptType.SOURCE: "sources",
}


class Frozen(BaseModel):
    """A strict value: immutable, and refusing keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class CellLocator(Frozen):
    """Evidence at a row and a column of a table, by their printed labels (innermost, or a path joined by " / ")."""

    kind: Literal["cell"] = "cell"
    row: str
    column: str


class RowLocator(Frozen):
    """Evidence on one row of a table, by its label."""

    kind: Literal["row"] = "row"
    row: str


class GridLocator(Frozen):
    """Evidence at a spreadsheet address such as ``B7`` (row 1 is the first row of the table, headers included)."""

    kind: Literal["grid"] = "grid"
    cell: str


class QuoteLocator(Frozen):
    """Evidence inside a verbatim, contiguous quote of the chunk, 15 to 300 characters."""

    kind: Literal["quote"] = "quote"
    quote: str


Locator = Annotated[CellLocator | RowLocator | GridLocator | QuoteLocator, Field(discriminator="kind")]


class Computation(Frozen):
    """How a derived figure follows from cited ones: ``operands`` maps a name of the expression to a source id."""

    expression: str
    operands: dict[str, str]
    unit: str = ""


class SourceEntry(Frozen):
    """One entry of a page's ``sources``: a citation (chunk and locator) or a computation over other entries.

    ``id`` is the footnote label. ``resource`` is the bundle path of the Source page. ``content_sha256`` is the
    hash of the cited chunk's text; ``excerpt`` the printed evidence. ``extra`` keeps keys that Viska does not know
    (OKF's ``author``, ``usage_count``, ...).
    """

    id: str
    resource: str
    title: str = ""
    chunk: str | None = None
    locator: Locator | None = None
    excerpt: str = ""
    content_sha256: str = ""
    computation: Computation | None = None
    extra: dict[str, object] = Field(default_factory=dict)


class Generated(Frozen):
    """Who wrote the page's content last, and when: ``<producer>/<version>``, ``human:<id>`` or ``process:<id>``."""

    by: str
    at: datetime


class Supersession(Frozen):
    """A claim that this page's newer claim replaces, and why."""

    claim: str
    by: str
    reason: Literal["restatement", "correction", "revision", "later_reading"]


class PageStatus(StrEnum):
    """OKF's lifecycle of a page."""

    DRAFT = "draft"
    STABLE = "stable"
    DEPRECATED = "deprecated"


class Frontmatter(Frozen):
    """The typed head of a page. ``extra`` keeps keys that Viska does not know, for a lossless round trip."""

    type: ConceptType
    title: str
    description: str = ""
    resource: str = ""
    tags: tuple[str, ...] = ()
    identifiers: dict[str, str] = Field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    currency: str = ""
    sources: tuple[SourceEntry, ...] = ()
    generated: Generated
    verified: tuple[Generated, ...] = ()
    timestamp: datetime
    status: PageStatus = PageStatus.STABLE
    stale_after: datetime | None = None
    supersedes: tuple[Supersession, ...] = ()
    superseded_by: tuple[str, ...] = ()
    extra: dict[str, object] = Field(default_factory=dict)


class Page(Frozen):
    """A concept page. ``body`` is markdown without the generated ``# Citations`` list and footnote definitions."""

    concept_id: str
    head: Frontmatter
    body: str

    @property
    def path(self) -> str:
        """The page's file in the bundle, relative to its root."""
        return f"{self.concept_id}.md"
