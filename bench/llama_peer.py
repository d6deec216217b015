"""The peer of the search benchmarks: llama-index's fusion of its own BM25 and in-memory vectors, on the same chunks."""

import re
from collections.abc import Sequence

import numpy as np
from llama_index.core import VectorStoreIndex
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import QueryBundle, TextNode
from llama_index.retrievers.bm25 import BM25Retriever

from bench.relevance import Chunk
from viska_assets.store.database import Connection
from viska_assets.store.embeddings import chunk_vectors

LEG_DEPTH = 60


def tokens_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


class LlamaFusion:
    """QueryFusionRetriever (reciprocal rank) of BM25Retriever and a VectorStoreIndex in memory, all as they come.

    For the whole corpus, and for some documents at a time: the filters of the two legs differ, so that those get an
    index of their own.
    """

    def __init__(self, chunks: Sequence[Chunk], vectors: dict[str, np.ndarray]) -> None:
        self._chunks = chunks
        self._vectors = vectors
        self._built: dict[tuple[str, ...] | None, QueryFusionRetriever] = {}

    def search(self, question: str, vector: np.ndarray, documents: tuple[str, ...] | None, limit: int) -> list[str]:
        """The ids of the best nodes."""
        if documents not in self._built:
            self._built[documents] = self._build(documents)
        asked = QueryBundle(question, embedding=vector.tolist())
        return [hit.node.node_id for hit in self._built[documents].retrieve(asked)[:limit]]

    def _build(self, documents: tuple[str, ...] | None) -> QueryFusionRetriever:
        nodes = [
            TextNode(id_=chunk.chunk_id, text=chunk.embedded, embedding=self._vectors[chunk.chunk_id].tolist())
            for chunk in self._chunks
            if documents is None or chunk.document_id in documents
        ]
        vectors = VectorStoreIndex(nodes, embed_model=MockEmbedding(len(next(iter(self._vectors.values())))))
        return QueryFusionRetriever(
            [
                BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=LEG_DEPTH),
                vectors.as_retriever(similarity_top_k=LEG_DEPTH),
            ],
            llm=MockLLM(),
            mode="reciprocal_rerank",
            similarity_top_k=LEG_DEPTH,
            num_queries=1,
            use_async=False,
        )


def stored_vectors(connection: Connection, model: str) -> dict[str, np.ndarray]:
    """The stored embeddings of a model by chunk id."""
    return chunk_vectors(connection, model)
