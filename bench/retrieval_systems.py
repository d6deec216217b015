"""The systems that the retrieval benchmark compares: Viska's legs and their fusion, and its peers."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bench.bm25s_peer import Bm25s
from bench.llama_peer import LlamaFusion
from bench.relevance import DEPTH, Asked, Chunk
from viska_assets.engines.protocols import Embedder, ModelIdentity, Reranker, Vectors
from viska_assets.retrieval.query_terms import query_terms
from viska_assets.retrieval.search import LEG_DEPTH, hybrid_search
from viska_assets.store.database import Connection
from viska_assets.store.search import dense_search, lexical_search

System = Callable[[Asked], list[str]]


@dataclass(frozen=True)
class Answered:
    """A question, what a system ranked for it, and what that cost the client in milliseconds."""

    asked: Asked
    ranked: list[str]
    cpu_ms: float
    wall_ms: float


class Remembered:
    """An embedder that has embedded the questions before, so that a search is timed without its model."""

    def __init__(self, embedder: Embedder, questions: Sequence[str]) -> None:
        self.identity: ModelIdentity = embedder.identity
        self.vectors: dict[str, Vectors] = {question: embedder.embed_query(question) for question in questions}

    def embed_query(self, text: str) -> Vectors:
        """The remembered vector of a question."""
        return self.vectors[text]

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """The remembered vectors of questions."""
        return np.stack([self.vectors[text] for text in texts])

    def count_tokens(self, text: str) -> int:
        """Its words; nothing is embedded by this one."""
        return len(text.split())


def viska_systems(connection: Connection, embedder: Remembered, reranker: Reranker | None) -> dict[str, System]:
    model = str(embedder.identity)

    def bm25(asked: Asked) -> list[str]:
        return [h.chunk_id for h in lexical_search(connection, query_terms(asked.question), asked.scope, LEG_DEPTH)]

    def dense(asked: Asked) -> list[str]:
        vector = embedder.vectors[asked.question]
        return [h.chunk_id for h in dense_search(connection, model, vector, asked.scope, LEG_DEPTH)]

    def hybrid(asked: Asked) -> list[str]:
        found = hybrid_search(connection, embedder, asked.question, asked.scope, DEPTH)
        return [passage.chunk_id for passage in found.passages]

    def hybrid_rerank(asked: Asked) -> list[str]:
        found = hybrid_search(connection, embedder, asked.question, asked.scope, DEPTH, reranker=reranker)
        return [passage.chunk_id for passage in found.passages]

    systems: dict[str, System] = {"bm25": bm25, "dense": dense, "hybrid": hybrid}
    return systems | ({"hybrid_rerank": hybrid_rerank} if reranker else {})


def peer_systems(chunks: Sequence[Chunk], vectors: dict[str, np.ndarray], embedder: Remembered) -> dict[str, System]:
    llama, words = LlamaFusion(chunks, vectors), Bm25s(chunks)

    def llama_index(asked: Asked) -> list[str]:
        return llama.search(asked.question, embedder.vectors[asked.question], asked.scope.document_ids, DEPTH)

    def bm25s(asked: Asked) -> list[str]:
        return words.search(asked.question, asked.scope.document_ids, DEPTH)

    return {"llama_index": llama_index, "bm25s": bm25s}


def ask_all(system: System, questions: Sequence[Asked], rounds: int = 1) -> list[Answered]:
    """Every question asked in some rounds; of their times the least counts, since other load can only add to it.

    The first question is asked once beforehand, so that building an index is not timed.
    """
    for asked in questions[:1]:
        system(asked)
    return [min((_ask(system, asked) for _ in range(rounds)), key=lambda found: found.cpu_ms) for asked in questions]


def _ask(system: System, asked: Asked) -> Answered:
    wall, cpu = time.perf_counter(), time.process_time()
    ranked = system(asked)
    spent = time.process_time() - cpu
    return Answered(asked, ranked, spent * 1000, (time.perf_counter() - wall) * 1000)


def quantiles(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "p50": round(ordered[len(ordered) // 2], 2),
        "p95": round(ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 2),
    }
