"""BM25 in Postgres against rank-bm25, the oracle: the same scores after inserts and deletions, in every order."""

import random

import numpy as np
import pytest

from tests.store.corpora import EPOCH, add, corpus, equals_oracle
from viska_assets.model.document import Cover, MediaType, ParsedDocument
from viska_assets.model.span import OffsetMap
from viska_assets.store.chunks import remove_chunks, write_document_text
from viska_assets.store.database import Database
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
        equals_oracle(connection, documents, random.Random(2), 50)


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


def test_a_term_in_half_of_the_chunks_weighs_nothing_and_is_found(database: Database) -> None:
    with database.transaction() as connection:
        add(connection, 1, ["w1 w2", "w1 w3", "w4", "w5"])
        hits = lexical_search(connection, ["w1"], SearchScope(), 10)
        assert [hit.chunk_id for hit in hits] == ["1-0", "1-1"]
        assert [hit.score for hit in hits] == pytest.approx([0, 0])
