"""The statistics of a verdict: percentiles, paired and clustered bootstrap, Wilson's interval, the rule of three."""

import math
from collections.abc import Sequence

import numpy as np

RESAMPLES = 2000
SEED = 20250101
CONFIDENCE = 0.95
_Z = 1.959964  # two-sided 95 % of the normal distribution


def mean(values: Sequence[float]) -> float:
    """The mean; 0 for no values."""
    return sum(values) / len(values) if values else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of the values lie, by linear interpolation; 0 for none."""
    return float(np.percentile(np.asarray(values, dtype=float), share * 100)) if values else 0.0


def paired_interval(differences: Sequence[float]) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of the mean of paired differences (Efron 1979), seed fixed."""
    if not differences:
        return (0.0, 0.0)
    rng = np.random.default_rng(SEED)
    values = np.asarray(differences, dtype=float)
    means = rng.choice(values, size=(RESAMPLES, len(values))).mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def ratio_interval(
    numerators: Sequence[Sequence[float]], denominators: Sequence[Sequence[float]], share: float
) -> tuple[float, float]:
    """The 95 % interval of the ratio of two percentiles, by a bootstrap over questions (clusters), seed fixed.

    Args:
        numerators: per question the timings of the path under test.
        denominators: per question, in the same order, the timings of the path it is held against. A question that
            one of them lacks is left out.
        share: which percentile, 0 to 1.
    """
    paired = [(above, below) for above, below in zip(numerators, denominators, strict=True) if above and below]
    if not paired:
        return (0.0, 0.0)
    repeats = min(min(len(above), len(below)) for above, below in paired)
    times = np.asarray([(above[:repeats], below[:repeats]) for above, below in paired], dtype=float)
    chosen = np.random.default_rng(SEED).integers(0, len(paired), size=(RESAMPLES // 2, len(paired)))
    # resamples by paths by all timings of the chosen questions
    drawn = times[chosen].transpose(0, 2, 1, 3).reshape(len(chosen), 2, -1)
    above, below = np.percentile(drawn, share * 100, axis=2).T
    low, high = np.percentile(above / np.maximum(below, 1e-9), [2.5, 97.5])
    return float(low), float(high)


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927); 0 to 1 for no trial."""
    if trials == 0:
        return (0.0, 1.0)
    share = successes / trials
    centre = (share + _Z**2 / (2 * trials)) / (1 + _Z**2 / trials)
    half = _Z / (1 + _Z**2 / trials) * math.sqrt(share * (1 - share) / trials + _Z**2 / (4 * trials**2))
    return (max(0.0, centre - half), min(1.0, centre + half))


def none_seen_bound(trials: int) -> float:
    """The greatest rate that is not refuted at 95 % by seeing none in so many trials: about 3 in ``trials``.

    The exact form of the rule of three (Hanley and Lippman-Hand 1983): 1 - 0.05^(1/n).
    """
    return 1.0 - math.pow(1 - CONFIDENCE, 1 / trials) if trials else 1.0


def sign_test(differences: Sequence[float]) -> float:
    """The two-sided p-value of the sign test over paired differences, those of zero left out; 1 for none."""
    better = sum(1 for difference in differences if difference > 0)
    worse = sum(1 for difference in differences if difference < 0)
    n = better + worse
    if n == 0:
        return 1.0
    tail = sum(math.comb(n, k) for k in range(min(better, worse) + 1))
    return min(1.0, 2.0 * tail / float(2**n))
