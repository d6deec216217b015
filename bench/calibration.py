"""Fits the confidence of hits on a pack's questions and reports its calibration on documents it was not fitted on.

    python bench/calibration.py --pack PACK [--home HOME] [--write viska_assets/query/confidence.json]

A hit counts as right where it holds a gold evidence (``bench/relevance.py``). Documents are split in halves by the
hash of their ids; the model is a logistic regression with weights that may not be negative (projected gradient, L2).
ECE is the expected calibration error over ten bins of equal mass, with a bootstrap interval over questions.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.homes import pack_home
from bench.relevance import Asked, read_chunks, read_questions
from bench.retrieval_systems import Remembered
from viska_assets.engines.catalogue import load_embedder
from viska_assets.query.calibration import Model, Signals
from viska_assets.query.ranking import covered_by, nearness
from viska_assets.query.wording import Asked as Worded
from viska_assets.retrieval.search import hybrid_search
from viska_assets.store.database import Connection
from viska_assets.store.home import Home

DEPTH, BINS, SAMPLES, STEPS, RATE, PENALTY = 10, 10, 500, 20_000, 0.5, 1e-3


REPORTED = ("ece", "ece_95", "ece_of_first_hits", "brier", "base_rate")


@dataclass(frozen=True)
class Rows:
    """Hits with their features, whether each is right, and the number of the question that each belongs to."""

    features: np.ndarray
    right: np.ndarray
    question: np.ndarray


def rows_of(connection: Connection, questions: Sequence[Asked], embedder: Remembered) -> Rows:
    features, right, numbers = [], [], []
    for number, asked in enumerate(questions):
        words = Worded(asked.question)
        terms = sorted(words.terms) or list(words.all_terms)
        found = hybrid_search(connection, embedder, asked.question, asked.scope, DEPTH)
        for rank, passage in enumerate(found.passages, start=1):
            signals = Signals(covered_by(passage, terms), nearness(passage), 1 / rank)
            features.append(signals.features)
            right.append(passage.chunk_id in asked.relevant)
            numbers.append(number)
    return Rows(np.array(features), np.array(right, float), np.array(numbers))


def fit(rows: Rows) -> tuple[float, np.ndarray]:
    """The intercept and the weights, none below zero."""
    x, y = rows.features, rows.right
    weights, intercept = np.zeros(x.shape[1]), 0.0
    for _ in range(STEPS):
        error = 1 / (1 + np.exp(-(x @ weights + intercept))) - y
        weights = np.maximum(0.0, weights - RATE * (x.T @ error / len(y) + PENALTY * weights))
        intercept -= RATE * float(error.mean())
    return intercept, weights


def ece(chance: np.ndarray, right: np.ndarray) -> float:
    """The expected calibration error over bins of equal mass."""
    order = np.argsort(chance, kind="stable")
    parts = np.array_split(order, BINS)
    return float(sum(len(p) * abs(chance[p].mean() - right[p].mean()) for p in parts if len(p)) / len(chance))


def calibration(pack: Path, home: Home, model: Model | None = None) -> dict[str, Any]:
    """Fits on half of the documents, reports on the other; a given model is only reported on."""
    errors: list[dict[str, str]] = []
    embedder = load_embedder(home.settings.embedder)
    with home.database.transaction() as connection:
        questions = read_questions(pack, read_chunks(connection), errors)
        remembered = Remembered(embedder, [asked.question for asked in questions])
        halves: list[list[Asked]] = [[], []]
        for asked in questions:
            halves[int(asked.documents[0][:8], 16) % 2].append(asked)
        dev, held = (rows_of(connection, half, remembered) for half in halves)
    intercept, weights = fit(dev) if model is None else (model.intercept, np.array(model.weights))
    chance = 1 / (1 + np.exp(-(held.features @ weights + intercept)))
    tops = np.unique(held.question, return_index=True)[1]
    generator = np.random.default_rng(7)
    by_question = [np.flatnonzero(held.question == number) for number in np.unique(held.question)]
    drawn = []
    for _ in range(SAMPLES):
        taken = np.concatenate([by_question[i] for i in generator.integers(0, len(by_question), len(by_question))])
        drawn.append(ece(chance[taken], held.right[taken]))
    return {
        "intercept": round(intercept, 4),
        "weights": [round(float(weight), 4) for weight in weights],
        "ece": round(ece(chance, held.right), 4),
        "ece_95": [round(float(np.quantile(drawn, q)), 4) for q in (0.025, 0.975)],
        "ece_of_first_hits": round(ece(chance[tops], held.right[tops]), 4),
        "brier": round(float(((chance - held.right) ** 2).mean()), 4),
        "base_rate": round(float(held.right.mean()), 4),
        "questions": {"dev": len(halves[0]), "held_out": len(halves[1])},
        "hits": {"dev": len(dev.right), "held_out": len(held.right)},
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--home", type=Path, help="a home into which the pack was ingested and embedded")
    parser.add_argument("--write", type=Path, help="where the fitted model is written")
    given = parser.parse_args(arguments)
    with pack_home(given.pack, given.home) as home:
        found = calibration(given.pack, home)
    if given.write:
        fitted = {"intercept": found["intercept"], "weights": found["weights"]}
        count = found["questions"]["dev"]
        fitted["fitted_on"] = f"{count} questions of TAT-QA and FinQA, half of the documents, each asked within its own"
        fitted["held_out"] = {key: found[key] for key in REPORTED}
        given.write.write_text(json.dumps(fitted, indent=1) + "\n")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
