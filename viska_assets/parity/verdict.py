"""From scores to the verdict: four criteria, each holding, missed or undecided, and who may not be counted at all."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from viska_assets.parity.eval_set import SourcedBy
from viska_assets.parity.statistics import (
    mean,
    none_seen_bound,
    paired_interval,
    percentile,
    ratio_interval,
    sign_test,
    wilson_interval,
)


class Verdict(StrEnum):
    """Whether questions may be answered from the synthesis tier."""

    PASS = "PASS"  # noqa: S105
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"
    NOT_ELIGIBLE = "NOT_ELIGIBLE"


class Standing(StrEnum):
    """How a criterion stands."""

    HOLDS = "holds"
    MISSED = "missed"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Bars:
    """What a run must reach (policy ``parity``, see docs/parity.md).

    Attributes:
        min_analyst_questions: fewer questions by analysts than this and the run counts for nothing.
        min_cited: the least share of claims whose citations support them.
        most_latency: how often the baseline's p95 the synthesis tier's may be.
        margin: how far below zero, on the scale 0 to 2, the interval of the paired difference may reach in a pass.
    """

    min_analyst_questions: int = 50
    min_cited: float = 0.95
    most_latency: float = 1.25
    margin: float = 0.05


@dataclass(frozen=True)
class PathScore:
    """One path over some questions. ``milliseconds`` are the warm timings per question; rates are 0 to 1."""

    scores: tuple[int, ...]
    claims: int
    claims_cited: int
    citations: int
    citations_needed: int
    fabrications: int
    answered: int
    withheld: int = 0
    crashed: int = 0
    milliseconds: tuple[tuple[float, ...], ...] = field(default=(), repr=False)
    cold_milliseconds: tuple[float, ...] = field(default=(), repr=False)

    @property
    def correct_mean(self) -> float:
        """The mean grade, 0 to 2."""
        return mean(self.scores)

    @property
    def citation_correct(self) -> float:
        """Citation recall: the share of claims that their citations support; 0 where nothing is said."""
        return self.claims_cited / self.claims if self.claims else 0.0

    @property
    def citation_precision(self) -> float:
        """The share of citations without which their claim would not be supported; 0 where nothing is cited."""
        return self.citations_needed / self.citations if self.citations else 0.0

    @property
    def answered_rate(self) -> float:
        """The share of questions that got an answer."""
        return self.answered / len(self.scores) if self.scores else 0.0

    def latency(self, share: float) -> float:
        """A percentile of all warm timings together, in milliseconds."""
        return percentile([time for times in self.milliseconds for time in times], share)


@dataclass(frozen=True)
class Criterion:
    """One of (a) to (d): how it stands, and its figure beside what it must reach."""

    name: str
    standing: Standing
    figure: str


@dataclass(frozen=True)
class Decision:
    """The verdict with its criteria, the interval of the paired difference, and why."""

    verdict: Verdict
    criteria: tuple[Criterion, ...]
    difference: float
    interval: tuple[float, float]
    latency_ratio: float
    latency_interval: tuple[float, float]
    why: str
    analysts: int


def decide(
    sourced_by: Sequence[SourcedBy],
    synthesis: PathScore,
    baseline: PathScore,
    bars: Bars | None = None,
    *,
    fabricated_elsewhere: int = 0,
    crashed_elsewhere: int = 0,
) -> Decision:
    """The verdict over questions that both paths were asked.

    The means decide, as the brief has them; an interval that reaches across a bar makes a pass INCONCLUSIVE, and so
    does a mean that misses its bar by no more than chance explains. A fabrication is never a matter of chance.

    Args:
        sourced_by: who wrote each question, in the order of the scores.
        synthesis: the path under test.
        baseline: the path it must match.
        bars: what must be reached.
        fabricated_elsewhere: claims without support that the path under test made on questions that do not count.
        crashed_elsewhere: answers that crashed on such questions.
    """
    bars = bars or Bars()
    differences = [float(s - b) for s, b in zip(synthesis.scores, baseline.scores, strict=True)]
    interval = paired_interval(differences)
    ratio, ratios = _latency(synthesis, baseline)
    criteria = (
        _correctness(synthesis, baseline, differences, interval, bars),
        _citations(synthesis, baseline, bars),
        _fabrication(synthesis, fabricated_elsewhere),
        _speed(synthesis, baseline, ratio, ratios, bars),
    )
    analysts = sum(1 for who in sourced_by if who is SourcedBy.ANALYST)
    crashed = synthesis.crashed + baseline.crashed + crashed_elsewhere
    verdict, why = _verdict(analysts, criteria, crashed, bars)
    return Decision(verdict, criteria, mean(differences), interval, ratio, ratios, why, analysts)


def _latency(synthesis: PathScore, baseline: PathScore) -> tuple[float, tuple[float, float]]:
    divisor = baseline.latency(0.95)
    ratio = synthesis.latency(0.95) / divisor if divisor else 0.0
    return ratio, ratio_interval(synthesis.milliseconds, baseline.milliseconds, 0.95)


def _correctness(
    synthesis: PathScore,
    baseline: PathScore,
    differences: Sequence[float],
    interval: tuple[float, float],
    bars: Bars,
) -> Criterion:
    low, high = interval
    figure = (
        f"{synthesis.correct_mean:.3f} against {baseline.correct_mean:.3f} of 2; difference {mean(differences):+.3f}, "
        f"95 % [{low:+.3f}, {high:+.3f}], sign test p {sign_test(differences):.2f}"
    )
    if high < 0:
        standing = Standing.MISSED
    else:
        standing = Standing.HOLDS if mean(differences) >= 0 and low >= -bars.margin else Standing.UNDECIDED
    return Criterion("a correctness", standing, figure)


def _citations(synthesis: PathScore, baseline: PathScore, bars: Bars) -> Criterion:
    low, high = wilson_interval(synthesis.claims_cited, synthesis.claims)
    holds = synthesis.citation_correct >= max(bars.min_cited, baseline.citation_correct)
    figure = (
        f"{synthesis.claims_cited} of {synthesis.claims} claims, {synthesis.citation_correct:.3f} against "
        f"{baseline.citation_correct:.3f}, at least {bars.min_cited}; 95 % [{low:.3f}, {high:.3f}]; "
        f"precision {synthesis.citation_precision:.3f} against {baseline.citation_precision:.3f}"
    )
    return Criterion("b citations", Standing.HOLDS if holds else Standing.MISSED, figure)


def _fabrication(synthesis: PathScore, elsewhere: int) -> Criterion:
    if synthesis.fabrications or elsewhere:
        figure = f"{synthesis.fabrications} of {synthesis.claims} claims without a source that supports them"
        figure += f", and {elsewhere} on questions that do not count" if elsewhere else ""
        return Criterion("c fabrication", Standing.MISSED, figure)
    bound = none_seen_bound(synthesis.claims)
    figure = (
        f"none in {synthesis.claims} claims (95 %: below {bound:.1%}); "
        f"{synthesis.answered_rate:.0%} of the questions answered, {synthesis.withheld} claims withheld"
    )
    return Criterion("c fabrication", Standing.HOLDS, figure)


def _speed(
    synthesis: PathScore, baseline: PathScore, ratio: float, interval: tuple[float, float], bars: Bars
) -> Criterion:
    figure = (
        f"p95 {synthesis.latency(0.95):.1f} ms against {baseline.latency(0.95):.1f} ms, {ratio:.2f} times, "
        f"95 % [{interval[0]:.2f}, {interval[1]:.2f}], at most {bars.most_latency}; "
        f"p50 {synthesis.latency(0.5):.1f} against {baseline.latency(0.5):.1f}"
    )
    if ratio > bars.most_latency:
        standing = Standing.MISSED
    else:
        standing = Standing.UNDECIDED if interval[1] > bars.most_latency else Standing.HOLDS
    return Criterion("d latency", standing, figure)


def _verdict(analysts: int, criteria: Sequence[Criterion], crashed: int, bars: Bars) -> tuple[Verdict, str]:
    if criteria[2].standing is Standing.MISSED:
        return Verdict.FAIL, "a fabricated figure or claim fails the gate by itself"
    if analysts < bars.min_analyst_questions:
        return (
            Verdict.NOT_ELIGIBLE,
            f"{analysts} questions by analysts, {bars.min_analyst_questions} are needed; synthetic ones and public "
            "benchmarks never count",
        )
    if crashed:
        return Verdict.FAIL, f"{crashed} answers crashed"
    missed = [criterion.name for criterion in criteria if criterion.standing is Standing.MISSED]
    if missed:
        return Verdict.FAIL, f"missed: {', '.join(missed)}"
    undecided = [criterion.name for criterion in criteria if criterion.standing is Standing.UNDECIDED]
    if undecided:
        return Verdict.INCONCLUSIVE, f"chance may explain {', '.join(undecided)}; more questions are needed"
    return Verdict.PASS, "every criterion holds"
