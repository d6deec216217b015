"""Measures search: BM25, dense and hybrid beside llama-index's fusion and bm25s, on the same chunks and questions.

Run as ``python bench/retrieval.py --pack P [--home H] [--reranker NAME]``. Without a home the pack is ingested and
embedded into a temporary one first. What counts as relevant stands in ``bench/relevance.py``. Recall counts the gold
evidences found; nDCG is binary over passages (Järvelin and Kekäläinen 2002).
"""

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.homes import pack_home
from bench.llama_peer import stored_vectors
from bench.relevance import any_evidence_in_top5, mean_of, measures, read_chunks, read_questions
from bench.retrieval_costs import Corpus, costs, throughput
from bench.retrieval_systems import Answered, Remembered, ask_all, peer_systems, quantiles, viska_systems
from viska_assets.engines.catalogue import load_embedder, load_reranker
from viska_assets.maintain.engine_version import engine_version
from viska_assets.store.home import Home

LEGS = ("bm25", "dense")


def by_set(answered: dict[str, list[Answered]]) -> dict[str, Any]:
    """The measures of every system on each question set, and what the fusion adds to its best leg there."""
    sets = sorted({a.asked.source_set for rows in answered.values() for a in rows})
    found: dict[str, Any] = {}
    for name in sets:
        table: dict[str, Any] = {
            system: mean_of(measures(a.asked, a.ranked) for a in rows if a.asked.source_set == name)
            for system, rows in answered.items()
        }
        best = max(table[leg]["ndcg10"] for leg in LEGS)
        count = sum(1 for a in answered["hybrid"] if a.asked.source_set == name)
        added = {"questions": count, "hybrid_minus_best_leg": round(table["hybrid"]["ndcg10"] - best, 4)}
        found[name] = table | added
    return found


def evidence_top5(answered: dict[str, list[Answered]]) -> dict[str, float]:
    """The share of scoped lookup questions with a passage that holds gold evidence among the first five."""
    found = {}
    for name, rows in answered.items():
        lookups = [a for a in rows if not a.asked.self_contained and a.asked.answer_type == "lookup"]
        if lookups:
            hits = sum(any_evidence_in_top5(a.asked, a.ranked) for a in lookups)
            found[name] = round(hits / len(lookups), 4)
    return found


def rankings(answered: dict[str, list[Answered]], self_contained: bool) -> dict[str, Any]:
    return {
        name: mean_of(measures(a.asked, a.ranked) for a in rows if a.asked.self_contained is self_contained)
        for name, rows in answered.items()
    }


def cpu(answered: dict[str, list[Answered]]) -> dict[str, Any]:
    return {
        name: quantiles([a.cpu_ms for a in rows if a.asked.self_contained] or [0.0]) for name, rows in answered.items()
    }


def run(pack: Path, home: Home, reranker_name: str) -> dict[str, Any]:
    errors: list[dict[str, str]] = []
    settings = home.settings
    embedder = load_embedder(settings.embedder)
    reranker = load_reranker(reranker_name)
    with home.database.transaction() as connection:
        chunks = read_chunks(connection)
        questions = read_questions(pack, chunks, errors)
        started = time.process_time()
        asked = Remembered(embedder, [question.question for question in questions])
        embedding_ms = (time.process_time() - started) * 1000 / max(1, len(questions))
        every = [chunk for group in chunks.values() for chunk in group]
        vectors = stored_vectors(connection, str(embedder.identity))
        systems = viska_systems(connection, asked, reranker) | peer_systems(every, vectors, asked)
        answered: dict[str, list[Answered]] = {}
        for name, system in systems.items():
            print(f"asking {name}", file=sys.stderr)
            answered[name] = ask_all(system, questions)
    answered.setdefault("hybrid_rerank", answered["hybrid"])
    result = rankings(answered, True)
    small = costs(Corpus(pack, chunks, vectors), questions, embedder, asked)
    best = max(result[leg]["ndcg10"] for leg in LEGS)
    ratio = small["cpu_ms"]["hybrid"]["p50"] / max(0.01, small["cpu_ms"]["llama_index"]["p50"])
    return result | {
        "hybrid_minus_best_leg": round(result["hybrid"]["ndcg10"] - best, 4),
        "hybrid_minus_llama_index": round(result["hybrid"]["ndcg10"] - result["llama_index"]["ndcg10"], 4),
        "by_set": by_set(answered),
        "scoped": rankings(answered, False),
        "evidence_top5": evidence_top5(answered),
        "cpu_ms": cpu(answered),
        "at_2000_chunks": small,
        "cpu_ratio_to_llama_index": round(ratio, 4),
        "embedding": throughput(every),
        "query_embedding_cpu_ms": round(embedding_ms, 2),
        "reranker": reranker_name,
        "n": {"questions": len(questions), "chunks": len(every)},
        "engine_version": engine_version(settings.embedder, reranker=reranker_name),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load_average": round(os.getloadavg()[0], 2),
        "errors": errors[:200],
        "errors_total": len(errors),
        "docs": "cpu_ms is the client's CPU without the server's share and without embedding the question; hybrid is "
        "the whole of a search, passages read and near-duplicates collapsed; cpu_ratio_to_llama_index is of "
        "at_2000_chunks",
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--home", type=Path, help="a home into which the pack was ingested and embedded")
    parser.add_argument("--reranker", default="none", help="for hybrid_rerank, as VISKA_RERANKER takes it")
    given = parser.parse_args(arguments)
    with pack_home(given.pack, given.home) as home:
        result = run(given.pack, home, given.reranker)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
