"""What the asking side returns: hits and replies, each with its sources, date, contributor, confidence and label."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from viska_assets.model.evidence import Period, Unit
from viska_assets.model.span import Span

UNKNOWN = "unknown"


class FoundIn(StrEnum):
    """Where a hit was found; what the web says never counts for more than what a vault says."""

    VAULT = "vault"
    REPOSITORY = "repository"
    WEB = "web"


class HitKind(StrEnum):
    """What a hit is."""

    PASSAGE = "passage"
    TABLE = "table"
    PAGE = "page"
    CODE = "code"
    DOCUMENT = "document"
    ISSUE = "issue"
    WEB_PAGE = "web page"


class Tier(StrEnum):
    """Which tier of knowledge answers: pages, passages, or a page with its citations resolved into passages."""

    SYNTHESIS = "synthesis"
    RETRIEVAL = "retrieval"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Dated:
    """When something became known; ``reason`` says why it is not known when."""

    at: datetime | None
    reason: str = ""

    def __post_init__(self) -> None:
        if self.at is None and not self.reason:
            raise ValueError("an unknown date needs the reason why it is unknown")

    def __str__(self) -> str:
        return self.at.isoformat() if self.at else UNKNOWN


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure Viska is, from 0 to 1. ``basis`` says in words what it rests on.

    ``calibrated`` is True only where the value is a probability that was fitted on labelled questions.
    """

    value: float
    basis: str
    calibrated: bool = False

    def __post_init__(self) -> None:
        if not 0.0 <= self.value <= 1.0:
            raise ValueError(f"a confidence lies between 0 and 1, not {self.value}")

    @property
    def words(self) -> str:
        """The value in a word."""
        return "high" if self.value >= 0.75 else "medium" if self.value >= 0.4 else "low"


@dataclass(frozen=True, slots=True)
class Factors:
    """What a hit's place in the ranking is made of: ``score = relevance · recency^a · confidence^c · corroboration``.

    The first three lie between 0 and 1. The exponents are the desk's weights; at 0 a factor has no influence.
    ``corroboration`` counts the independent origins where several sources were merged; 1 for a single one.
    """

    relevance: float
    recency: float
    confidence: float
    recency_weight: float = 1.0
    confidence_weight: float = 1.0
    corroboration: float = 1.0

    @property
    def score(self) -> float:
        """The product by which hits are ordered."""
        recency, confidence = self.recency**self.recency_weight, self.confidence**self.confidence_weight
        return float(self.relevance * recency * confidence * self.corroboration)


@dataclass(frozen=True, slots=True)
class Where:
    """One place in which something stands, precise enough to go there.

    ``uri`` opens it (``viska://chunk/…``, ``viska://concept/…``, a URL). ``span`` counts characters of the document's
    cleaned text, ``source_span`` characters of the decoded file, ``byte_span`` bytes of the delivered file; each is
    None where the format has no such places. ``line`` and ``commit`` are a repository's, ``page`` a PDF's.
    """

    uri: str
    namespace: str
    title: str
    document_id: str = ""
    span: Span | None = None
    source_span: Span | None = None
    byte_span: Span | None = None
    page: int | None = None
    line: int | None = None
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that a search found. ``id`` is the atom's: ``chunk:…``, ``page:issuers/apple``, ``code:…``, ``web:…``.

    ``contributor`` is who says it: the asserter of a document, the drafter of a page, the author of a commit.
    ``also_at`` are the other places in which the same stands. ``remarks`` are what a reader must know of it, such as
    a sender that is not authenticated or a page that is stale.
    """

    id: str
    kind: HitKind
    found_in: FoundIn
    where: Where
    text: str
    date: Dated
    contributor: str
    confidence: Confidence
    factors: Factors
    ranks: dict[str, int] = field(default_factory=dict)
    also_at: tuple[Where, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """The product of the factors."""
        return self.factors.score


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A question taken apart: what was searched for, and what is wanted."""

    terms: tuple[str, ...]
    intent: str
    entities: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    periods: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a result came about: the decomposition, the namespaces asked, how much each leg found, what was out.

    ``private`` are those of the namespaces that are private and were opened for this result alone, which is logged.
    """

    decomposition: Decomposition
    namespaces: tuple[str, ...]
    legs: dict[str, int]
    degraded: tuple[str, ...] = ()
    private: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """Hits, best first, with the explanation; ``more`` says how many further hits there are beyond the limit."""

    hits: tuple[Hit, ...]
    explanation: Explanation
    more: int = 0


@dataclass(frozen=True, slots=True)
class Route:
    """Which tier a question goes to and why. ``notes`` say what was changed by the state of the corpus."""

    tier: Tier
    rule_id: str
    cues: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A citation of a reply, resolved: ``marker`` is what stands in the text, ``[1]``.

    ``quoted`` is the cited text itself, at ``where``; ``passage`` is its surroundings, and ``quoted`` stands in it at
    ``quoted_span``. ``cited_by`` is the page that the citation was taken from, empty for a passage found directly.
    ``pinned`` is False where the cited chunk is no longer the one that was cited.
    """

    marker: str
    id: str
    where: Where
    locator: str
    quoted: str
    passage: str
    quoted_span: Span
    date: Dated
    contributor: str
    authentication: str
    found_in: FoundIn = FoundIn.VAULT
    cited_by: str = ""
    pinned: bool = True
    computation: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """One claim of a reply with the markers of its sources; the value is given where it is a figure."""

    text: str
    markers: tuple[str, ...]
    value: Decimal | None = None
    unit: Unit | None = None
    currency: str | None = None
    period: Period | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to a question with everything that stands behind it.

    ``text`` holds the statements with their markers, empty where nothing is said; ``reason`` then says why.
    ``pages_opened`` are the pages of the bundle that were read after ``indexes_read`` indexes. ``related`` are the
    neighbours of the opened pages in the graph.
    """

    question: str
    route: Route
    text: str
    statements: tuple[Statement, ...]
    sources: tuple[Source, ...]
    confidence: Confidence
    explanation: Explanation
    reason: str = ""
    pages_opened: tuple[str, ...] = ()
    indexes_read: int = 0
    related: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def answers(self) -> bool:
        """Whether anything is said."""
        return bool(self.text)
