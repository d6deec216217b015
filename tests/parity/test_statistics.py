"""The statistics of a verdict, against published values, an oracle, and properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viska_assets.parity.statistics import (
    mean,
    none_seen_bound,
    paired_interval,
    percentile,
    ratio_interval,
    sign_test,
    wilson_interval,
)

TIMINGS = st.lists(st.floats(0.1, 1e4), min_size=1, max_size=60)


def test_percentiles_are_interpolated_and_nothing_gives_nothing() -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], 0.5) == 2.5
    assert percentile([], 0.95) == 0.0
    assert mean([]) == 0.0


def test_the_rule_of_three() -> None:
    assert [round(none_seen_bound(n), 4) for n in (50, 100, 300, 1000)] == [0.0582, 0.0295, 0.0099, 0.003]
    assert none_seen_bound(0) == 1.0


def test_wilson_as_published() -> None:
    # Newcombe 1998, Statistics in Medicine 17, table I, method 3
    for successes, trials, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)):
        assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_the_sign_test_counts_only_what_differs() -> None:
    assert sign_test([1, 1, 1, 1, 1, 0, 0, 0]) == pytest.approx(2 / 2**5)
    assert sign_test([0, 0]) == sign_test([]) == 1.0
    assert sign_test([1, -1]) == 1.0


@given(st.lists(st.sampled_from([-2.0, -1.0, 0.0, 1.0, 2.0]), min_size=1, max_size=80))
def test_the_paired_interval_holds_the_mean_and_is_the_same_every_time(differences: list[float]) -> None:
    low, high = paired_interval(differences)
    assert min(differences) <= low <= high <= max(differences)
    assert low - 1e-9 <= mean(differences) <= high + 1e-9 or len(differences) < 5
    assert paired_interval(differences) == (low, high)


@given(TIMINGS, st.floats(0.2, 5.0))
def test_a_path_that_is_always_so_many_times_slower_has_that_ratio(times: list[float], factor: float) -> None:
    below = [[time, time * 1.1] for time in times]
    above = [[time * factor for time in row] for row in below]
    assert ratio_interval(above, below, 0.95) == pytest.approx((factor, factor))


def test_a_question_that_one_path_lacks_is_left_out() -> None:
    assert ratio_interval([[2.0], []], [[1.0], [1.0]], 0.95) == pytest.approx((2.0, 2.0))
    assert ratio_interval([[]], [[1.0]], 0.95) == (0.0, 0.0)


def test_the_ratio_interval_widens_with_noise() -> None:
    rng = np.random.default_rng(1)
    quiet = [list(row) for row in np.exp(rng.normal(0, 0.05, (50, 5)))]
    loud = [list(row) for row in np.exp(rng.normal(0, 0.8, (50, 5)))]
    narrow, wide = ratio_interval(quiet, quiet[::-1], 0.95), ratio_interval(loud, loud[::-1], 0.95)
    assert narrow[1] - narrow[0] < wide[1] - wide[0]
