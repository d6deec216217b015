"""What stood in the tables of an older schema is found again under the newest one."""

import random
from collections import Counter

import numpy as np
import pytest
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from tests.store.corpora import EPOCH, WORDS, add, corpus, oracle, texts_by_chunk
from viska_assets.store.chunks import remove_chunks, text_hash
from viska_assets.store.database import Connection, Database
from viska_assets.store.dense import dense_search
from viska_assets.store.documents import add_document
from viska_assets.store.embeddings import embedding_backlog, embedding_models
from viska_assets.store.lexical import lexical_search
from viska_assets.store.merging import compact
from viska_assets.store.migrate import migrate
from viska_assets.store.scope import SearchScope
from viska_assets.store.statistics import statistics_drift

pytestmark = pytest.mark.database


def write_as_before_segments(connection: Connection, documents: dict[int, list[str]], vectors: np.ndarray) -> None:
    """Chunks, posting rows and embeddings as revision 0004 had them."""
    at = 0
    for number, texts in documents.items():
        document_id = f"{number:064x}"
        add_document(connection, document_id, f"{number}.txt", 1, feed="t", path=str(number), received_at=EPOCH)
        for ordinal, text in enumerate(texts):
            words = text.split()
            row = connection.execute(
                """
                INSERT INTO retrieval.chunk (chunk_id, document_id, ordinal, kind, start_char, end_char, text, terms,
                    text_sha256)
                VALUES (%s, %s, %s, 'paragraph', 0, 0, %s, %s, %s) RETURNING chunk_no
                """,
                (f"{number}-{ordinal}", document_id, ordinal, text, len(words), text_hash(text)),
            ).fetchone()
            assert row is not None
            for term, frequency in Counter(words).items():
                connection.execute(
                    """
                    WITH t AS (INSERT INTO retrieval.term AS o (namespace, term, df) VALUES ('default', %s, 1)
                        ON CONFLICT (namespace, term) DO UPDATE SET df = o.df + 1 RETURNING term_no)
                    INSERT INTO retrieval.posting SELECT 'default', term_no, %s, %s, %s FROM t
                    """,
                    (term, row[0], frequency, len(words)),
                )
            connection.execute(
                "INSERT INTO retrieval.embedding_384 VALUES ('m', %s, %s)",
                (f"{number}-{ordinal}", HalfVector(vectors[at])),
            )
            at += 1
    connection.execute("INSERT INTO retrieval.corpus SELECT 'default', count(*), sum(terms) FROM retrieval.chunk")


def test_postings_and_embeddings_of_before_are_found_afterwards(empty_database_url: str) -> None:
    database = Database(empty_database_url)
    documents = corpus(20, 12)
    texts = texts_by_chunk(documents)
    rng = np.random.default_rng(20)
    vectors = rng.normal(size=(len(texts), 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert migrate(database, "0004") == "0004"
    with database.transaction() as connection:
        register_vector(connection)
        write_as_before_segments(connection, documents, vectors)
    assert migrate(database) >= "0005"
    with database.transaction() as connection:
        check(connection, documents)
        assert [(m.model, m.engine, m.active) for m in embedding_models(connection)] == [("m", "minilm-int8", True)]
        add(connection, 1, documents[1])
        assert embedding_backlog(connection, "m", 384) == 0, "the keys are those that are computed today"
        for at, chunk_id in enumerate(texts):
            hits = dense_search(connection, "m", vectors[at], SearchScope(), 3)
            assert texts[hits[0].chunk_id] == texts[chunk_id]
        remove_chunks(connection, f"{2:064x}")
        del documents[2]
        documents[40] = ["w1 w2 w3"]
        add(connection, 40, documents[40])
        check(connection, documents)
    compact(database)
    with database.transaction() as connection:
        check(connection, documents)
    database.close()


def check(connection: Connection, documents: dict[int, list[str]]) -> None:
    rng = random.Random(3)
    for _ in range(20):
        query = rng.choices(WORDS, k=rng.randint(1, 4))
        found = {
            hit.chunk_id: hit.score
            for hit in lexical_search(connection, query, SearchScope(), 10_000)
            if abs(hit.score) > 1e-200
        }
        assert found == pytest.approx(oracle(texts_by_chunk(documents), query), rel=1e-9)
    assert statistics_drift(connection).problems == ()


def test_the_view_of_postings_lists_them_one_by_one(database: Database) -> None:
    with database.transaction() as connection:
        documents = corpus(21, 10)
        for number, texts in documents.items():
            add(connection, number, texts)
        remove_chunks(connection, f"{3:064x}")
        del documents[3]
        rows = connection.execute(
            """
            SELECT c.chunk_id, t.term, p.tf, p.terms FROM retrieval.posting p
            JOIN retrieval.term t USING (namespace, term_no) JOIN retrieval.chunk c USING (chunk_no)
            """
        ).fetchall()
    expected = [
        (chunk_id, term, count, len(text.split()))
        for chunk_id, text in texts_by_chunk(documents).items()
        for term, count in Counter(text.split()).items()
    ]
    assert sorted(rows) == sorted(expected)
