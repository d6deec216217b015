"""Whole runs over systems whose answers are known: what counts, what fails, and what the report says."""

import json
from datetime import UTC, datetime

import pytest

from tests.parity.desk import Chunks, invented, money, question, right
from viska_assets.parity.comparing import compare_runs
from viska_assets.parity.eval_set import Question, SourcedBy
from viska_assets.parity.report import answers_of, summary_of
from viska_assets.parity.run import Effort, ParityRun, run_parity
from viska_assets.parity.verdict import Bars, Verdict
from viska_assets.query.answers import Answer
from viska_assets.store.parity_rows import StoredRun

FEW = Bars(min_analyst_questions=5, most_latency=1000.0)
EFFORT = Effort(repeats=2, least_timings=1)
ANALYSTS = [question(number) for number in range(1, 8)]


def run(synthesis, baseline=lambda _: right(), questions: list[Question] = ANALYSTS) -> ParityRun:
    systems = {"synthesis": synthesis, "baseline": baseline}
    return run_parity(systems, questions, Chunks(), bars=FEW, effort=EFFORT)


def only(number: int, special: Answer):
    return lambda asking: special if asking.id == f"q{number}" else right()


def test_two_right_systems_pass() -> None:
    done = run(lambda _: right())
    assert done.decision.verdict is Verdict.PASS
    assert summary_of(done)["synthesis"]["correct_mean"] == 2.0


def test_one_invented_figure_in_one_answer_fails() -> None:
    assert run(only(3, invented())).decision.verdict is Verdict.FAIL


def test_one_invented_figure_on_a_synthetic_question_fails_too() -> None:
    questions = [*ANALYSTS, question(9, who=SourcedBy.SYNTHETIC)]
    done = run(only(9, invented()), questions=questions)
    assert len(done.counted) == 7
    assert done.decision.verdict is Verdict.FAIL


def test_a_crash_counts_as_wrong_and_is_never_a_pass() -> None:
    def crashing(asking: Question) -> Answer:
        if asking.id == "q2":
            raise RuntimeError("boom")
        return right()

    done = run(crashing)
    assert done.decision.verdict is Verdict.FAIL
    assert done.scores["synthesis"].scores == (2, 0, 2, 2, 2, 2, 2)
    assert answers_of(done)[1]["synthesis"]["crash"] == "RuntimeError: boom"


def test_synthetic_questions_neither_make_eligible_nor_change_the_figures() -> None:
    wrong = [question(number, money("1"), SourcedBy.SYNTHETIC) for number in range(20, 60)]
    assert run(lambda _: right(), questions=[*ANALYSTS, *wrong]).scores["synthesis"].correct_mean == 2.0
    done = run(lambda _: right(), questions=[*ANALYSTS[:4], *wrong])
    assert done.decision.verdict is Verdict.NOT_ELIGIBLE
    assert len(done.counted) == 44, "the run is shown all the same"


def test_a_run_that_can_count_has_the_timings_it_needs() -> None:
    assert Effort(5, 500).repeats_for(60, counted=True) == 9
    assert Effort(5, 500).repeats_for(60, counted=False) == 5
    assert Effort(5, 500).repeats_for(1000, counted=True) == 5


def test_a_run_without_questions_says_so() -> None:
    with pytest.raises(ValueError, match="needs a question"):
        run(lambda _: right(), questions=[])


def test_the_report_is_json_and_says_what_the_mix_lacks() -> None:
    summary = summary_of(run(lambda _: right()))
    assert json.loads(json.dumps(summary)) == summary
    assert summary["remarks"][0].startswith("the mix is synthesis 100%")
    assert set(summary["by_shape"]) == {"synthesis"}
    assert set(summary["by_answer_type"]) == {"number, money"}
    assert len(summary["synthesis"]["ecdf_ms"]) == 101


def test_two_runs_are_compared_by_question() -> None:
    def stored(number: int, done: ParityRun) -> StoredRun:
        summary = summary_of(done)
        when = datetime(2025, 1, number, tzinfo=UTC)
        return StoredRun(number, f"e{number}", "c", "set", str(summary["verdict"]), when, summary, answers_of(done))

    compared = compare_runs(stored(1, run(lambda _: right())), stored(2, run(only(3, Answer(reason="none fits")))))
    assert [(each.question, each.path, each.before, each.after) for each in compared.changed] == [
        ("q3", "synthesis", 2, 0)
    ]
    assert "engine e1 before, e2 after" in compared.remarks
    line = next(line for line in compared.figures if (line.path, line.figure) == ("synthesis", "correct_mean"))
    assert (line.before, line.after) == (2.0, pytest.approx(12 / 7, abs=1e-3))
