"""Strategies by name: each turns prices into the weights an investor would want at the close of each day."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from viska_assets.backtest.prices import Prices

Signal = Callable[[Prices], pd.DataFrame]


class StrategyError(ValueError):
    """A strategy cannot be run as it is described; the message says what to change."""


@dataclass(frozen=True)
class Strategy:
    """A strategy: its signal by name with parameters, how often it trades, and how many days after the signal.

    ``lag`` is at least 1: what is decided at a close is traded at the next one, and earns the return after that.
    """

    signal: str
    parameters: Mapping[str, Any]
    lag: int = 1
    rebalance: int = 21
    cost_bps: float = 10.0

    def __post_init__(self) -> None:
        if self.lag < 1:
            raise StrategyError(
                f"lag is {self.lag}: a signal of a day's close cannot be traded at that close; use at least 1"
            )
        if self.rebalance < 1:
            raise StrategyError(f"rebalance is {self.rebalance}: a number of trading days from 1")
        if not self.cost_bps >= 0:
            raise StrategyError(f"cost_bps is {self.cost_bps}: basis points of what is traded, 0 or more")
        signal_of(self)


def momentum(prices: Prices, *, lookback: int = 120, skip: int = 5, top: int = 10) -> pd.DataFrame:
    """Equal weights in the assets that rose most from ``lookback`` to ``skip`` days ago."""
    _positive(lookback=lookback, top=top)
    past = prices.closes.shift(skip) / prices.closes.shift(lookback) - 1
    return _best(past, top)


def reversal(prices: Prices, *, lookback: int = 5, top: int = 10) -> pd.DataFrame:
    """Equal weights in the assets that fell most over ``lookback`` days."""
    _positive(lookback=lookback, top=top)
    return _best(-(prices.closes / prices.closes.shift(lookback) - 1), top)


def low_volatility(prices: Prices, *, lookback: int = 60, top: int = 10) -> pd.DataFrame:
    """Equal weights in the assets whose daily returns varied least over ``lookback`` days."""
    _positive(lookback=lookback, top=top)
    returns = prices.closes.pct_change(fill_method=None)
    return _best(-returns.rolling(lookback).std(), top)


def equal_weight(prices: Prices) -> pd.DataFrame:
    """The same weight in every asset that has a price: what a strategy is compared with."""
    held = prices.closes.notna().astype(float)
    return held.div(held.sum(axis=1).clip(lower=1), axis=0)


def chance(prices: Prices, *, seed: int, top: int = 10) -> pd.DataFrame:
    """Equal weights in assets drawn by chance each day: what a strategy without an edge looks like."""
    _positive(top=top)
    numbers = np.random.default_rng(seed).random(prices.closes.shape)
    drawn = pd.DataFrame(numbers, index=prices.closes.index, columns=prices.closes.columns)
    return _best(drawn.where(prices.closes.notna()), top)


SIGNALS: dict[str, Callable[..., pd.DataFrame]] = {
    function.__name__: function for function in (momentum, reversal, low_volatility, equal_weight, chance)
}


def signal_of(strategy: Strategy) -> Signal:
    """The signal with its parameters bound.

    Raises:
        StrategyError: for a name or a parameter that is not known, or a missing one.
    """
    function = SIGNALS.get(strategy.signal)
    if function is None:
        raise StrategyError(f"no signal is called {strategy.signal!r}; there are {', '.join(sorted(SIGNALS))}")
    known = {name for name in inspect.signature(function).parameters if name != "prices"}
    needed = {
        name for name, p in inspect.signature(function).parameters.items() if p.default is p.empty and name != "prices"
    }
    if unknown := set(strategy.parameters) - known:
        raise StrategyError(
            f"{strategy.signal} has no parameter {sorted(unknown)[0]!r}; it has {', '.join(sorted(known))}"
        )
    if missing := needed - set(strategy.parameters):
        raise StrategyError(f"{strategy.signal} needs the parameter {sorted(missing)[0]!r}")
    return lambda prices: function(prices, **strategy.parameters)


def _best(scores: pd.DataFrame, top: int) -> pd.DataFrame:
    """Equal weights in the ``top`` assets of each day by score, equal scores in the order of the names."""
    ranks = scores.rank(axis=1, ascending=False, method="first")
    chosen = (ranks <= top).astype(float)
    return chosen.div(chosen.sum(axis=1).clip(lower=1), axis=0)


def _positive(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 1:
            raise StrategyError(f"{name} is {number}: a whole number from 1")
