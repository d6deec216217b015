"""The portfolio's valuations from tables of positions and of closing prices."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from viska_assets.maintain.calculations.returns import Valuation


@dataclass(frozen=True)
class Snapshot:
    """The quantities held from a day on, by ticker, in one currency; ``source`` names the document."""

    day: date
    quantities: Mapping[str, Decimal]
    currency: str
    source: str


@dataclass(frozen=True)
class Close:
    """A closing price."""

    day: date
    ticker: str
    price: Decimal
    currency: str
    source: str


@dataclass(frozen=True)
class ValuedPortfolio:
    """Valuations in day order, the currency, the documents they rest on and what was left out of account."""

    valuations: tuple[Valuation, ...]
    currency: str
    sources: tuple[str, ...]
    remarks: tuple[str, ...]


class CalculationError(ValueError):
    """The documents do not suffice for the calculation; the message says what is missing."""


def value_portfolio(snapshots: Sequence[Snapshot], closes: Iterable[Close]) -> ValuedPortfolio:
    """Values the portfolio on every day on which all its positions have a close.

    A snapshot holds from its day until the next one. On a snapshot's day the portfolio is worth the old quantities
    before and the new ones after the flow, both at that day's closes.

    Raises:
        CalculationError: where there is no snapshot, more than one currency, or fewer than two days with all closes.
    """
    if not snapshots:
        raise CalculationError("no table of positions is known")
    ordered = sorted(snapshots, key=lambda s: (s.day, s.source))
    currencies = {snapshot.currency for snapshot in ordered}
    if len(currencies) != 1:
        raise CalculationError(f"positions in several currencies need exchange rates: {', '.join(sorted(currencies))}")
    currency = currencies.pop()
    prices, remarks = _agreed_prices(closes, currency)
    used: set[str] = set()
    valuations = []
    for day in sorted(prices):
        before = _holding_on(ordered, day, own_day=False)
        after = _holding_on(ordered, day, own_day=True)
        if after is None:
            continue
        start = before or after
        needed = {*start.quantities, *after.quantities}
        if needed <= prices[day].keys():
            valuations.append(Valuation(day, _worth(start, prices[day]), _worth(after, prices[day])))
            used |= {start.source, after.source, *(prices[day][ticker].source for ticker in needed)}
    if len(valuations) < 2:
        raise CalculationError("fewer than two days have a close of every position")
    return ValuedPortfolio(tuple(valuations), currency, tuple(sorted(used)), tuple(remarks))


def _holding_on(ordered: Sequence[Snapshot], day: date, *, own_day: bool) -> Snapshot | None:
    known = [snapshot for snapshot in ordered if snapshot.day < day or (own_day and snapshot.day == day)]
    return known[-1] if known else None


def _worth(snapshot: Snapshot, prices: Mapping[str, Close]) -> Decimal:
    return sum((quantity * prices[ticker].price for ticker, quantity in snapshot.quantities.items()), Decimal(0))


def _agreed_prices(closes: Iterable[Close], currency: str) -> tuple[dict[date, dict[str, Close]], list[str]]:
    """Closes by day and ticker; one that two documents state differently is left out and said so."""
    found: dict[date, dict[str, Close]] = {}
    disputed: set[tuple[date, str]] = set()
    for close in sorted(closes, key=lambda c: (c.day, c.ticker, c.source)):
        if close.currency not in (currency, ""):
            continue
        held = found.setdefault(close.day, {}).setdefault(close.ticker, close)
        if held.price != close.price:
            disputed.add((close.day, close.ticker))
    for day, ticker in disputed:
        del found[day][ticker]
    return found, [f"{ticker} has several closes on {day.isoformat()}" for day, ticker in sorted(disputed)]
