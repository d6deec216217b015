"""How the parity gate behaves on systems whose quality is known, each simulated many times: prints one JSON object.

Scores are 0, 1 or 2 a question and correlated between the paths, since a hard question is hard for both; latencies are
log-normal with a factor of the question that both paths share. Seeds are fixed.
"""

import argparse
import json
from collections import Counter

import numpy as np

from viska_assets.parity.eval_set import SourcedBy
from viska_assets.parity.verdict import PathScore, decide

QUESTIONS, REPEATS = 60, 9
LEVEL = 1.4
# How often a path's grade is drawn anew rather than shared with the other's.
OWN_SHARE = 0.3
SYSTEMS = ("equal", "equal_twin", "worse_by_0.2", "one_fabrication", "slower_1.5", "as_fast")


def simulate(system: str, times: int, questions: int = QUESTIONS) -> dict[str, int]:
    """How often each verdict is given to a system of a known kind, all questions by analysts."""
    rng = np.random.default_rng([20250103, SYSTEMS.index(system)])
    return dict(Counter(_once(system, rng, questions) for _ in range(times)))


def _once(system: str, rng: np.random.Generator, questions: int) -> str:
    shared = rng.random(questions)
    baseline = _grades(_own(shared, rng), LEVEL)
    level = LEVEL - 0.2 if system == "worse_by_0.2" else LEVEL
    synthesis = baseline if system == "equal_twin" else _grades(_own(shared, rng), level)
    if system in ("slower_1.5", "as_fast", "one_fabrication"):
        synthesis = baseline
    factor = 1.5 if system == "slower_1.5" else 1.0 if system in ("as_fast", "equal") else 0.6
    hardness = rng.normal(0.0, 0.5, questions)
    decision = decide(
        [SourcedBy.ANALYST] * questions,
        _path(synthesis, _latencies(rng, hardness, 20.0 * factor), int(system == "one_fabrication")),
        _path(baseline, _latencies(rng, hardness, 20.0)),
    )
    return decision.verdict.value


def _own(shared: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random(shared.size) < OWN_SHARE, rng.random(shared.size), shared)


def _grades(luck: np.ndarray, level: float) -> tuple[int, ...]:
    """Grades of mean ``level``: a tenth of the questions is answered in part, the others wholly or not."""
    partial = 0.1
    right = (level - partial) / 2
    return tuple(2 if one < right else 1 if one < right + partial else 0 for one in luck)


def _latencies(rng: np.random.Generator, hardness: np.ndarray, median: float) -> tuple[tuple[float, ...], ...]:
    noise = rng.normal(0.0, 0.3, (hardness.size, REPEATS))
    return tuple(tuple(row) for row in median * np.exp(hardness[:, None] + noise))


def _path(grades: tuple[int, ...], latencies: tuple[tuple[float, ...], ...], fabricated: int = 0) -> PathScore:
    claims = 3 * len(grades)
    return PathScore(
        scores=grades,
        claims=claims,
        claims_cited=claims - fabricated,
        citations=claims,
        citations_needed=claims,
        fabrications=fabricated,
        answered=len(grades),
        milliseconds=latencies,
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--times", type=int, default=200)
    arguments.add_argument("--n", type=int, default=QUESTIONS, help="questions a run")
    given = arguments.parse_args()
    verdicts = {system: simulate(system, given.times, given.n) for system in SYSTEMS}
    print(json.dumps({"times": given.times, "questions": given.n, "repeats": REPEATS, "verdicts": verdicts}, indent=2))


if __name__ == "__main__":
    main()
