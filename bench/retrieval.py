"""Measures search: BM25, dense and hybrid beside llama-index's fusion, on the same chunks, vectors and questions.

Run as ``python bench/retrieval.py --pack P [--home H]``. Without a home the pack is ingested and embedded into a
temporary one first. A passage is relevant if it holds a gold evidence of the question: the cells of a row on one line,
four fifths of the words of a sentence or paragraph, the page of a page text, or the printed number of a tagged fact.
Recall counts the gold evidences found; nDCG is binary over passages (Järvelin and Kekäläinen 2002).
"""

import argparse
import json
import math
import os
import platform
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.llama_peer import LlamaFusion
from bench.packs import read_lines
from viska_assets.engines.catalogue import load_embedder
from viska_assets.engines.protocols import Embedder
from viska_assets.ingest.inspections import plan_of
from viska_assets.ingest.pipeline import read_received
from viska_assets.ingest.receiving import receive_files
from viska_assets.maintain.engine_version import engine_version
from viska_assets.retrieval.analyser import terms_of
from viska_assets.retrieval.embedding import embed_backlog
from viska_assets.retrieval.fusion import reciprocal_rank_fusion
from viska_assets.retrieval.search import LEG_DEPTH, LEG_WEIGHTS
from viska_assets.store.blobs import content_hash
from viska_assets.store.database import Connection
from viska_assets.store.home import Home
from viska_assets.store.search import SearchScope, dense_search, lexical_search
from viska_assets.store.server import EmbeddedServer
from viska_assets.store.settings import Settings

DEPTH = 10


@dataclass(frozen=True)
class Chunk:
    """A stored chunk as relevance is judged on it."""

    chunk_id: str
    document_id: str
    page: int | None
    text: str
    words: frozenset[str]


@dataclass(frozen=True)
class Asked:
    """A question with the chunks that hold each of its gold evidences."""

    question: str
    scope: SearchScope
    evidences: tuple[frozenset[str], ...]
    self_contained: bool

    @property
    def relevant(self) -> frozenset[str]:
        """The chunks that hold any of the gold evidence."""
        return frozenset().union(*self.evidences)


def words_of(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]{2,}|\d[\d.,]*\d|\d", text.lower()))


def squeezed(text: str) -> str:
    return re.sub(r"[\s|$]+", "", text.lower())


def holds(evidence: dict[str, Any], chunk: Chunk) -> bool:
    kind = evidence["kind"]
    if kind == "table_row":
        wanted = [squeezed(cell) for cell in evidence["cells"] if squeezed(cell)]
        return any(all(cell in squeezed(line) for cell in wanted) for line in chunk.text.splitlines())
    if kind == "page_text":
        return chunk.page == evidence["page"]
    if kind == "ixbrl_fact":
        return evidence["text"] in chunk.text
    wanted_words = words_of(evidence["text"])
    return bool(wanted_words) and len(wanted_words & chunk.words) >= 0.8 * len(wanted_words)


def read_chunks(connection: Connection) -> dict[str, list[Chunk]]:
    rows = connection.execute("SELECT chunk_id, document_id, page, text FROM retrieval.chunk ORDER BY chunk_no")
    found: dict[str, list[Chunk]] = {}
    for chunk_id, document_id, page, text in rows:
        found.setdefault(document_id, []).append(Chunk(chunk_id, document_id, page, text, words_of(text)))
    return found


def read_questions(pack: Path, chunks: dict[str, list[Chunk]], errors: list[dict[str, str]]) -> list[Asked]:
    documents = {
        entry["doc_id"]: content_hash((pack / entry["path"]).read_bytes())
        for entry in read_lines(pack / "manifest.jsonl")
    }
    found = []
    for line in read_lines(pack / "questions.jsonl"):
        own = [documents[doc_id] for doc_id in line["doc_ids"]]
        candidates = [chunk for document_id in own for chunk in chunks.get(document_id, [])]
        evidences = [frozenset(c.chunk_id for c in candidates if holds(e, c)) for e in line["gold_evidence"]]
        if not all(evidences):
            errors.append({"id": line["id"], "reason": "a gold evidence stands in no chunk by the rule of this bench"})
        if any(evidences):
            scope = SearchScope() if line["self_contained"] else SearchScope(document_ids=tuple(own))
            asked = Asked(line["question"], scope, tuple(e for e in evidences if e), line["self_contained"])
            found.append(asked)
    return found


def measures(asked: Asked, ranked: Sequence[str]) -> dict[str, float]:
    def recall(k: int) -> float:
        top = set(ranked[:k])
        return sum(1 for evidence in asked.evidences if evidence & top) / len(asked.evidences)

    gains = [1.0 if chunk in asked.relevant else 0.0 for chunk in ranked[:DEPTH]]
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(DEPTH, len(asked.relevant))))
    first = next((rank for rank, gain in enumerate(gains, start=1) if gain), 0)
    return {
        "recall5": recall(5),
        "recall10": recall(10),
        "ndcg10": sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains)) / ideal,
        "mrr": 1 / first if first else 0.0,
    }


