"""A few documents in a database, and an embedder that is a function of the words: what tests of search share."""

import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from viska_assets.engines.protocols import EngineError, ModelIdentity, Vectors
from viska_assets.model.document import BlockKind, Chunk
from viska_assets.model.span import Span
from viska_assets.retrieval.analyser import terms_of
from viska_assets.store.chunks import IndexedChunk, write_chunks
from viska_assets.store.database import Connection
from viska_assets.store.documents import add_document
from viska_assets.store.search import write_embeddings

KNOWN = datetime(2025, 1, 1, tzinfo=UTC)


class BagOfWords:
    """Unit vectors in which every word has one place."""

    identity = ModelIdentity("bag-of-words", "1", "0" * 64, 384)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), 384), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[0] = 0.01
            for word in re.findall(r"\w+", text.lower()):
                row[1 + int(hashlib.sha256(word.encode()).hexdigest(), 16) % 383] += 1
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed_passages([text])[0]
        return vector

    def count_tokens(self, text: str) -> int:
        return len(text.split())


class DeadEmbedder(BagOfWords):
    """One whose server does not answer."""

    def embed_query(self, text: str) -> Vectors:
        raise EngineError("the server did not answer")


def add_texts(connection: Connection, number: int, texts: Sequence[str], entity: str | None = None) -> list[str]:
    """Writes a document of these chunks with their embeddings; returns the chunk ids."""
    document_id = f"{number:064x}"
    add_document(connection, document_id, f"{number}.txt", 1, feed="t", path=str(number), received_at=KNOWN)
    connection.execute(
        "UPDATE raw.document SET entity = %s, source_concept = %s WHERE document_id = %s",
        (entity, f"sources/{number}", document_id),
    )
    chunks = [
        Chunk(f"{number}-{at}", document_id, at, BlockKind.PARAGRAPH, Span(0, len(text)), text, f"Document {number}")
        for at, text in enumerate(texts)
    ]
    write_chunks(connection, document_id, [IndexedChunk(chunk, terms_of(chunk.text)) for chunk in chunks])
    model = BagOfWords()
    write_embeddings(connection, str(model.identity), [c.chunk_id for c in chunks], model.embed_passages(texts))
    return [chunk.chunk_id for chunk in chunks]
