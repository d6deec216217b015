"""A peer of the asking benchmark: haystack's in-memory BM25 and embedding retrievers with its RRF joiner."""

import os
from collections.abc import Sequence

import numpy as np

# Haystack counts its users over the network unless told otherwise, before it is loaded.
os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")

from haystack import Document
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

LEG_DEPTH = 60


class Haystack:
    """Both retrievers over some passages, joined by reciprocal rank."""

    def __init__(self, passages: Sequence[tuple[str, str]], vectors: np.ndarray) -> None:
        store = InMemoryDocumentStore(embedding_similarity_function="dot_product")
        store.write_documents(
            [
                Document(id=chunk_id, content=text, embedding=vector.tolist())
                for (chunk_id, text), vector in zip(passages, vectors, strict=True)
            ]
        )
        self._words = InMemoryBM25Retriever(store, top_k=LEG_DEPTH)
        self._vectors = InMemoryEmbeddingRetriever(store, top_k=LEG_DEPTH)
        self._joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=LEG_DEPTH)

    def search(self, question: str, vector: np.ndarray, limit: int) -> list[str]:
        """The ids of the best passages."""
        words = self._words.run(query=question)["documents"]
        near = self._vectors.run(query_embedding=vector.tolist())["documents"]
        return [document.id for document in self._joiner.run([words, near])["documents"][:limit]]
