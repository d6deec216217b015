"""Markets made by chance, and a ledger in memory, for tests of backtests."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from viska_assets.backtest.prices import Prices
from viska_assets.backtest.trials import Trial


def market(days: int = 600, assets: int = 6, seed: int = 1, drift: float = 0.0) -> Prices:
    """Geometric random walks: ``drift`` a day, 1 % of daily noise."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(drift, 0.01, (days, assets))
    names = [f"A{at:02d}" for at in range(assets)]
    index = pd.bdate_range("2014-01-01", periods=days)
    return Prices(pd.DataFrame(100 * np.exp(np.cumsum(steps, axis=0)), index=index, columns=names))


def trending_market(days: int = 2520, assets: int = 20, seed: int = 5) -> Prices:
    """A market in which momentum has an edge: assets keep a drift of their own for a year or so."""
    rng = np.random.default_rng(seed)
    drifts = np.repeat(rng.normal(0, 0.0012, (days // 252 + 1, assets)), 252, axis=0)[:days]
    names = [f"A{at:02d}" for at in range(assets)]
    index = pd.bdate_range("2010-01-01", periods=days)
    steps = drifts + rng.normal(0, 0.01, (days, assets))
    return Prices(pd.DataFrame(100 * np.exp(np.cumsum(steps, axis=0)), index=index, columns=names))


class MemoryLedger:
    """A ledger that lives as long as a test."""

    def __init__(self) -> None:
        self.rows: list[Trial] = []

    def record(self, trial: Trial) -> None:
        self.rows.append(trial)

    def trials(self, family: str) -> Sequence[Trial]:
        return [trial for trial in self.rows if trial.family == family]


class MemoryRegister:
    """A holdout register that lives as long as a test."""

    def __init__(self) -> None:
        self.reads: set[tuple[str, str]] = set()

    def read_once(self, strategy_sha256: str, data_sha256: str) -> bool:
        key = (strategy_sha256, data_sha256)
        fresh = key not in self.reads
        self.reads.add(key)
        return fresh
