"""How far a good result may be the best of many tries: probabilistic and deflated Sharpe ratio, and PBO."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import e, sqrt
from statistics import NormalDist

import numpy as np

EULER = 0.5772156649015329
PARTS = 10
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Moments:
    """The moments of daily returns that the Sharpe ratio's error depends on; ``kurtosis`` is 3 for normal returns."""

    days: int
    sharpe: float
    skewness: float
    kurtosis: float


def moments_of(returns: np.ndarray) -> Moments:
    """The moments of returns; a series that does not vary has a Sharpe ratio of 0."""
    deviation = float(returns.std(ddof=1)) if len(returns) > 1 else 0.0
    if deviation <= 1e-15:
        return Moments(len(returns), 0.0, 0.0, 3.0)
    z = (returns - returns.mean()) / returns.std(ddof=0)
    return Moments(len(returns), float(returns.mean()) / deviation, float((z**3).mean()), float((z**4).mean()))


def probabilistic_sharpe(found: Moments, benchmark: float = 0.0) -> float:
    """The probability that the true Sharpe ratio (a day) is above a benchmark (Bailey and López de Prado 2012)."""
    if found.days < 2:
        return 0.0
    variance = 1 - found.skewness * found.sharpe + (found.kurtosis - 1) / 4 * found.sharpe**2
    return _NORMAL.cdf((found.sharpe - benchmark) * sqrt(found.days - 1) / sqrt(max(variance, 1e-12)))


def expected_best(trials: int, variance: float) -> float:
    """The Sharpe ratio (a day) that the best of so many tries without an edge is expected to show.

    Args:
        trials: how many independent tries; of one nothing is expected.
        variance: of the tries' Sharpe ratios (a day).

    Source: Bailey and López de Prado, The Deflated Sharpe Ratio (2014), eq. 4 (the false strategy theorem).
    """
    if trials < 2:
        return 0.0
    high, higher = _NORMAL.inv_cdf(1 - 1 / trials), _NORMAL.inv_cdf(1 - 1 / (trials * e))
    return sqrt(variance) * ((1 - EULER) * high + EULER * higher)


def deflated_sharpe(found: Moments, trials: int, variance: float) -> float:
    """The probability that a strategy has an edge, given that it is the best of so many tries (2014)."""
    return probabilistic_sharpe(found, expected_best(trials, variance))


def probability_of_overfitting(returns: Sequence[np.ndarray], parts: int = PARTS) -> float:
    """How often the strategy that was best in one half of the days is below the median in the other (CSCV).

    Args:
        returns: the daily returns of every strategy tried, equally long; at least two.
        parts: an even number of pieces that the days are cut into; every choice of half of them is one test.

    Returns:
        PBO between 0 and 1, near 1/2 where nothing has an edge.

    Source: Bailey, Borwein, López de Prado and Zhu, The Probability of Backtest Overfitting (2017).
    """
    if len(returns) < 2 or parts < 2 or parts % 2:
        raise ValueError("the probability of overfitting needs two strategies and an even number of parts")
    table = np.column_stack(returns)
    pieces = np.array_split(table, parts)
    if min(map(len, pieces)) < 2:
        raise ValueError(f"{len(table)} days are too few for {parts} parts")
    sums = np.stack([piece.sum(axis=0) for piece in pieces])
    squares = np.stack([(piece**2).sum(axis=0) for piece in pieces])
    sizes = np.array([len(piece) for piece in pieces])
    below = 0
    tests = list(combinations(range(parts), parts // 2))
    for chosen in tests:
        inside = np.zeros(parts, bool)
        inside[list(chosen)] = True
        best = int(np.argmax(_sharpes(sums[inside], squares[inside], sizes[inside])))
        outside = _sharpes(sums[~inside], squares[~inside], sizes[~inside])
        # The relative rank of the chosen one among all, ties counted half.
        rank = (outside < outside[best]).sum() + ((outside == outside[best]).sum() + 1) / 2
        below += rank / (len(outside) + 1) <= 0.5
    return below / len(tests)


def _sharpes(sums: np.ndarray, squares: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The Sharpe ratios of all strategies over some pieces, from the pieces' sums."""
    days = sizes.sum()
    mean = sums.sum(axis=0) / days
    variance = np.maximum(squares.sum(axis=0) / days - mean**2, 0) * days / (days - 1)
    deviation = np.sqrt(variance)
    sharpes: np.ndarray = np.divide(mean, deviation, out=np.zeros_like(mean), where=deviation > 1e-15)
    return sharpes
