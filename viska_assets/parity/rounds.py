"""The rounds of a run: every question to every path, cold once and then warm and interleaved, timed."""

import os
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter, process_time

from viska_assets.parity.eval_set import Question
from viska_assets.query.answers import Answer

SEED = 20250102
System = Callable[[Question], Answer]
"""Answers a question; whatever it raises is a crash of that question."""


@dataclass(frozen=True)
class Timing:
    """One question to one path, in milliseconds: the first call apart, the others warm, and their CPU time."""

    cold: float
    warm: tuple[float, ...] = ()
    warm_cpu: tuple[float, ...] = ()


@dataclass
class Rounds:
    """What came of all rounds, by question id and path.

    ``unsteady`` names questions to which a path gave different texts in different rounds; ``load`` is the machine's
    load average over a minute, at the start and at the end.
    """

    repeats: int
    answers: dict[tuple[str, str], Answer] = field(default_factory=dict)
    timings: dict[tuple[str, str], Timing] = field(default_factory=dict)
    crashes: dict[tuple[str, str], str] = field(default_factory=dict)
    unsteady: set[tuple[str, str]] = field(default_factory=set)
    load: tuple[float, float] = (0.0, 0.0)


def ask_all(
    systems: Mapping[str, System],
    questions: Sequence[Question],
    repeats: int,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Rounds:
    """Asks every question of every path once cold and ``repeats`` times warm.

    The order of the questions is drawn anew in each round, and the order of the paths for each question, from a fixed
    seed: what slows the machine for a while slows both paths alike.

    Args:
        systems: the paths by name.
        questions: with different ids.
        repeats: warm rounds.
        progress: told how many rounds are done, of how many.
    """
    rng = random.Random(SEED)  # noqa: S311
    done = Rounds(repeats)
    started = os.getloadavg()[0]
    for number in range(repeats + 1):
        for question in rng.sample(list(questions), len(questions)):
            for path in rng.sample(sorted(systems), len(systems)):
                if (question.id, path) not in done.crashes:
                    _ask(done, systems[path], question, path)
        if progress is not None:
            progress(number + 1, repeats + 1)
    done.load = (started, os.getloadavg()[0])
    return done


def _ask(done: Rounds, system: System, question: Question, path: str) -> None:
    key = (question.id, path)
    cpu, started = process_time(), perf_counter()
    try:
        answer = system(question)
    except Exception as error:  # noqa: BLE001  whatever a path raises is its crash, and a crash is never a pass
        done.crashes[key] = f"{type(error).__name__}: {error}"
        return
    milliseconds, cpu = (perf_counter() - started) * 1000, (process_time() - cpu) * 1000
    known = done.timings.get(key)
    if known is None:
        done.answers[key], done.timings[key] = answer, Timing(milliseconds)
        return
    done.timings[key] = Timing(known.cold, (*known.warm, milliseconds), (*known.warm_cpu, cpu))
    if (answer.text, answer.value) != (done.answers[key].text, done.answers[key].value):
        done.unsteady.add(key)
