"""The typed reading of one printed number in prose or on a page."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from viska_assets.model.evidence import Bound, Period, Unit
from viska_assets.model.span import Span
from viska_assets.text.numerals import last_nonzero_place
from viska_assets.text.periods import PeriodMention


class Side(StrEnum):
    """Whose text is read: a source is read with tolerance, a page without repair."""

    SOURCE = "source"
    PAGE = "page"


class Role(StrEnum):
    """What a number in text is. Only FIGURE is a quantity; the others are exempt or compared as text."""

    FIGURE = "figure"
    MULTIPLIER = "multiplier"
    FRACTION = "fraction"
    PERIOD = "period"
    NAME = "name"
    REFERENCE = "reference"
    WINDOW = "window"
    MARKER = "marker"
    LABEL = "label"
    ORDINAL = "ordinal"
    IDENTIFIER = "identifier"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as printed and as read.

    ``span`` covers the printed digits, ``extent`` also sign, currency, scale and unit. ``value`` is in whole units
    with the printed sign; ``quantum`` is the place value of the last printed digit in the same units; ``scale`` the
    power of ten applied. ``sign_explicit`` says that a minus or bracket is printed. ``direction`` is the sign that a
    word gives the figure (``fell 5 %``, ``loss of 5``), ``trend`` how a level moved (``fell to 5``).
    ``malformed`` says why the numeral cannot be read, or is empty. ``key`` is what a LABEL, ORDINAL or IDENTIFIER
    must agree with. ``noun`` is the counted thing, where one follows. ``partner`` indexes the other end of a range.
    """

    span: Span
    extent: Span
    raw: str
    value: Decimal
    quantum: Decimal
    unit: Unit
    role: Role = Role.FIGURE
    currency: str | None = None
    scale: int = 0
    scale_explicit: bool = False
    sign: int = 1
    sign_explicit: bool = False
    bound: Bound = Bound.EQUAL
    direction: int = 0
    trend: int = 0
    partner: int | None = None
    malformed: str = ""
    spelled: bool = False
    key: str = ""
    noun: str = ""
    period: PeriodMention | None = None

    @property
    def is_figure(self) -> bool:
        """Whether the number is a quantity that needs evidence."""
        return self.role in (Role.FIGURE, Role.MULTIPLIER, Role.FRACTION)

    @property
    def rough_quantum(self) -> Decimal:
        """Place value of the last non-zero printed digit, in whole units (for ``about``, ``over``, ``nearly``)."""
        return max(last_nonzero_place(self.value), self.quantum)

    @property
    def resolved_period(self) -> Period | None:
        """The period a PERIOD mention resolves to."""
        return self.period.period if self.period else None
