"""BM25 in Postgres against rank-bm25, the oracle: the same scores after inserts and deletions, in every order."""

import random
from datetime import UTC, datetime

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from viska_assets.model.document import BlockKind, Chunk, Cover, MediaType, ParsedDocument
from viska_assets.model.span import OffsetMap, Span
from viska_assets.store.chunks import IndexedChunk, remove_chunks, write_chunks, write_document_text
from viska_assets.store.database import Connection, Database
from viska_assets.store.documents import add_document
from viska_assets.store.search import (
    SearchScope,
    chunks_without_embedding,
    dense_search,
    embedding_backlog,
    lexical_search,
    write_embeddings,
)
from viska_assets.store.statistics import repair_statistics, statistics_drift

pytestmark = pytest.mark.database
WORDS = [f"w{n}" for n in range(60)] + ["the"] * 30
EPOCH = datetime(2025, 1, 1, tzinfo=UTC)


def add(connection: Connection, number: int, texts: list[str]) -> str:
    document_id = f"{number:064x}"
    add_document(connection, document_id, f"{number}.txt", 1, feed="t", path=str(number), received_at=EPOCH)
    chunks = [
        IndexedChunk(
            Chunk(f"{number}-{at}", document_id, at, BlockKind.PARAGRAPH, Span(0, len(text)), text, ""), text.split()
        )
        for at, text in enumerate(texts)
    ]
    write_chunks(connection, document_id, chunks)
    return document_id


def corpus(seed: int, documents: int) -> dict[int, list[str]]:
    rng = random.Random(seed)
    return {
        n: [" ".join(rng.choices(WORDS, k=rng.randint(3, 40))) for _ in range(rng.randint(1, 4))]
        for n in range(1, documents + 1)
    }


def oracle(texts: dict[str, str], query: list[str]) -> dict[str, float]:
    ids = sorted(texts)
    scores = BM25Okapi([texts[chunk].split() for chunk in ids]).get_scores(query)
    return {chunk: score for chunk, score in zip(ids, scores, strict=True) if score != 0}


def test_scores_are_those_of_the_oracle_after_inserts_and_deletions(database: Database) -> None:
    documents = corpus(1, 60)
    with database.transaction() as connection:
        for number, texts in documents.items():
            add(connection, number, texts)
        for number in (3, 17, 42):
            remove_chunks(connection, f"{number:064x}")
            del documents[number]
        add(connection, 99, ["w1 w2 w3 the the", "w1 w1 w1"])
        documents[99] = ["w1 w2 w3 the the", "w1 w1 w1"]
        texts = {f"{n}-{at}": text for n, chunks in documents.items() for at, text in enumerate(chunks)}
        rng = random.Random(2)
        for _ in range(50):
            query = rng.choices([*WORDS, "absent"], k=rng.randint(1, 5))
            found = {hit.chunk_id: hit.score for hit in lexical_search(connection, query, SearchScope(), 10_000)}
            assert found == pytest.approx(oracle(texts, query), rel=1e-9)


def test_statistics_are_those_of_the_chunks_and_can_be_repaired(database: Database) -> None:
    with database.transaction() as connection:
        for number, texts in corpus(3, 10).items():
            add(connection, number, texts)
        assert statistics_drift(connection).problems == ()
        connection.execute("UPDATE retrieval.term SET df = df + 1 WHERE term = 'w1'")
        connection.execute("UPDATE retrieval.corpus SET terms = terms + 5")
        assert len(statistics_drift(connection).problems) == 2
        repair_statistics(connection)
        assert statistics_drift(connection).problems == ()


def test_a_document_written_again_is_found_once(database: Database) -> None:
    with database.transaction() as connection:
        add(connection, 1, ["w1 w2", "w3"])
        add(connection, 1, ["w1 w4"])
        hits = lexical_search(connection, ["w1"], SearchScope(), 10)
        assert [hit.chunk_id for hit in hits] == ["1-0"]
        assert lexical_search(connection, ["w3"], SearchScope(), 10) == []


def test_scopes_are_enforced_in_sql(database: Database) -> None:
    with database.transaction() as connection:
        first, second = add(connection, 1, ["w1"]), add(connection, 2, ["w1"])
        connection.execute("UPDATE raw.document SET entity = 'issuers/acme' WHERE document_id = %s", (first,))
        connection.execute(
            "UPDATE raw.document SET known_at = '2026-01-01', withdrawn = true WHERE document_id = %s", (second,)
        )

        def found(scope: SearchScope) -> list[str]:
            return [hit.chunk_id for hit in lexical_search(connection, ["w1"], scope, 10)]

        assert found(SearchScope()) == ["1-0"], "a withdrawn document is not found"
        assert found(SearchScope(entity="issuers/acme")) == ["1-0"]
        assert found(SearchScope(entity="issuers/other")) == []
        assert found(SearchScope(namespace="private")) == []
        assert found(SearchScope(known_at=datetime(2024, 1, 1, tzinfo=UTC))) == []
        assert found(SearchScope(document_ids=(second,))) == []


def test_the_nearest_vector_comes_first_and_the_backlog_is_counted(database: Database) -> None:
    rng = np.random.default_rng(0)
    with database.transaction() as connection:
        add(connection, 1, ["a", "b", "c"])
        assert embedding_backlog(connection, "m", 384) == 3
        batch = chunks_without_embedding(connection, "m", 384, 2)
        vectors = rng.normal(size=(2, 384)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        write_embeddings(connection, "m", [row[0] for row in batch], vectors)
        assert embedding_backlog(connection, "m", 384) == 1
        assert embedding_backlog(connection, "another", 384) == 3
        hits = dense_search(connection, "m", vectors[1], SearchScope(), 5)
        assert next(hit.chunk_id for hit in hits) == batch[1][0]
        assert hits[0].score == pytest.approx(1, abs=1e-2)


def test_text_is_stored_with_its_offsets(database: Database) -> None:
    document = ParsedDocument("a" * 64, MediaType.TEXT, "text", OffsetMap(((0, 0), (2, 5))), (), Cover())
    with database.transaction() as connection:
        add_document(connection, "a" * 64, "a.txt", 1, feed="t", path="a", received_at=EPOCH)
        write_document_text(connection, document)
        row = connection.execute("SELECT text, offsets FROM retrieval.document_text").fetchone()
        assert row == ("text", [[0, 0], [2, 5]])
