from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.backtest.markets import market
from viska_assets.backtest.harness import LookAheadError, run_backtest, simulate
from viska_assets.backtest.metrics import metrics_of
from viska_assets.backtest.prices import Prices
from viska_assets.backtest.signals import SIGNALS, Strategy, StrategyError, chance

CALM = Strategy("equal_weight", {}, rebalance=1, cost_bps=0)


def same_bar(prices: Prices) -> pd.DataFrame:
    """All capital in the asset that rises most today: known only when the day is over."""
    return (prices.returns.rank(axis=1, ascending=False, method="first") == 1).astype(float)


def tomorrow(prices: Prices) -> pd.DataFrame:
    """All capital in the asset that will rise most tomorrow."""
    return same_bar(prices).shift(-1).fillna(0.0)


def by_hand(prices: Prices, weights: pd.DataFrame, strategy: Strategy) -> tuple[list[float], list[float]]:
    """The same in plain loops: gross returns and turnover, day by day."""
    returns, held = prices.returns.to_numpy(), [0.0] * weights.shape[1]
    gross, traded = [], []
    for day in range(len(weights)):
        gross.append(sum(w * r for w, r in zip(held, returns[day], strict=True)))
        total = 1 + gross[-1]
        held = [w * (1 + r) / total for w, r in zip(held, returns[day], strict=True)]
        decided, moved = day - (strategy.lag - 1), 0.0
        if decided >= 0 and decided % strategy.rebalance == 0:
            wanted = weights.iloc[decided].tolist()
            moved = sum(abs(a - b) for a, b in zip(wanted, held, strict=True))
            held = wanted
        traded.append(moved)
    return gross, traded


@settings(max_examples=25)
@given(st.integers(1, 3), st.integers(1, 25), st.integers(0, 50), st.integers(0, 10**6))
def test_the_harness_does_what_plain_loops_do(lag: int, rebalance: int, cost: int, seed: int) -> None:
    prices = market(60, 4, seed)
    strategy = Strategy("chance", {"seed": seed, "top": 2}, lag, rebalance, cost)
    found = run_backtest(prices, strategy)
    gross, traded = by_hand(prices, chance(prices, seed=seed, top=2), strategy)
    np.testing.assert_allclose(found.gross, gross, atol=1e-12)
    np.testing.assert_allclose(found.turnover, traded, atol=1e-12)
    np.testing.assert_allclose(found.net, np.array(gross) - np.array(traded) * cost / 10_000, atol=1e-12)


def test_a_signal_earns_its_own_day_under_no_lag() -> None:
    prices = market(500, 8)
    honest = simulate(prices, same_bar, CALM)
    cheating = (same_bar(prices) * prices.returns).sum(axis=1)
    assert metrics_of(cheating, honest.turnover).sharpe > 20
    assert abs(metrics_of(honest.net, honest.turnover).sharpe) < 3


@pytest.mark.parametrize("lag", [0, -1])
def test_a_strategy_of_the_same_bar_is_refused(lag: int) -> None:
    with pytest.raises(StrategyError, match="cannot be traded at that close"):
        replace(CALM, lag=lag)


@pytest.mark.parametrize("look", [tomorrow, lambda p: tomorrow(p).shift(-30).fillna(0.0)])
def test_a_signal_that_looks_ahead_is_refused_by_its_day(look) -> None:
    with pytest.raises(LookAheadError, match=r"the weights of \d{4}-\d\d-\d\d change with later prices"):
        simulate(market(), look, CALM)


def test_a_signal_that_uses_the_mean_of_all_days_is_refused() -> None:
    def demeaned(prices: Prices) -> pd.DataFrame:
        scores = prices.closes - prices.closes.mean()
        return (scores.rank(axis=1) == 1).astype(float)

    with pytest.raises(LookAheadError):
        simulate(market(), demeaned, CALM)


@pytest.mark.parametrize("name", sorted(SIGNALS))
def test_later_prices_change_no_earlier_position(name: str) -> None:
    prices = market()
    strategy = Strategy(name, {"seed": 3} if name == "chance" else {}, rebalance=5)
    whole = run_backtest(prices, strategy)
    other = prices.closes.copy()
    other.iloc[400:] *= np.linspace(1, 9, 200)[:, None] ** np.arange(6)
    changed = run_backtest(Prices(other), strategy)
    pd.testing.assert_frame_equal(whole.positions.iloc[:401], changed.positions.iloc[:401])
    pd.testing.assert_series_equal(whole.net.iloc[:400], changed.net.iloc[:400])


def test_costs_only_take_away() -> None:
    prices = market()
    free = run_backtest(prices, Strategy("reversal", {}, rebalance=1, cost_bps=0))
    dear = run_backtest(prices, Strategy("reversal", {}, rebalance=1, cost_bps=50))
    assert (free.net - dear.net >= 0).all()
    assert dear.equity.iloc[-1] < free.equity.iloc[-1]


def test_holding_everything_without_trading_is_the_market() -> None:
    prices = market(100, 3)
    once = run_backtest(prices, Strategy("equal_weight", {}, rebalance=1000, cost_bps=0))
    expected = (prices.closes / prices.closes.iloc[0]).mean(axis=1)
    np.testing.assert_allclose(once.equity, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (lambda p: p.returns * 0 + 1.0, "more than 1"),
        (lambda p: p.returns * 0 + np.inf, "finite"),
        (lambda p: p.returns.iloc[:-1], "every day"),
        (lambda p: p.returns[p.returns.columns[::-1]], "every day"),
    ],
)
def test_weights_that_cannot_be_held_are_refused(weights, message: str) -> None:
    with pytest.raises(StrategyError, match=message):
        simulate(market(), weights, CALM)


@pytest.mark.parametrize(
    ("signal", "parameters", "message"),
    [
        ("astrology", {}, "no signal is called 'astrology'; there are chance, equal_weight"),
        ("momentum", {"lokback": 3}, "has no parameter 'lokback'; it has lookback, skip, top"),
        ("chance", {}, "needs the parameter 'seed'"),
    ],
)
def test_a_strategy_that_is_misspelt_is_refused_with_what_there_is(
    signal: str, parameters: dict[str, int], message: str
) -> None:
    with pytest.raises(StrategyError, match=message):
        Strategy(signal, parameters)
