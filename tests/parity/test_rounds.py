"""Rounds: cold apart, interleaved alike for both paths, crashes kept, changing answers noticed."""

from itertools import count

from tests.parity.desk import question, right
from viska_assets.parity.eval_set import Question
from viska_assets.parity.rounds import ask_all
from viska_assets.query.answers import Answer, answer_of

QUESTIONS = [question(number) for number in range(1, 9)]


def test_each_question_is_asked_once_cold_and_so_often_warm_of_both_paths() -> None:
    asked: list[tuple[str, str]] = []

    def path(name: str):
        def answer(asking: Question) -> Answer:
            asked.append((name, asking.id))
            return right()

        return answer

    done = ask_all({"synthesis": path("synthesis"), "baseline": path("baseline")}, QUESTIONS, 5)
    assert len(asked) == 8 * 2 * 6
    assert all(len(timing.warm) == len(timing.warm_cpu) == 5 for timing in done.timings.values())
    assert not done.unsteady
    assert not done.crashes
    # both paths stand first about as often, and no round has the order of the one before
    pairs = [asked[at] for at in range(0, len(asked), 2)]
    first = sum(1 for name, _ in pairs if name == "synthesis")
    assert 12 <= first <= 36
    orders = [tuple(asking for _, asking in pairs[at : at + 8]) for at in range(0, 48, 8)]
    assert len(set(orders)) == 6


def test_a_crash_is_kept_by_name_and_asked_no_more() -> None:
    calls = count()

    def crashing(asking: Question) -> Answer:
        next(calls)
        raise LookupError(f"no page for {asking.id}")

    done = ask_all({"synthesis": crashing, "baseline": lambda _: right()}, QUESTIONS[:1], 5)
    assert done.crashes == {("q1", "synthesis"): "LookupError: no page for q1"}
    assert next(calls) == 1
    assert ("q1", "synthesis") not in done.timings


def test_an_answer_that_changes_is_noticed() -> None:
    numbers = count()

    def fickle(_: Question) -> Answer:
        claim = right().claims[0]
        return answer_of([claim, claim] if next(numbers) % 2 else [claim])

    done = ask_all({"synthesis": fickle, "baseline": lambda _: right()}, QUESTIONS[:1], 3)
    assert done.unsteady == {("q1", "synthesis")}
    assert done.answers["q1", "synthesis"].text.count("\n") == 0, "the first answer is graded"
