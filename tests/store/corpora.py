"""Small corpora for tests of search: random documents of few words, and what rank-bm25 says of them."""

import random
from datetime import UTC, datetime

import pytest
from rank_bm25 import BM25Okapi

from viska_assets.model.document import BlockKind, Chunk
from viska_assets.model.span import Span
from viska_assets.store.chunks import DocumentChunks, IndexedChunk, write_documents_chunks
from viska_assets.store.database import Connection
from viska_assets.store.documents import add_document
from viska_assets.store.lexical import lexical_search
from viska_assets.store.scope import SearchScope

WORDS = [f"w{n}" for n in range(60)] + ["the"] * 30
EPOCH = datetime(2025, 1, 1, tzinfo=UTC)


def add(connection: Connection, number: int, texts: list[str], *, feed: str = "t") -> str:
    """Writes a document of these chunks and returns its id."""
    add_together(connection, {number: texts}, feed=feed)
    return f"{number:064x}"


def add_together(connection: Connection, documents: dict[int, list[str]], *, feed: str = "t") -> None:
    """Writes documents, by number, at once."""
    written = []
    for number, texts in documents.items():
        document_id = f"{number:064x}"
        add_document(connection, document_id, f"{number}.txt", 1, feed=feed, path=str(number), received_at=EPOCH)
        chunks = [
            IndexedChunk(
                Chunk(f"{number}-{at}", document_id, at, BlockKind.PARAGRAPH, Span(0, len(text)), text, ""),
                text.split(),
            )
            for at, text in enumerate(texts)
        ]
        written.append(DocumentChunks(document_id, chunks))
    write_documents_chunks(connection, written)


def corpus(seed: int, documents: int) -> dict[int, list[str]]:
    """Random documents by number."""
    rng = random.Random(seed)
    return {n: random_texts(rng) for n in range(1, documents + 1)}


def random_texts(rng: random.Random) -> list[str]:
    """The chunks of one random document."""
    return [" ".join(rng.choices(WORDS, k=rng.randint(3, 40))) for _ in range(rng.randint(1, 4))]


def texts_by_chunk(documents: dict[int, list[str]]) -> dict[str, str]:
    """Chunk id to text."""
    return {f"{n}-{at}": text for n, chunks in documents.items() for at, text in enumerate(chunks)}


def oracle(texts: dict[str, str], query: list[str]) -> dict[str, float]:
    """What rank-bm25 scores each chunk that any term of the query moves."""
    ids = sorted(texts)
    scores = BM25Okapi([texts[chunk].split() for chunk in ids]).get_scores(query)
    return {chunk: score for chunk, score in zip(ids, scores, strict=True) if score != 0}


def equals_oracle(connection: Connection, documents: dict[int, list[str]], rng: random.Random, queries: int) -> None:
    """Asserts that BM25 scores the chunks of these documents, by number, as rank-bm25 does, for random queries."""
    texts = texts_by_chunk(documents)
    for _ in range(queries):
        query = rng.choices([*WORDS, "absent"], k=rng.randint(1, 5))
        found = {
            hit.chunk_id: hit.score
            for hit in lexical_search(connection, query, SearchScope(), 10_000)
            if abs(hit.score) > 1e-200
        }
        assert found == pytest.approx(oracle(texts, query), rel=1e-9)
