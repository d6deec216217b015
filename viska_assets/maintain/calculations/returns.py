"""The time-weighted return of a portfolio from its valuations. Pure arithmetic in ``Decimal``."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import pairwise


@dataclass(frozen=True)
class Valuation:
    """The portfolio's value on a day, before and after the money that came in or went out that day."""

    day: date
    before_flow: Decimal
    after_flow: Decimal


@dataclass(frozen=True)
class SubPeriod:
    """A stretch without flows: its first and last day, the values there, and the return as a fraction."""

    start: date
    end: date
    start_value: Decimal
    end_value: Decimal

    @property
    def rate(self) -> Decimal:
        """End over start, less one."""
        return self.end_value / self.start_value - 1


def sub_periods(valuations: Sequence[Valuation]) -> list[SubPeriod]:
    """The stretches between successive valuations, oldest first.

    Raises:
        ValueError: where the days do not ascend, or a stretch starts at a value that is not positive.
    """
    found = []
    for earlier, later in pairwise(valuations):
        if later.day <= earlier.day:
            raise ValueError(f"the valuations are not in order: {later.day} after {earlier.day}")
        if earlier.after_flow <= 0:
            raise ValueError(f"the portfolio is worth {earlier.after_flow} on {earlier.day}: no return can start there")
        found.append(SubPeriod(earlier.day, later.day, earlier.after_flow, later.before_flow))
    return found


def time_weighted_return(parts: Sequence[SubPeriod]) -> Decimal:
    """The linked return of successive stretches as a fraction: the product of (1 + rate), less one.

    So flows of money, whose time the manager does not choose, have no weight (CFA Institute, GIPS 2020, 2.A).
    """
    linked = Decimal(1)
    for part in parts:
        linked *= 1 + part.rate
    return linked - 1
