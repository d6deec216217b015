"""From grades to the verdict: four criteria with intervals, and who may not be counted at all."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from viska_assets.parity.eval_set import SourcedBy

MIN_ANALYST_QUESTIONS = 50
MIN_CITED = 0.95
MOST_LATENCY = 1.25
RESAMPLES = 2000
SEED = 20250101


class Verdict(StrEnum):
    """Whether questions may be answered from the synthesis tier."""

    PASS = "PASS"  # noqa: S105
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"
    NOT_ELIGIBLE = "NOT_ELIGIBLE"


@dataclass(frozen=True)
class PathScore:
    """One path over the counted questions."""

    correct_mean: float
    citation_correct: float
    fabrications: int
    answered_rate: float
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True)
class Criterion:
    """One of (a) to (d): its figure beside what it must reach."""

    name: str
    holds: bool
    figure: str


@dataclass(frozen=True)
class Decision:
    """The verdict with its criteria, the interval of the paired difference, and why."""

    verdict: Verdict
    criteria: tuple[Criterion, ...]
    difference: float
    interval: tuple[float, float]
    why: str


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of the values lie, by linear interpolation; 0 for none."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def paired_interval(differences: Sequence[float]) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of the mean of paired differences (Efron 1979), seed fixed."""
    if not differences:
        return (0.0, 0.0)
    rng = random.Random(SEED)  # noqa: S311
    means = [sum(rng.choices(differences, k=len(differences))) / len(differences) for _ in range(RESAMPLES)]
    return (percentile(means, 0.025), percentile(means, 0.975))


def decide(
    sourced_by: Sequence[SourcedBy],
    synthesis: PathScore,
    baseline: PathScore,
    differences: Sequence[float],
    *,
    crashed: int = 0,
    min_analyst_questions: int = MIN_ANALYST_QUESTIONS,
) -> Decision:
    """The verdict of a run.

    Args:
        sourced_by: who wrote each question; only analysts' questions make a run eligible.
        synthesis: the path under test.
        baseline: the path it must match.
        differences: per question, correctness of the synthesis path less that of the baseline.
        crashed: questions on which a path raised an error; a run with one is never a pass.
        min_analyst_questions: fewer than this many and the run counts for nothing.
    """
    analysts = sum(1 for who in sourced_by if who is SourcedBy.ANALYST)
    interval = paired_interval(differences)
    mean = sum(differences) / len(differences) if differences else 0.0
    criteria = (
        Criterion("a correctness", mean >= 0, f"{synthesis.correct_mean:.2f} against {baseline.correct_mean:.2f}"),
        Criterion(
            "b citations",
            synthesis.citation_correct >= max(MIN_CITED, baseline.citation_correct),
            f"{synthesis.citation_correct:.3f} against {baseline.citation_correct:.3f}, at least {MIN_CITED}",
        ),
        Criterion("c fabrication", synthesis.fabrications == 0, f"{synthesis.fabrications} fabricated"),
        Criterion(
            "d latency",
            synthesis.p95_ms <= MOST_LATENCY * baseline.p95_ms,
            f"p95 {synthesis.p95_ms:.1f} ms against {baseline.p95_ms:.1f} ms, at most {MOST_LATENCY} times",
        ),
    )
    verdict, why = _verdict(analysts, criteria, interval, crashed, min_analyst_questions)
    return Decision(verdict, criteria, mean, interval, why)


def _verdict(
    analysts: int, criteria: Sequence[Criterion], interval: tuple[float, float], crashed: int, wanted: int
) -> tuple[Verdict, str]:
    if not criteria[2].holds:
        return Verdict.FAIL, "a fabricated figure or claim fails the gate by itself"
    if analysts < wanted:
        return (
            Verdict.NOT_ELIGIBLE,
            f"{analysts} questions by analysts, {wanted} are needed; synthetic ones never count",
        )
    if crashed:
        return Verdict.FAIL, f"{crashed} questions crashed"
    missed = [criterion.name for criterion in criteria if not criterion.holds]
    if missed:
        return Verdict.FAIL, f"missed: {', '.join(missed)}"
    if interval[0] < -0.1:
        return Verdict.INCONCLUSIVE, f"the difference may be as low as {interval[0]:.2f}; more questions are needed"
    return Verdict.PASS, "every criterion holds"
