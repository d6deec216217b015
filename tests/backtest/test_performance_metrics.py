"""Metrics against definitions written out by hand."""

from itertools import accumulate
from math import sqrt
from operator import mul
from statistics import fmean, stdev

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viska_assets.backtest.metrics import metrics_of

RETURNS = st.lists(st.floats(-0.2, 0.2), min_size=5, max_size=80)


def measured(returns: list[float]):
    net = pd.Series(returns, index=pd.bdate_range("2020-01-01", periods=len(returns)))
    return metrics_of(net, net.abs())


@given(RETURNS)
def test_metrics_are_what_their_definitions_say(returns: list[float]) -> None:
    found = measured(returns)
    equity = list(accumulate((1 + r for r in returns), mul))
    assert found.total_return == pytest.approx(equity[-1] - 1)
    assert found.volatility == pytest.approx(stdev(returns) * sqrt(252), abs=1e-9)
    if stdev(returns) > 1e-9:
        assert found.sharpe == pytest.approx(fmean(returns) / stdev(returns) * sqrt(252))
    losses = sqrt(fmean([min(r, 0.0) ** 2 for r in returns]))
    if losses > 1e-9:
        assert found.sortino == pytest.approx(fmean(returns) / losses * sqrt(252))
    tops = list(accumulate([1.0, *equity], max))[1:]
    assert found.max_drawdown == pytest.approx(min(e / t - 1 for e, t in zip(equity, tops, strict=True)))
    assert found.hit_rate == pytest.approx(sum(r > 0 for r in returns) / len(returns))
    assert found.cvar_95 <= found.var_95 + 1e-12


def test_known_figures() -> None:
    found = measured([0.10, -0.50, 0.20, 0.0, 0.30])
    assert found.max_drawdown == pytest.approx(-0.5)
    assert found.total_return == pytest.approx(1.1 * 0.5 * 1.2 * 1.3 - 1)
    assert found.var_95 == pytest.approx(np.quantile([0.10, -0.50, 0.20, 0.0, 0.30], 0.05))
    assert found.annual_turnover == pytest.approx(1.1 / 5 * 252)


def test_a_loss_of_everything_and_a_flat_line_have_figures() -> None:
    assert measured([0.0, -1.0, 0.0]).annual_return == -1.0
    flat = measured([0.0] * 10)
    assert (flat.sharpe, flat.sortino, flat.volatility, flat.max_drawdown) == (0, 0, 0, 0)


def test_a_first_loss_counts_as_drawdown_from_the_capital_put_in() -> None:
    assert measured([-0.25, 0.1, 0.1]).max_drawdown == pytest.approx(-0.25)
