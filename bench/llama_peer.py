"""The peer of the retrieval benchmark: llama-index-core's fusion of rank-bm25 and vectors, on the same chunks."""

import re
from collections.abc import Sequence

import numpy as np
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from rank_bm25 import BM25Okapi

from bench.relevance import Chunk
from viska_assets.store.database import Connection
from viska_assets.store.embeddings import chunk_vectors

LEG_DEPTH = 60


def tokens_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


class _Words(BaseRetriever):
    """rank-bm25 over some nodes."""

    def __init__(self, nodes: Sequence[TextNode]) -> None:
        super().__init__()
        self._nodes = nodes
        self._index = BM25Okapi([tokens_of(node.text) for node in nodes])

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        scores = self._index.get_scores(tokens_of(query_bundle.query_str))
        best = np.argsort(-scores)[:LEG_DEPTH]
        return [NodeWithScore(node=self._nodes[at], score=float(scores[at])) for at in best]


class _Vectors(BaseRetriever):
    """The nearest of some nodes to the query's vector, exactly."""

    def __init__(self, nodes: Sequence[TextNode], vectors: np.ndarray) -> None:
        super().__init__()
        self._nodes = nodes
        self._vectors = vectors
        self.query: np.ndarray | None = None

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        scores = self._vectors @ self.query
        best = np.argsort(-scores)[:LEG_DEPTH]
        return [NodeWithScore(node=self._nodes[at], score=float(scores[at])) for at in best]


class LlamaFusion:
    """QueryFusionRetriever (reciprocal rank) over both, for the whole corpus and for one document at a time."""

    def __init__(self, chunks: Sequence[Chunk], vectors: dict[str, np.ndarray]) -> None:
        self._nodes = [TextNode(id_=c.chunk_id, text=c.embedded, metadata={"document": c.document_id}) for c in chunks]
        self._vectors = np.stack([vectors[c.chunk_id] for c in chunks])
        self._built: dict[tuple[str, ...] | None, tuple[QueryFusionRetriever, _Vectors]] = {}

    def search(self, question: str, vector: np.ndarray, documents: tuple[str, ...] | None, limit: int) -> list[str]:
        """The ids of the best nodes."""
        if documents not in self._built:
            self._built[documents] = self._build(documents)
        fusion, vectors = self._built[documents]
        vectors.query = vector
        return [hit.node.node_id for hit in fusion.retrieve(question)[:limit]]

    def _build(self, documents: tuple[str, ...] | None) -> tuple[QueryFusionRetriever, _Vectors]:
        chosen = [
            at for at, node in enumerate(self._nodes) if documents is None or node.metadata["document"] in documents
        ]
        nodes = [self._nodes[at] for at in chosen]
        vectors = _Vectors(nodes, self._vectors[chosen])
        fusion = QueryFusionRetriever(
            [_Words(nodes), vectors],
            llm=MockLLM(),
            mode="reciprocal_rerank",
            similarity_top_k=LEG_DEPTH,
            num_queries=1,
            use_async=False,
        )
        return fusion, vectors


def stored_vectors(connection: Connection, model: str) -> dict[str, np.ndarray]:
    """The stored embeddings of a model by chunk id."""
    return chunk_vectors(connection, model)
