"""A number that a source prints, with everything the source says of it: value, unit, scale, period and labels."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from enum import StrEnum
from operator import attrgetter
from typing import Any

from viska_assets.model.span import Span


class Unit(StrEnum):
    """What a number counts; the classes are disjoint (only bp and pp convert freely)."""

    MONEY = "money"
    PERCENT = "percent"
    PERCENTAGE_POINT = "percentage_point"
    BASIS_POINT = "basis_point"
    RATIO = "ratio"
    COUNT = "count"
    PER_SHARE = "per_share"
    SHARES = "shares"
    DATE = "date"
    PERIOD = "period"
    ORDINAL = "ordinal"
    LABEL = "label"
    IDENTIFIER = "identifier"


class Bound(StrEnum):
    """How a number is bounded by the words around it."""

    EQUAL = "eq"
    APPROXIMATE = "approx"
    OVER = "gt"
    UNDER = "lt"
    AT_LEAST = "ge"
    AT_MOST = "le"
    NEAR_BELOW = "near_below"
    RANGE_LOW = "range_lo"
    RANGE_HIGH = "range_hi"


class ScaleSource(StrEnum):
    """Where the scale of a source number is stated, nearest first."""

    CELL = "cell"
    COLUMN = "column"
    ROW = "row"
    CAPTION = "caption"
    NOTE = "note"
    SECTION = "section"
    DOCUMENT = "document"
    NONE = "none"


class Basis(StrEnum):
    """The accounting basis of a figure."""

    GAAP = "GAAP"
    IFRS = "IFRS"
    NON_GAAP = "non-GAAP"


class Scenario(StrEnum):
    """Whether a figure happened, is promised or is expected."""

    ACTUAL = "actual"
    GUIDANCE = "guidance"
    CONSENSUS = "consensus"
    ESTIMATE = "estimate"


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """A closed range of days, or an instant where ``start`` is None."""

    end: date
    start: date | None = None

    @property
    def is_instant(self) -> bool:
        """Whether the period is a point in time (a balance-sheet date)."""
        return self.start is None

    @property
    def days(self) -> int:
        """Length in days, both ends counted; 0 for an instant."""
        return 0 if self.start is None else (self.end - self.start).days + 1


@dataclass(frozen=True, slots=True)
class XbrlTag:
    """The inline-XBRL reading of a printed number, where the filer tagged it."""

    concept: str
    context: str
    decimals: str
    dimensions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """One number of a source, read once at ingest and bound to its chunk.

    ``value`` is in whole units (1234 in a table "in millions" is 1234000000); ``quantum`` is the place value of
    the last printed digit in the same units, and 0 for an exact value. ``sign`` is -1 or 1 as printed or tagged
    and is already contained in ``value``. ``span`` points at the printed number in the document's cleaned text.
    ``row_path`` and ``column_path`` hold the labels from the outermost to the innermost.
    """

    chunk_id: str
    span: Span
    printed: str
    value: Decimal
    quantum: Decimal
    unit: Unit
    currency: str | None = None
    scale: int = 0
    scale_source: ScaleSource = ScaleSource.NONE
    sign: int = 1
    bound: Bound = Bound.EQUAL
    row_path: tuple[str, ...] = ()
    column_path: tuple[str, ...] = ()
    cell: str | None = None
    period: Period | None = None
    entity: str | None = None
    basis: Basis | None = None
    scenario: Scenario | None = None
    xbrl: XbrlTag | None = None
    confidence: Decimal | None = None

    def in_chunk(self, chunk_id: str, confidence: Decimal | None) -> "Evidence":
        """The same number bound to the chunk that holds it, with the confidence of its page's character recognition."""
        _, *middle, _ = _fields_of(self)
        bound: Evidence = type(self)(*(chunk_id, *middle, confidence))
        return bound

    def __reduce__(self) -> "tuple[type[Evidence], tuple[Any, ...]]":
        # Twice as fast as the default, see ``Span``.
        return Evidence, _fields_of(self)

    @property
    def evidence_id(self) -> str:
        """A stable name: the chunk and the span in it."""
        return f"{self.chunk_id}:{self.span.start}-{self.span.end}"


_fields_of: Callable[[Evidence], tuple[Any, ...]] = attrgetter(*(field.name for field in fields(Evidence)))
