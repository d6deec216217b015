"""A parity run: every question to both paths, interleaved and repeated, graded and decided."""

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter

from viska_assets.engines.protocols import Embedder
from viska_assets.model.views import BundleView
from viska_assets.parity.eval_set import Question
from viska_assets.parity.grading import Grade, grade
from viska_assets.parity.verdict import Decision, PathScore, decide, percentile
from viska_assets.query.answers import Answer
from viska_assets.query.from_pages import answer_from_pages
from viska_assets.query.from_passages import answer_from_passages
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Connection

REPEATS = 5
SEED = 20250102
PATHS = ("synthesis", "baseline")


@dataclass(frozen=True)
class Answered:
    """One question with both answers, their grades, and what crashed."""

    question: Question
    answers: dict[str, Answer]
    grades: dict[str, Grade]
    crashes: dict[str, str]


@dataclass(frozen=True)
class ParityRun:
    """A whole run."""

    answered: tuple[Answered, ...]
    scores: dict[str, PathScore]
    by_shape: dict[str, dict[str, float]]
    decision: Decision


def run_parity(
    connection: Connection, embedder: Embedder | None, bundle: BundleView, questions: Sequence[Question]
) -> ParityRun:
    """Asks both paths every question ``REPEATS`` times in random order (seed fixed) and grades the first answers.

    Args:
        connection: read access to both tiers.
        embedder: the active model of the baseline.
        bundle: what the gate sees of the bundle.
        questions: at least one.
    """
    paths: dict[str, Callable[[Question], Answer]] = {
        "synthesis": lambda question: answer_from_pages(connection, question.asking),
        "baseline": lambda question: answer_from_passages(connection, embedder, question.asking),
    }
    rounds = [(question, path) for question in questions for path in PATHS] * REPEATS
    random.Random(SEED).shuffle(rounds)  # noqa: S311
    milliseconds: dict[str, list[float]] = {path: [] for path in PATHS}
    answers: dict[tuple[str, str], Answer] = {}
    crashes: dict[tuple[str, str], str] = {}
    for question, path in rounds:
        started = perf_counter()
        try:
            answer = paths[path](question)
        except (ValueError, ArithmeticError, LookupError) as error:
            crashes[question.id, path] = f"{type(error).__name__}: {error}"
            continue
        milliseconds[path].append((perf_counter() - started) * 1000)
        answers.setdefault((question.id, path), answer)
    evidence = StoredEvidence(connection)
    answered = tuple(_grade(question, answers, crashes, bundle, evidence) for question in questions)
    scores = {path: _score(path, answered, milliseconds[path]) for path in PATHS}
    differences = [float(item.grades["synthesis"].correct - item.grades["baseline"].correct) for item in answered]
    decision = decide(
        [question.sourced_by for question in questions],
        scores["synthesis"],
        scores["baseline"],
        differences,
        crashed=len(crashes),
    )
    return ParityRun(answered, scores, _by_shape(answered), decision)


def _grade(
    question: Question,
    answers: dict[tuple[str, str], Answer],
    crashes: dict[tuple[str, str], str],
    bundle: BundleView,
    evidence: StoredEvidence,
) -> Answered:
    found = {path: answers.get((question.id, path), Answer(reason="crashed")) for path in PATHS}
    grades = {path: grade(answer, question.gold, evidence) for path, answer in found.items()}
    crashed = {path: crashes[question.id, path] for path in PATHS if (question.id, path) in crashes}
    return Answered(question, found, grades, crashed)


def _score(path: str, answered: Sequence[Answered], milliseconds: Sequence[float]) -> PathScore:
    grades = [item.grades[path] for item in answered]
    cited = [g.cited for g in grades if g.cited is not None]
    return PathScore(
        correct_mean=sum(g.correct for g in grades) / len(grades) if grades else 0.0,
        citation_correct=sum(cited) / len(cited) if cited else 0.0,
        fabrications=sum(1 for g in grades if g.fabricated),
        answered_rate=len(cited) / len(grades) if grades else 0.0,
        p50_ms=percentile(milliseconds, 0.5),
        p95_ms=percentile(milliseconds, 0.95),
    )


def _by_shape(answered: Sequence[Answered]) -> dict[str, dict[str, float]]:
    shapes = sorted({item.question.shape.value for item in answered})
    return {
        shape: {path: sum(i.grades[path].correct for i in chosen) / len(chosen) for path in PATHS}
        for shape in shapes
        if (chosen := [item for item in answered if item.question.shape.value == shape])
    }


def summary_of(run: ParityRun) -> dict[str, object]:
    """The run's figures as JSON data."""
    return {
        **{path: asdict(score) for path, score in run.scores.items()},
        "by_shape": run.by_shape,
        "difference": run.decision.difference,
        "interval": list(run.decision.interval),
        "criteria": [asdict(criterion) for criterion in run.decision.criteria],
        "verdict": run.decision.verdict.value,
        "why": run.decision.why,
    }


def answers_of(run: ParityRun) -> list[dict[str, object]]:
    """Every question with both answers and grades as JSON data."""
    return [
        {
            "id": item.question.id,
            "question": item.question.question,
            "shape": item.question.shape.value,
            "gold": item.question.gold.model_dump(mode="json"),
            **{
                path: {
                    "answer": item.answers[path].text or f"no answer: {item.answers[path].reason}",
                    "correct": item.grades[path].correct,
                    "cited": item.grades[path].cited,
                    "codes": list(item.grades[path].codes),
                    "citations": [entry.resource for entry in item.answers[path].sources],
                }
                for path in PATHS
            },
            "crashes": item.crashes,
        }
        for item in run.answered
    ]
