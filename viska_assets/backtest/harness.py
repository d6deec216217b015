"""The harness: weights become positions a day later at the earliest, positions earn returns, trades cost."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from viska_assets.backtest.prices import Prices
from viska_assets.backtest.signals import Signal, Strategy, StrategyError, signal_of

CHECKED_DAYS = 5
_PERTURB_SEED = 20261201


class LookAheadError(StrategyError):
    """A signal uses what was not known on its day."""


@dataclass(frozen=True)
class Backtest:
    """What a strategy did: positions held over each day (rows) in each asset, what was traded, and what it earned.

    ``net`` is ``gross`` less costs, each a simple return a day. ``turnover`` is the sum of absolute changes of weight.
    """

    positions: pd.DataFrame
    gross: pd.Series
    net: pd.Series
    turnover: pd.Series

    @property
    def equity(self) -> pd.Series:
        """The value of 1 invested before the first day."""
        return (1 + self.net).cumprod()


def run_backtest(prices: Prices, strategy: Strategy) -> Backtest:
    """Runs a strategy over prices.

    The weights wanted at a day's close are traded ``lag`` closes later and earn from there on, so no return can be
    earned that the signal has seen. Between rebalancings positions drift with prices.

    Raises:
        StrategyError: for weights that are no numbers, or that borrow (sum of absolute weights above 1).
        LookAheadError: where the signal of a day changes with later prices.
    """
    return simulate(prices, signal_of(strategy), strategy)


def simulate(prices: Prices, signal: Signal, strategy: Strategy) -> Backtest:
    """As ``run_backtest``, for a signal that is given as a function."""
    wanted = _weights(signal, prices)
    check_no_look_ahead(prices, signal, wanted)
    returns = prices.returns.to_numpy()
    targets = wanted.to_numpy()
    days, assets = targets.shape
    held = np.zeros(assets)
    positions, turnover = np.zeros_like(targets), np.zeros(days)
    for day in range(days):
        if day:
            grown = held * (1 + returns[day])
            total = 1 + float(held @ returns[day])
            held = grown / total if total > 0 else np.zeros(assets)
        decided = day - strategy.lag + 1
        if decided >= 0 and decided % strategy.rebalance == 0:
            turnover[day] = float(np.abs(targets[decided] - held).sum())
            held = targets[decided].copy()
        positions[day] = held
    # What is held after a close earns the next day's return: row t of `earned` is held from the close of t - 1.
    earned = np.vstack([np.zeros(assets), positions[:-1]])
    gross = pd.Series((earned * returns).sum(axis=1), index=wanted.index)
    traded = pd.Series(turnover, index=wanted.index)
    net = gross - traded * strategy.cost_bps / 10_000
    frame = pd.DataFrame(earned, index=wanted.index, columns=wanted.columns)
    return Backtest(frame, gross, net, traded)


def check_no_look_ahead(prices: Prices, signal: Signal, weights: pd.DataFrame) -> None:
    """Changes all prices after a day and computes the signal again: the weights up to that day may not change.

    Raises:
        LookAheadError: naming the first day on which they do.
    """
    days = len(prices.closes)
    rng = np.random.default_rng(_PERTURB_SEED)
    for at in sorted({days * part // (CHECKED_DAYS + 1) for part in range(1, CHECKED_DAYS + 1)}):
        if not 0 < at < days:
            continue
        other = prices.closes.copy()
        other.iloc[at:] = other.iloc[at:].to_numpy() * np.exp(rng.normal(0, 0.2, other.iloc[at:].shape))
        again = _weights(signal, Prices(other))
        changed = ~np.isclose(again.iloc[:at].to_numpy(), weights.iloc[:at].to_numpy(), rtol=1e-9, atol=1e-12)
        if changed.any():
            day = weights.index[int(np.argwhere(changed.any(axis=1))[0][0])].date()
            raise LookAheadError(f"the weights of {day} change with later prices: the signal looks ahead")


def _weights(signal: Signal, prices: Prices) -> pd.DataFrame:
    found = signal(prices)
    if list(found.index) != list(prices.closes.index) or list(found.columns) != list(prices.closes.columns):
        raise StrategyError("a signal gives a weight for every day and asset of the prices, in their order")
    weights = found.fillna(0.0)
    if not np.isfinite(weights.to_numpy()).all():
        raise StrategyError("a weight is not a finite number")
    if float(weights.abs().sum(axis=1).max()) > 1 + 1e-9:
        raise StrategyError("the absolute weights of a day sum to more than 1: the harness does not borrow")
    return weights
