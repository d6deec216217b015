"""Measures backtests: speed, what snooping guards let through, look-ahead, and the same result twice.

Run as ``python bench/backtest.py [--years 10] [--assets 50] [--strategies 100] [--prices FOLDER]``. Markets are random
walks of a fixed seed; with a folder of real prices the strategies are run on those as well. Times are CPU seconds.
"""

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.backtest.markets import MemoryLedger
from viska_assets.backtest.evaluation import BacktestPolicy, evaluate
from viska_assets.backtest.harness import LookAheadError, run_backtest, simulate
from viska_assets.backtest.manifest import differences, manifest_of
from viska_assets.backtest.metrics import metrics_of
from viska_assets.backtest.prices import Prices, prices_in
from viska_assets.backtest.signals import Strategy, StrategyError
from viska_assets.backtest.snooping import moments_of, probabilistic_sharpe
from viska_assets.maintain.engine_version import engine_version

SEED = 20_261_201


def market(years: int, assets: int, *, persistent: bool) -> Prices:
    """Random walks of 1 % a day; in a persistent one every asset keeps a drift of its own for a year."""
    days = years * 252
    rng = np.random.default_rng(SEED)
    drift = rng.normal(0, 0.0012 if persistent else 0.0, (years + 1, assets))
    steps = np.repeat(drift, 252, axis=0)[:days] + rng.normal(0, 0.01, (days, assets))
    names = [f"A{at:03d}" for at in range(assets)]
    index = pd.bdate_range("2010-01-04", periods=days)
    return Prices(pd.DataFrame(100 * np.exp(np.cumsum(steps, axis=0)), index=index, columns=names))


def same_bar(prices: Prices) -> pd.DataFrame:
    return (prices.returns.rank(axis=1, ascending=False, method="first") == 1).astype(float)


def tomorrow(prices: Prices) -> pd.DataFrame:
    return same_bar(prices).shift(-1).fillna(0.0)


def speed(prices: Prices) -> dict[str, float]:
    found = {}
    for name in ("momentum", "reversal", "low_volatility", "equal_weight"):
        strategy = Strategy(name, {}, rebalance=21)
        run_backtest(prices, strategy)
        started = time.process_time()
        run_backtest(prices, strategy)
        found[name] = round(time.process_time() - started, 3)
    return found


def snooping(prices: Prices, strategies: int) -> dict[str, Any]:
    """The best of many strategies by chance beside one with an edge, judged in the same family."""
    ledger, policy = MemoryLedger(), BacktestPolicy()
    tried = [
        evaluate(prices, Strategy("chance", {"seed": seed}, rebalance=5, cost_bps=0), "bench", ledger, policy)
        for seed in range(strategies)
    ]
    best = max(tried, key=lambda found: found.metrics.sharpe)
    started = time.process_time()
    judged = evaluate(prices, Strategy(**best.manifest.strategy), "bench", ledger, policy)
    seconds = time.process_time() - started
    real = evaluate(prices, Strategy("momentum", {"lookback": 60, "skip": 1}, rebalance=5), "bench", ledger, policy)

    def told(found: Any) -> dict[str, Any]:
        return {
            "accepted": found.accepted,
            "sharpe": round(found.metrics.sharpe, 3),
            "naive_probability": round(probabilistic_sharpe(moments_of(found.result.net.to_numpy())), 4),
            "deflated": round(found.snooping.deflated_sharpe, 4),
            "overfitting": round(found.snooping.overfitting or 0.0, 4),
            "tries": found.snooping.trials,
            "reasons": list(found.reasons),
        }

    return {"best_by_chance": told(judged), "real_edge": told(real), "judging_cpu_s": round(seconds, 3)}


def look_ahead(prices: Prices) -> dict[str, Any]:
    calm = Strategy("equal_weight", {}, rebalance=1, cost_bps=0)
    lagged = simulate(prices, same_bar, calm)
    cheating = (same_bar(prices) * prices.returns).sum(axis=1)

    def refused(run: Any) -> bool:
        try:
            run()
        except (LookAheadError, StrategyError):
            return True
        return False

    half = len(prices.closes) // 2
    other = prices.closes.copy()
    other.iloc[half:] *= np.linspace(1, 5, len(other) - half)[:, None]
    strategy = Strategy("momentum", {})
    before, after = run_backtest(prices, strategy), run_backtest(Prices(other), strategy)
    return {
        "same_bar_refused": refused(lambda: Strategy("momentum", {}, lag=0)),
        "tomorrow_refused": refused(lambda: simulate(prices, tomorrow, calm)),
        "same_bar_sharpe": round(metrics_of(cheating, lagged.turnover).sharpe, 2),
        "lagged_sharpe": round(metrics_of(lagged.net, lagged.turnover).sharpe, 2),
        "future_changes_no_position": bool(
            np.array_equal(before.positions.iloc[: half + 1], after.positions.iloc[: half + 1])
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--years", type=int, default=10)
    parser.add_argument("--assets", type=int, default=50)
    parser.add_argument("--strategies", type=int, default=100)
    parser.add_argument("--prices", type=Path, help="a folder of CSV files with Date and Adj Close")
    arguments = parser.parse_args()
    prices = market(arguments.years, arguments.assets, persistent=True)
    strategy = Strategy("momentum", {})
    manifest = manifest_of(prices, strategy, run_backtest(prices, strategy))
    result: dict[str, Any] = {
        "n": {"days": len(prices.closes), "assets": arguments.assets, "strategies": arguments.strategies},
        "cpu_s": speed(prices),
        "snooping": snooping(prices, arguments.strategies),
        "look_ahead": look_ahead(prices),
        "rerun_hash_equal": differences(manifest, prices) == (),
        "engine_version": engine_version("none"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load_average": round(os.getloadavg()[0], 2),
    }
    if arguments.prices:
        real = prices_in(arguments.prices)
        runs = {name: run_backtest(real, Strategy(name, {})) for name in ("momentum", "reversal", "equal_weight")}
        result["real_prices"] = {
            "assets": real.closes.shape[1],
            "days": len(real.closes),
            "sharpe": {name: round(metrics_of(r.net, r.turnover).sharpe, 3) for name, r in runs.items()},
        }
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
