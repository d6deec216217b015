"""A peer of the retrieval benchmark: bm25s, Robertson's method, on the same chunks with its own tokeniser."""

from collections.abc import Sequence
from typing import Any

import bm25s

from bench.llama_peer import tokens_of
from bench.relevance import Chunk


class Bm25s:
    """An index in memory for the whole corpus and for one document at a time, built when first asked."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = list(chunks)
        self._built: dict[tuple[str, ...] | None, tuple[Any, list[str]]] = {}

    def search(self, question: str, documents: tuple[str, ...] | None, limit: int) -> list[str]:
        """The ids of the best chunks."""
        if documents not in self._built:
            self._built[documents] = self._build(documents)
        index, ids = self._built[documents]
        found, _ = index.retrieve([tokens_of(question)], corpus=ids, k=min(limit, len(ids)), show_progress=False)
        return [str(chunk_id) for chunk_id in found[0]]

    def _build(self, documents: tuple[str, ...] | None) -> tuple[Any, list[str]]:
        chosen = [chunk for chunk in self._chunks if documents is None or chunk.document_id in documents]
        index = bm25s.BM25(method="robertson")
        index.index([tokens_of(chunk.embedded) for chunk in chosen], show_progress=False)
        return index, [chunk.chunk_id for chunk in chosen]
