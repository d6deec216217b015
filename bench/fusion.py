"""Chooses how the legs of a search are joined: a grid of round values, checked on halves of the documents.

Run as ``python bench/fusion.py --pack P --home H`` on a home that holds the pack. A candidate counts by its nDCG@10
averaged over the question sets; it is admitted if on every set it stays within 0.01 of the better leg. Each half of the
documents chooses for itself, and its choice is measured on the other half.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.homes import pack_home
from bench.relevance import Asked, measures, read_chunks, read_questions
from viska_assets.engines.catalogue import load_embedder
from viska_assets.retrieval.fusion import Ranking, convex_fusion, reciprocal_rank_fusion
from viska_assets.retrieval.query_terms import query_terms
from viska_assets.retrieval.search import LEG_DEPTH
from viska_assets.store.search import dense_search, lexical_search

TOLERANCE = 0.01
Legs = dict[str, Ranking]
Gains = list[float]


def candidates() -> dict[str, Any]:
    """The grid by name: functions from legs to a ranking."""

    def rrf(k: int, dense: float) -> Any:
        return lambda legs: reciprocal_rank_fusion(
            {leg: [item for item, _ in hits] for leg, hits in legs.items()}, {"bm25": 1.0, "dense": dense}, k=k
        )

    def convex(words: float) -> Any:
        return lambda legs: convex_fusion(legs, {"bm25": words, "dense": 1 - words})

    found = {f"rrf k={k} 1:{dense:g}": rrf(k, dense) for k in (20, 60) for dense in (0.25, 0.5, 0.75, 1, 1.5, 2)}
    return found | {f"convex {words:g}": convex(words) for words in (0.3, 0.4, 0.5, 0.6, 0.7)}


def macro(gains: Gains, questions: Sequence[Asked], chosen: Sequence[bool]) -> dict[str, float]:
    """Mean nDCG@10 by question set over the chosen questions, and the mean of the sets under ``""``."""
    by_set: dict[str, list[float]] = {}
    for gain, asked, is_in in zip(gains, questions, chosen, strict=True):
        if is_in:
            by_set.setdefault(asked.source_set, []).append(gain)
    means = {name: sum(values) / len(values) for name, values in sorted(by_set.items())}
    return means | {"": sum(means.values()) / len(means)}


def report(questions: Sequence[Asked], legs: Sequence[Legs]) -> dict[str, Any]:
    def gains_of(join: Any) -> Gains:
        return [
            measures(a, [item for item, _ in join(found)])["ndcg10"] for a, found in zip(questions, legs, strict=True)
        ]

    alone = {leg: gains_of(lambda found, leg=leg: found[leg]) for leg in ("bm25", "dense")}
    joined = {name: gains_of(join) for name, join in candidates().items()}
    halves = [[int(asked.documents[0][0], 16) % 2 == half for asked in questions] for half in (0, 1)]
    everyone = [True] * len(questions)

    def margin(gains: Gains, chosen: Sequence[bool]) -> float:
        own = macro(gains, questions, chosen)
        best = [macro(found, questions, chosen) for found in alone.values()]
        return min(own[name] - max(leg[name] for leg in best) for name in own if name)

    def choice(chosen: Sequence[bool]) -> str:
        admitted = {name: gains for name, gains in joined.items() if margin(gains, chosen) >= -TOLERANCE} or joined
        return max(admitted, key=lambda name: (macro(admitted[name], questions, chosen)[""], name))

    table = {
        name: {
            "ndcg10": round(macro(gains, questions, everyone)[""], 4),
            "least_margin": round(margin(gains, everyone), 4),
            "halves": [round(macro(gains, questions, half)[""], 4) for half in halves],
        }
        for name, gains in joined.items()
    }
    crossed = [
        {
            "chosen_on_one_half": choice(half),
            "ndcg10_on_the_other": round(macro(joined[choice(half)], questions, other)[""], 4),
            "best_there": round(max(macro(gains, questions, other)[""] for gains in joined.values()), 4),
        }
        for half, other in (halves, halves[::-1])
    ]
    legs_alone = {leg: macro(gains, questions, everyone) for leg, gains in alone.items()}
    rounded = {leg: {name or "mean": round(v, 4) for name, v in found.items()} for leg, found in legs_alone.items()}
    return {"chosen": choice(everyone), "candidates": table, "legs": rounded, "crossed": crossed}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--home", type=Path, help="a home into which the pack was ingested and embedded")
    given = parser.parse_args()
    with pack_home(given.pack, given.home) as home, home.database.transaction() as connection:
        embedder = load_embedder(home.settings.embedder)
        questions = read_questions(given.pack, read_chunks(connection), [])
        legs: list[Legs] = []
        for asked in questions:
            words = lexical_search(connection, query_terms(asked.question), asked.scope, LEG_DEPTH)
            vector = embedder.embed_query(asked.question)
            near = dense_search(connection, str(embedder.identity), vector, asked.scope, LEG_DEPTH)
            legs.append(
                {
                    "bm25": [(hit.chunk_id, hit.score) for hit in words],
                    "dense": [(hit.chunk_id, hit.score) for hit in near],
                }
            )
    print(json.dumps({"embedder": str(embedder.identity)} | report(questions, legs), indent=1))


if __name__ == "__main__":
    main()
