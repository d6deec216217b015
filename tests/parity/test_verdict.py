"""The verdict of a parity run under systems that are equal, worse, fabricating, slow, or not asked by analysts."""

import random
from dataclasses import replace

import pytest

from viska_assets.parity.eval_set import SourcedBy
from viska_assets.parity.verdict import PathScore, Verdict, decide, paired_interval, percentile

ANALYSTS = [SourcedBy.ANALYST] * 60
SCORE = PathScore(correct_mean=1.6, citation_correct=1.0, fabrications=0, answered_rate=1.0, p50_ms=10.0, p95_ms=20.0)
EVEN = [0.0] * 60


def test_an_equal_system_passes() -> None:
    assert decide(ANALYSTS, SCORE, SCORE, EVEN).verdict is Verdict.PASS


def test_one_fabricated_figure_fails_whatever_else_holds() -> None:
    decision = decide(ANALYSTS, replace(SCORE, fabrications=1), SCORE, [2.0] * 60)
    assert decision.verdict is Verdict.FAIL
    assert "fabricated" in decision.why


@pytest.mark.parametrize("who", [SourcedBy.SYNTHETIC, SourcedBy.PUBLIC_BENCHMARK])
def test_questions_that_no_analyst_asked_never_count(who: SourcedBy) -> None:
    decision = decide([who] * 500, SCORE, SCORE, [0.0] * 500)
    assert decision.verdict is Verdict.NOT_ELIGIBLE
    assert decision.why.startswith("0 questions by analysts, 50 are needed")


def test_a_system_half_as_fast_again_fails_and_an_equally_fast_one_does_not() -> None:
    assert decide(ANALYSTS, replace(SCORE, p95_ms=30.0), SCORE, EVEN).verdict is Verdict.FAIL
    assert decide(ANALYSTS, replace(SCORE, p95_ms=25.0), SCORE, EVEN).verdict is Verdict.PASS


def test_too_few_right_citations_fail() -> None:
    assert decide(ANALYSTS, replace(SCORE, citation_correct=0.94), SCORE, EVEN).verdict is Verdict.FAIL


def test_a_crashed_question_is_never_a_pass() -> None:
    assert decide(ANALYSTS, SCORE, SCORE, EVEN, crashed=1).verdict is Verdict.FAIL


def test_a_worse_system_never_passes_and_an_equal_one_is_never_condemned_often() -> None:
    rng = random.Random(3)
    worse = equal = 0
    for _ in range(60):
        drops = [rng.choice([0, 0, 0, 0, -1]) - 0.0 for _ in ANALYSTS]
        if sum(drops) < 0:
            worse += decide(ANALYSTS, SCORE, SCORE, drops).verdict is Verdict.PASS
        swaps = [rng.choice([-1, 1]) if rng.random() < 0.05 else 0.0 for _ in ANALYSTS]
        equal += sum(swaps) >= 0 and decide(ANALYSTS, SCORE, SCORE, swaps).verdict is Verdict.FAIL
    assert worse == 0
    assert equal == 0


def test_the_interval_holds_the_mean_and_is_the_same_every_time() -> None:
    differences = [1.0, 0.0, -1.0, 0.0, 1.0, 0.0]
    low, high = paired_interval(differences)
    assert low <= sum(differences) / len(differences) <= high
    assert paired_interval(differences) == (low, high)


def test_percentiles_are_interpolated() -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], 0.5) == 2.5
    assert percentile([], 0.95) == 0.0
