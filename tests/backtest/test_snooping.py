import numpy as np
import pytest

from viska_assets.backtest.snooping import (
    Moments,
    deflated_sharpe,
    expected_best,
    moments_of,
    probabilistic_sharpe,
    probability_of_overfitting,
)
from viska_assets.backtest.trials import Outcome, Trial, snooping_of


def noise(count: int = 100, days: int = 2520, seed: int = 11) -> list[np.ndarray]:
    return list(np.random.default_rng(seed).normal(0, 0.01, (count, days)))


def test_the_published_example_is_reproduced() -> None:
    """Bailey and López de Prado (2014): 100 tries, five years of days, Sharpe 2.5 a year, skewness -3, kurtosis 10."""
    variance = 0.5 / 250
    found = Moments(1250, 2.5 / np.sqrt(250), -3.0, 10.0)
    assert expected_best(100, variance) == pytest.approx(0.1132, abs=5e-5)
    assert deflated_sharpe(found, 100, variance) == pytest.approx(0.9004, abs=5e-5)


def test_the_best_of_a_hundred_without_an_edge_looks_good_until_it_is_deflated() -> None:
    series = noise()
    best = max(series, key=lambda returns: moments_of(returns).sharpe)
    variance = float(np.var([moments_of(returns).sharpe for returns in series], ddof=1))
    assert probabilistic_sharpe(moments_of(best)) > 0.95
    assert deflated_sharpe(moments_of(best), 100, variance) < 0.9
    assert probability_of_overfitting(series) > 0.3


def test_a_real_edge_among_them_survives() -> None:
    series = noise()
    real = series[40] + 0.0015
    series[40] = real
    variance = float(np.var([moments_of(returns).sharpe for returns in series], ddof=1))
    assert deflated_sharpe(moments_of(real), 100, variance) > 0.95
    assert probability_of_overfitting(series) < 0.1


def test_more_tries_never_make_a_result_better() -> None:
    found = moments_of(np.random.default_rng(2).normal(0.001, 0.01, 1000))
    chances = [deflated_sharpe(found, tries, 0.001) for tries in (1, 2, 5, 20, 100, 1000)]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] == pytest.approx(probabilistic_sharpe(found))


def test_overfitting_by_hand_on_a_small_table() -> None:
    """Two strategies, each good in one half of the days: whichever was best before is worse after."""
    rng = np.random.default_rng(0)
    wave = np.repeat([1.0, -1.0], 50) * 0.01
    a, b = wave + rng.normal(0, 1e-4, 100), -wave + rng.normal(0, 1e-4, 100)
    assert probability_of_overfitting([a, b], parts=2) == 1.0


@pytest.mark.parametrize(("count", "parts"), [(1, 10), (3, 5), (3, 0)])
def test_too_little_to_compare_is_refused(count: int, parts: int) -> None:
    with pytest.raises(ValueError, match="two strategies and an even number"):
        probability_of_overfitting(noise(count, 100), parts)
    with pytest.raises(ValueError, match="too few"):
        probability_of_overfitting(noise(3, 12), 10)


def test_failed_tries_count_and_repeated_ones_do_not() -> None:
    returns = np.random.default_rng(3).normal(0.001, 0.01, 500)
    done = Trial("f", "a", "d", Outcome.COMPLETED, returns)
    other = Trial("f", "b", "d", Outcome.COMPLETED, -returns)
    failed = [Trial("f", f"x{at}", "d", Outcome.FAILED) for at in range(20)]
    once = snooping_of(returns, [done, other])
    assert snooping_of(returns, [done, done, other, done]) == once
    with_failures = snooping_of(returns, [done, other, *failed])
    assert with_failures.trials == 22
    assert with_failures.deflated_sharpe < 1
    assert snooping_of(returns, [done]).overfitting is None