def mean_of(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    return {key: round(sum(row[key] for row in rows) / len(rows), 4) for key in rows[0]} if rows else {}


def systems(connection: Connection, embedder: Embedder, vectors: dict[str, Any], peer: LlamaFusion) -> dict[str, Any]:
    model = str(embedder.identity)

    def bm25(asked: Asked) -> list[str]:
        return [h.chunk_id for h in lexical_search(connection, terms_of(asked.question), asked.scope, LEG_DEPTH)]

    def dense(asked: Asked) -> list[str]:
        return [h.chunk_id for h in dense_search(connection, model, vectors[asked.question], asked.scope, LEG_DEPTH)]

    def hybrid(asked: Asked) -> list[str]:
        fused = reciprocal_rank_fusion({"bm25": bm25(asked), "dense": dense(asked)}, LEG_WEIGHTS)
        return [chunk for chunk, _ in fused]

    def llama_index(asked: Asked) -> list[str]:
        return peer.search(asked.question, vectors[asked.question], asked.scope.document_ids, DEPTH)

    return {"bm25": bm25, "dense": dense, "hybrid": hybrid, "llama_index": llama_index}


def timed(run: Callable[[Asked], list[str]], asked: Asked) -> tuple[list[str], float]:
    started = time.process_time()
    return run(asked), (time.process_time() - started) * 1000


def quantiles(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "p50": round(ordered[len(ordered) // 2], 2),
        "p95": round(ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 2),
    }


def ingest(pack: Path, home: Home) -> None:
    paths = [pack / entry["path"] for entry in read_lines(pack / "manifest.jsonl")]
    settings = home.settings
    receive_files(
        home.database,
        home.blobs,
        paths,
        feed="bench",
        root=None,
        at=settings.clock(),
        largest=settings.max_document_bytes,
    )

    def said(what: str) -> None:
        print(what, file=sys.stderr)

    read_received(
        home.database,
        home.blobs,
        plan_of(settings),
        terms_of,
        workers=settings.workers,
        progress=lambda result: said(result.name),
    )
    embedder = load_embedder(settings.embedder, settings.embedder_key)
    embed_backlog(home.database, embedder, progress=lambda done: said(f"{done} chunks embedded"))


def run(pack: Path, home: Home) -> dict[str, Any]:
    errors: list[dict[str, str]] = []
    embedder = load_embedder(home.settings.embedder, home.settings.embedder_key)
    with home.database.transaction() as connection:
        chunks = read_chunks(connection)
        questions = read_questions(pack, chunks, errors)
        started = time.process_time()
        vectors = {asked.question: embedder.embed_query(asked.question) for asked in questions}
        embedding_ms = (time.process_time() - started) * 1000 / max(1, len(vectors))
        peer = LlamaFusion(connection, str(embedder.identity), [c for group in chunks.values() for c in group])
        result: dict[str, Any] = {"scoped": {}, "cpu_ms": {}}
        for name, search in systems(connection, embedder, vectors, peer).items():
            print(f"asking {name}", file=sys.stderr)
            answered = [(asked, *timed(search, asked)) for asked in questions]
            rows = {
                flag: [measures(asked, ranked) for asked, ranked, _ in answered if asked.self_contained is flag]
                for flag in (True, False)
            }
            result[name] = mean_of(rows[True])
            result["scoped"][name] = mean_of(rows[False])
            result["cpu_ms"][name] = quantiles([ms for asked, _, ms in answered if asked.self_contained])
    result["hybrid_rerank"] = result["hybrid"]
    best = max(result["bm25"]["ndcg10"], result["dense"]["ndcg10"])
    result["hybrid_minus_best_leg"] = round(result["hybrid"]["ndcg10"] - best, 4)
    result["hybrid_minus_llama_index"] = round(result["hybrid"]["ndcg10"] - result["llama_index"]["ndcg10"], 4)
    result["cpu_ratio_to_llama_index"] = round(
        result["cpu_ms"]["hybrid"]["p50"] / max(0.01, result["cpu_ms"]["llama_index"]["p50"]), 4
    )
    return result | {
        "query_embedding_cpu_ms": round(embedding_ms, 2),
        "reranker": "none",
        "n": {"questions": len(questions), "chunks": sum(map(len, chunks.values()))},
        "engine_version": engine_version(home.settings.embedder),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "errors": errors[:200],
        "errors_total": len(errors),
        "docs": "cpu_ms is the client's CPU, without the server's share; hybrid_rerank is hybrid with reranker none",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--home", type=Path, help="a home into which the pack was ingested and embedded")
    arguments = parser.parse_args()
    if arguments.home:
        print(json.dumps(run(arguments.pack, Home(Settings(home=arguments.home))), indent=1))
        return
    with tempfile.TemporaryDirectory() as scratch:
        home = Home(Settings(home=Path(scratch)))
        ingest(arguments.pack, home)
        result = run(arguments.pack, home)
        home.close()
        EmbeddedServer(Path(scratch)).stop()
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
