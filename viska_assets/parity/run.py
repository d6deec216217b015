"""A parity run: both paths asked and timed, every answer graded, and the verdict over the questions that count."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from viska_assets.model.views import EvidenceView
from viska_assets.parity.eval_set import Question, SourcedBy
from viska_assets.parity.grading import WRONG, Grade, grade
from viska_assets.parity.judging import Judge, Judgement
from viska_assets.parity.rounds import Rounds, System, ask_all
from viska_assets.parity.verdict import Bars, Decision, PathScore, decide
from viska_assets.query.answers import Answer

SYNTHESIS, BASELINE = "synthesis", "baseline"
PATHS = (SYNTHESIS, BASELINE)
CRASHED = "crashed"


@dataclass(frozen=True)
class Effort:
    """How often a run asks. ``least_timings`` a path only where the run can count; at least ``repeats`` always."""

    repeats: int = 5
    least_timings: int = 500

    def repeats_for(self, questions: int, counted: bool) -> int:
        """The warm rounds for so many questions."""
        return max(self.repeats, math.ceil(self.least_timings / questions)) if counted and questions else self.repeats


@dataclass(frozen=True)
class Answered:
    """One question with the answers of both paths, their grades, and what crashed; a judge's words stand apart."""

    question: Question
    answers: Mapping[str, Answer]
    grades: Mapping[str, Grade]
    crashes: Mapping[str, str]
    judgements: Mapping[str, Judgement]


@dataclass(frozen=True)
class ParityRun:
    """A whole run. ``scores`` and ``decision`` are over ``counted``, the questions on which the verdict rests."""

    answered: tuple[Answered, ...]
    counted: tuple[Answered, ...]
    rounds: Rounds
    scores: Mapping[str, PathScore]
    decision: Decision

    def score(self, path: str, answered: Sequence[Answered]) -> PathScore:
        """The score of a path over some of the questions."""
        return score_of(path, answered, self.rounds)


def run_parity(
    systems: Mapping[str, System],
    questions: Sequence[Question],
    evidence: EvidenceView,
    *,
    bars: Bars | None = None,
    effort: Effort | None = None,
    judge: Judge | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ParityRun:
    """Asks both paths every question, grades the first answers and decides.

    Args:
        systems: what answers, under the names in ``PATHS``.
        questions: at least one, with different ids.
        evidence: the chunks that answers cite, for the gate's predicates.
        bars: what must be reached.
        effort: how often is asked.
        judge: a model's opinion on correctness, recorded and never counted.
        progress: told how many rounds are done, of how many.

    Raises:
        ValueError: where there is no question.
    """
    if not questions:
        raise ValueError("a parity run needs a question; add eval sets to VISKA_EVAL_SETS")
    bars, effort = bars or Bars(), effort or Effort()
    analysts = sum(1 for question in questions if question.sourced_by is SourcedBy.ANALYST)
    repeats = effort.repeats_for(len(questions), analysts >= bars.min_analyst_questions)
    rounds = ask_all(systems, questions, repeats, progress=progress)
    answered = tuple(_grade(question, rounds, evidence, judge) for question in questions)
    chosen = counted(answered, bars)
    judged = {item.question.id for item in chosen}
    others = [item for item in answered if item.question.id not in judged]
    scores = {path: score_of(path, chosen, rounds) for path in PATHS}
    decision = decide(
        [question.sourced_by for question in questions],
        scores[SYNTHESIS],
        scores[BASELINE],
        bars,
        fabricated_elsewhere=sum(item.grades[SYNTHESIS].fabrications for item in others),
        crashed_elsewhere=sum(len(item.crashes) for item in others),
    )
    return ParityRun(answered, chosen, rounds, scores, decision)


def counted(answered: Sequence[Answered], bars: Bars) -> tuple[Answered, ...]:
    """The questions by analysts; all of them where there are not enough, so that figures can be shown."""
    analysts = tuple(item for item in answered if item.question.sourced_by is SourcedBy.ANALYST)
    return analysts if len(analysts) >= bars.min_analyst_questions else tuple(answered)


def _grade(question: Question, rounds: Rounds, evidence: EvidenceView, judge: Judge | None) -> Answered:
    crashes = {path: rounds.crashes[question.id, path] for path in PATHS if (question.id, path) in rounds.crashes}
    answers = {path: Answer(reason=CRASHED) if path in crashes else rounds.answers[question.id, path] for path in PATHS}
    grades = {
        path: Grade(WRONG, f"crashed: {crashes[path]}") if path in crashes else grade(answer, question.gold, evidence)
        for path, answer in answers.items()
    }
    judgements = {path: judge(question, answer) for path, answer in answers.items()} if judge else {}
    return Answered(question, answers, grades, crashes, judgements)


def score_of(path: str, answered: Sequence[Answered], rounds: Rounds) -> PathScore:
    """The score of a path over some questions, with its timings."""
    grades = [item.grades[path] for item in answered]
    timings = [rounds.timings.get((item.question.id, path)) for item in answered]
    return PathScore(
        scores=tuple(g.correct for g in grades),
        claims=sum(g.claims for g in grades),
        claims_cited=sum(g.claims_cited for g in grades),
        citations=sum(g.citations for g in grades),
        citations_needed=sum(g.citations_needed for g in grades),
        fabrications=sum(g.fabrications for g in grades),
        answered=sum(1 for item in answered if not item.answers[path].abstains),
        withheld=sum(len(item.answers[path].withheld) for item in answered),
        crashed=sum(1 for item in answered if path in item.crashes),
        milliseconds=tuple(timing.warm if timing else () for timing in timings),
        cold_milliseconds=tuple(timing.cold for timing in timings if timing),
    )
