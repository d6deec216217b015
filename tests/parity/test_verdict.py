"""The verdict of a parity run under systems that are equal, worse, fabricating, slow, or not asked by analysts."""

from dataclasses import replace

import pytest

from bench.parity_gate import simulate
from viska_assets.parity.eval_set import SourcedBy
from viska_assets.parity.verdict import Bars, PathScore, Standing, Verdict, decide

ANALYSTS = [SourcedBy.ANALYST] * 60
SCORE = PathScore(
    scores=(2, 2, 2, 1, 0) * 12,
    claims=120,
    claims_cited=120,
    citations=130,
    citations_needed=120,
    fabrications=0,
    answered=60,
    milliseconds=((10.0, 20.0),) * 60,
)
TIMES = 200


def slower(factor: float) -> PathScore:
    return replace(SCORE, milliseconds=((10.0 * factor, 20.0 * factor),) * 60)


def test_the_same_system_passes() -> None:
    decision = decide(ANALYSTS, SCORE, SCORE)
    assert decision.verdict is Verdict.PASS
    assert [criterion.standing for criterion in decision.criteria] == [Standing.HOLDS] * 4
    assert (decision.difference, decision.interval, decision.latency_ratio) == (0.0, (0.0, 0.0), 1.0)


def test_one_fabricated_figure_fails_whatever_else_holds() -> None:
    better = replace(SCORE, scores=(2,) * 60, fabrications=1, claims_cited=119)
    decision = decide(ANALYSTS, better, SCORE)
    assert decision.verdict is Verdict.FAIL
    assert "fabricated" in decision.why


def test_one_on_a_question_that_does_not_count_fails_too() -> None:
    assert decide(ANALYSTS, SCORE, SCORE, fabricated_elsewhere=1).verdict is Verdict.FAIL
    assert decide(ANALYSTS[:3], SCORE, SCORE, fabricated_elsewhere=1).verdict is Verdict.FAIL


def test_the_baselines_fabrications_are_not_held_against_synthesis() -> None:
    assert decide(ANALYSTS, SCORE, replace(SCORE, fabrications=9, claims_cited=111)).verdict is Verdict.PASS


@pytest.mark.parametrize("who", [SourcedBy.SYNTHETIC, SourcedBy.PUBLIC_BENCHMARK])
def test_questions_that_no_analyst_asked_never_count(who: SourcedBy) -> None:
    score = replace(SCORE, scores=(2,) * 500, milliseconds=((10.0,),) * 500, answered=500)
    decision = decide([who] * 500, score, score)
    assert decision.verdict is Verdict.NOT_ELIGIBLE
    assert decision.why.startswith("0 questions by analysts, 50 are needed")


def test_how_many_analysts_are_needed_is_the_desks_to_say() -> None:
    few = Bars(min_analyst_questions=3)
    score = replace(SCORE, scores=(2,) * 3, milliseconds=((10.0,),) * 3, answered=3)
    assert decide(ANALYSTS[:3], score, score, few).verdict is Verdict.PASS
    assert decide(ANALYSTS[:2], score, score, few).verdict is Verdict.NOT_ELIGIBLE


def test_a_system_half_as_slow_again_fails_and_an_equally_fast_one_does_not() -> None:
    assert decide(ANALYSTS, slower(1.5), SCORE).verdict is Verdict.FAIL
    assert decide(ANALYSTS, slower(1.25), SCORE).verdict is Verdict.PASS
    assert decide(ANALYSTS, slower(0.5), SCORE).verdict is Verdict.PASS


def test_a_latency_that_chance_may_explain_is_inconclusive() -> None:
    spread = tuple((10.0, 10.0, 10.0 if number % 9 else 60.0) for number in range(60))
    calm = tuple((10.0, 10.0, 10.0 if number % 9 else 55.0) for number in range(1, 61))
    decision = decide(ANALYSTS, replace(SCORE, milliseconds=spread), replace(SCORE, milliseconds=calm))
    assert decision.latency_ratio < 1.25 < decision.latency_interval[1]
    assert decision.verdict is Verdict.INCONCLUSIVE


def test_too_few_right_citations_fail_even_where_no_claim_is_false() -> None:
    assert decide(ANALYSTS, replace(SCORE, claims_cited=113), SCORE).verdict is Verdict.FAIL


def test_citations_worse_than_the_baselines_fail() -> None:
    bars = Bars(min_cited=0.5)
    assert decide(ANALYSTS, replace(SCORE, claims_cited=119), SCORE, bars).verdict is Verdict.FAIL


@pytest.mark.parametrize("where", ["synthesis", "baseline", "elsewhere"])
def test_a_crash_is_never_a_pass(where: str) -> None:
    crashed = replace(SCORE, crashed=1)
    synthesis, baseline = (crashed if where == name else SCORE for name in ("synthesis", "baseline"))
    decision = decide(ANALYSTS, synthesis, baseline, crashed_elsewhere=int(where == "elsewhere"))
    assert decision.verdict is Verdict.FAIL
    assert "crashed" in decision.why


def test_a_system_that_answers_nothing_does_not_pass() -> None:
    silent = replace(SCORE, scores=(0,) * 60, claims=0, claims_cited=0, citations=0, citations_needed=0, answered=0)
    assert decide(ANALYSTS, silent, SCORE).verdict is Verdict.FAIL
    assert decide(ANALYSTS, silent, silent).verdict is Verdict.FAIL


def test_an_equal_system_is_hardly_ever_condemned() -> None:
    found = simulate("equal", TIMES)
    assert found.get("FAIL", 0) <= TIMES // 10
    assert simulate("equal_twin", TIMES) == {"PASS": TIMES}


def test_a_system_a_fifth_of_a_point_worse_never_passes() -> None:
    assert "PASS" not in simulate("worse_by_0.2", TIMES)


@pytest.mark.parametrize("system", ["one_fabrication", "slower_1.5"])
def test_what_must_always_fail_does(system: str) -> None:
    assert simulate(system, TIMES) == {"FAIL": TIMES}


def test_a_system_as_fast_fails_in_two_of_a_hundred_at_most() -> None:
    assert simulate("as_fast", TIMES).get("FAIL", 0) <= TIMES // 50
