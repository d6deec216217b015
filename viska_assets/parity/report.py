"""A run as JSON data: the summary that is stored and shown, and every question with both answers."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict

from viska_assets.model.page import SourceEntry
from viska_assets.parity.eval_set import NumberAnswer
from viska_assets.parity.grading import CORRECT
from viska_assets.parity.run import BASELINE, PATHS, SYNTHESIS, Answered, ParityRun
from viska_assets.parity.statistics import mean, none_seen_bound, paired_interval, percentile
from viska_assets.parity.verdict import PathScore
from viska_assets.query.answers import Answer

Json = dict[str, object]
# How the brief wants the questions mixed; another mix is remarked on.
COMPOSITION = {"synthesis": 0.4, "retrieval": 0.4, "mixed": 0.2}
TOLERANCE = 0.1


def summary_of(run: ParityRun) -> Json:
    """The run's figures. Means and rates are over the questions that count, latencies in milliseconds."""
    decision = run.decision
    return {
        "verdict": decision.verdict.value,
        "why": decision.why,
        "questions": len(run.answered),
        "counted": len(run.counted),
        "analysts": decision.analysts,
        **{path: score_json(run.scores[path]) | {"ecdf_ms": ecdf_ms(run.scores[path])} for path in PATHS},
        "difference": round(decision.difference, 4),
        "intervals": {
            "difference": _rounded(decision.interval),
            "latency_ratio_p95": _rounded(decision.latency_interval),
        },
        "latency_ratio_p95": round(decision.latency_ratio, 4),
        "fabrication_bound": round(none_seen_bound(run.scores[SYNTHESIS].claims), 5),
        "criteria": [
            {"name": criterion.name, "standing": criterion.standing.value, "figure": criterion.figure}
            for criterion in decision.criteria
        ],
        "by_shape": _by(run, lambda item: item.question.shape.value),
        "by_answer_type": _by(run, answer_type),
        "by_source": _by(run, lambda item: item.question.sourced_by.value),
        "repeats": run.rounds.repeats,
        "crashed": len(run.rounds.crashes),
        "unsteady": sorted(f"{question} ({path})" for question, path in run.rounds.unsteady),
        "load_average": [round(load, 2) for load in run.rounds.load],
        "processors": os.cpu_count() or 1,
        "remarks": list(remarks(run)),
    }


def answer_type(item: Answered) -> str:
    """What kind of answer the gold answer is: the unit of a number, or text."""
    gold = item.question.gold
    return f"number, {gold.unit.value}" if isinstance(gold, NumberAnswer) else "text"


def score_json(score: PathScore) -> Json:
    """A path's figures."""
    cold = list(score.cold_milliseconds)
    return {
        "correct_mean": round(score.correct_mean, 4),
        "citation_correct": round(score.citation_correct, 4),
        "citation_precision": round(score.citation_precision, 4),
        "fabrications": score.fabrications,
        "claims": score.claims,
        "withheld": score.withheld,
        "answered_rate": round(score.answered_rate, 4),
        "correct_share": round(mean([float(s == CORRECT) for s in score.scores]), 4),
        "p50_ms": round(score.latency(0.5), 2),
        "p95_ms": round(score.latency(0.95), 2),
        "cold_p50_ms": round(percentile(cold, 0.5), 2),
        "cold_p95_ms": round(percentile(cold, 0.95), 2),
    }


def ecdf_ms(score: PathScore) -> list[float]:
    """The percentiles 0 to 100 of all warm timings, in milliseconds; none where nothing was timed."""
    times = [time for times in score.milliseconds for time in times]
    return [round(percentile(times, share / 100), 3) for share in range(101)] if times else []


def _by(run: ParityRun, key: Callable[[Answered], str]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name in sorted({key(item) for item in run.counted}):
        chosen = [item for item in run.counted if key(item) == name]
        scores = {path: run.score(path, chosen) for path in PATHS}
        differences = [float(s - b) for s, b in zip(scores[SYNTHESIS].scores, scores[BASELINE].scores, strict=True)]
        found[name] = {
            "questions": len(chosen),
            **{path: score_json(score) for path, score in scores.items()},
            "difference": round(mean(differences), 4),
            "interval": _rounded(paired_interval(differences)),
        }
    return found


def remarks(run: ParityRun) -> Iterable[str]:
    """What a reader of the verdict should know beside it."""
    shares = {
        shape: sum(1 for item in run.counted if item.question.shape.value == shape) / len(run.counted)
        for shape in COMPOSITION
    }
    if any(abs(shares[shape] - wanted) > TOLERANCE for shape, wanted in COMPOSITION.items()):
        said = ", ".join(f"{shape} {share:.0%}" for shape, share in shares.items())
        yield f"the mix is {said}; 40 % synthesis, 40 % retrieval and 20 % mixed are wanted"
    if run.rounds.unsteady:
        yield f"{len(run.rounds.unsteady)} answers were not the same in every round"
    if max(run.rounds.load) > (os.cpu_count() or 1):
        yield "the machine was loaded; latencies are compared, not absolute"
    judged = [(item, path) for item in run.counted for path in PATHS if path in item.judgements]
    for path in PATHS:
        pairs = [
            (item.grades[path].correct, grade)
            for item, where in judged
            if where == path and (grade := item.judgements[path].grade) is not None
        ]
        if pairs:
            same = sum(1 for ours, theirs in pairs if ours == theirs)
            theirs_mean = mean([theirs for _, theirs in pairs])
            yield f"the judge gives {path} {theirs_mean:.2f} and agrees with {same} of {len(pairs)} grades"


def answers_of(run: ParityRun) -> list[Json]:
    """Every question with both answers, their grades and citations."""
    return [_answered(item, run) for item in run.answered]


def _answered(item: Answered, run: ParityRun) -> Json:
    question = item.question
    return {
        "id": question.id,
        "question": question.question,
        "shape": question.shape.value,
        "sourced_by": question.sourced_by.value,
        "as_of": question.as_of.isoformat(),
        "gold": question.gold.model_dump(mode="json"),
        "gold_evidence": list(question.evidence),
        **{path: _path(item, path, run) for path in PATHS},
    }


def _path(item: Answered, path: str, run: ParityRun) -> Json:
    answer, grade = item.answers[path], item.grades[path]
    timing = run.rounds.timings.get((item.question.id, path))
    judgement = item.judgements.get(path)
    return {
        "answer": answer.text,
        "reason": answer.reason,
        "correct": grade.correct,
        "why": grade.why,
        "claims": grade.claims,
        "claims_cited": grade.claims_cited,
        "fabrications": grade.fabrications,
        "codes": list(grade.codes),
        "withheld": list(answer.withheld),
        "pages_opened": list(answer.pages_opened),
        "citations": [_citation(entry) for entry in _cited(answer)],
        "crash": item.crashes.get(path, ""),
        "cold_ms": round(timing.cold, 2) if timing else None,
        "warm_ms": round(percentile(timing.warm, 0.5), 2) if timing else None,
        "judge": asdict(judgement) if judgement else None,
    }


def _cited(answer: Answer) -> Sequence[SourceEntry]:
    return tuple({entry.id: entry for claim in answer.claims for entry in claim.cited}.values()) or answer.sources


def _citation(entry: SourceEntry) -> Json:
    return {"id": entry.id, "resource": entry.resource, "chunk": entry.chunk, "excerpt": entry.excerpt}


def _rounded(interval: tuple[float, float]) -> list[float]:
    return [round(interval[0], 4), round(interval[1], 4)]
