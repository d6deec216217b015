"""Whether a printed figure and a source number say the same: rounding intervals, bounds and units.

The interval is XBRL Calculations 1.1's closed ``[v - q/2, v + q/2]``; signs are judged elsewhere.
"""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from viska_assets.model.evidence import Bound, Unit


class Fit(StrEnum):
    """How a figure fits a source number."""

    EXACT = "exact"
    FALSE_PRECISION = "false_precision"
    ROUNDED = "rounded"
    BOUND_DROPPED = "bound_dropped"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Magnitude:
    """A number without sign: ``rough`` is the place value of its last non-zero printed digit."""

    value: Decimal
    quantum: Decimal
    rough: Decimal
    bound: Bound = Bound.EQUAL


_RANGE = (Bound.RANGE_LOW, Bound.RANGE_HIGH)
_LOWER = (Bound.AT_LEAST, Bound.OVER)
_UPPER = (Bound.AT_MOST, Bound.UNDER, Bound.NEAR_BELOW)


def fit(page: Magnitude, source: Magnitude) -> Fit:
    """How the page's number fits the source's, both in whole units and without sign."""
    if page.bound in _RANGE or source.bound in _RANGE:
        return _fit_range(page, source)
    if page.bound is Bound.EQUAL or page.bound is source.bound:
        found = _fit_plain(page, source)
        if found is not Fit.NONE and page.bound is Bound.EQUAL and source.bound is not Bound.EQUAL:
            return Fit.BOUND_DROPPED
        return found
    return _fit_bounded(page, source)


def _fit_plain(page: Magnitude, source: Magnitude) -> Fit:
    if page.value == source.value:
        return Fit.FALSE_PRECISION if page.quantum < source.quantum else Fit.EXACT
    if source.quantum <= page.quantum and abs(page.value - source.value) * 2 <= page.quantum:
        return Fit.ROUNDED
    return Fit.NONE


def _fit_bounded(page: Magnitude, source: Magnitude) -> Fit:
    gap = source.value - page.value
    match page.bound:
        case Bound.APPROXIMATE:
            near = source.quantum <= page.rough and abs(gap) * 2 <= page.rough
            return Fit.ROUNDED if near or not gap else Fit.NONE
        case Bound.OVER:
            return Fit.ROUNDED if 0 < gap <= page.rough else Fit.NONE
        case Bound.NEAR_BELOW | Bound.UNDER:
            return Fit.ROUNDED if 0 < -gap <= page.rough else Fit.NONE
        case _:
            return Fit.EXACT if not gap else Fit.NONE


def _fit_range(page: Magnitude, source: Magnitude) -> Fit:
    """Range ends match like ends; a stated bound may cite the end of a range, a plain number may not."""
    same = page.bound is source.bound
    lower = source.bound is Bound.RANGE_LOW and page.bound in _LOWER
    upper = source.bound is Bound.RANGE_HIGH and page.bound in _UPPER
    if same or lower or upper:
        return _fit_plain(page, source)
    return Fit.NONE


def is_scale_slip(page: Decimal, source: Decimal, quantum: Decimal) -> bool:
    """Whether two magnitudes agree only after a shift by a power of a thousand."""
    if not page or not source:
        return False
    return any(abs(page - source.scaleb(shift)) * 2 <= quantum for shift in (-12, -9, -6, -3, 3, 6, 9, 12))


_POINTS = frozenset({Unit.PERCENTAGE_POINT, Unit.BASIS_POINT})


def converted(value: Decimal, unit: Unit, target: Unit) -> Decimal | None:
    """A value in another unit where the conversion is free (points and basis points), else None."""
    if unit is target:
        return value
    if unit in _POINTS and target in _POINTS:
        return value * 100 if target is Unit.BASIS_POINT else value / 100
    return None


def units_fit(page: Unit, source: Unit, *, page_bare: bool, source_bare: bool, per_share: bool, ratio: bool) -> bool:
    """Whether a page unit may cite a source unit.

    Args:
        page: Unit printed on the page.
        source: Unit of the evidence.
        page_bare: The page prints neither a unit nor a counted noun.
        source_bare: The source prints neither.
        per_share: The sentence speaks of a share (``EPS``, ``per share``, ``dividend``, ``price``).
        ratio: The source's label announces a ratio.
    """
    if page is source or (page in _POINTS and source in _POINTS):
        return True
    pair = frozenset({page, source})
    if pair == {Unit.MONEY, Unit.PER_SHARE}:
        return per_share
    if pair == {Unit.COUNT, Unit.RATIO}:
        return ratio or (page_bare and source_bare)
    if page is Unit.COUNT and source in (Unit.MONEY, Unit.PER_SHARE, Unit.SHARES):
        return page_bare or source is Unit.SHARES
    if source is Unit.COUNT and page in (Unit.MONEY, Unit.PER_SHARE, Unit.SHARES):
        return source_bare or page is Unit.SHARES
    return False
