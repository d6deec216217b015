"""The two legs of hybrid search in SQL: exact Okapi BM25 over postings, and nearest embeddings."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

import numpy as np
import psycopg
from pgvector import HalfVector

from viska_assets.store.database import Connection

K1 = 1.5
B = 0.75
EPSILON = 0.25  # floor of a negative idf, as a share of the mean idf (rank-bm25's BM25Okapi)


@dataclass(frozen=True)
class SearchScope:
    """Which chunks may be found: all conditions hold together; None asks for nothing."""

    namespace: str = "default"
    entity: str | None = None
    document_ids: tuple[str, ...] | None = None
    form: str | None = None
    known_at: datetime | None = None


@dataclass(frozen=True)
class Hit:
    """A chunk found by one leg, best first; scores of different legs are not comparable."""

    chunk_id: str
    score: float


class EmbeddingTable(Enum):
    """The embedding tables by dimension."""

    D384 = 384
    D1024 = 1024

    @property
    def name_in_sql(self) -> str:
        """The table's qualified name."""
        return f"retrieval.embedding_{self.value}"


def _scope_condition(scope: SearchScope) -> tuple[str, dict[str, Any]]:
    conditions = ["NOT d.withdrawn"]
    values: dict[str, Any] = {"namespace": scope.namespace}
    if scope.entity is not None:
        conditions.append("d.entity = %(entity)s")
        values["entity"] = scope.entity
    if scope.document_ids is not None:
        conditions.append("d.document_id = ANY(%(document_ids)s)")
        values["document_ids"] = list(scope.document_ids)
    if scope.form is not None:
        conditions.append("d.cover ->> 'form' = %(form)s")
        values["form"] = scope.form
    if scope.known_at is not None:
        conditions.append("d.known_at <= %(known_at)s")
        values["known_at"] = scope.known_at
    return " AND ".join(conditions), values


def lexical_search(connection: Connection, terms: Sequence[str], scope: SearchScope, limit: int) -> list[Hit]:
    """The best chunks by Okapi BM25 (Robertson and Zaragoza 2009) with rank-bm25's floor for common terms.

    Args:
        connection: for one statement or two.
        terms: the analysed query; a repeated term counts as often as it stands.
        scope: which chunks may be found. Term statistics are those of the whole namespace.
        limit: how many hits at most.
    """
    weights = _term_weights(connection, Counter(terms), scope.namespace)
    if not weights:
        return []
    mean_length = connection.execute(
        "SELECT terms::float8 / greatest(chunks, 1) FROM retrieval.corpus WHERE namespace = %s", (scope.namespace,)
    ).fetchone()
    condition, values = _scope_condition(scope)
    rows = connection.execute(
        f"""
        SELECT c.chunk_id, sum(
            q.weight * p.tf * (%(k1)s::float8 + 1)
            / (p.tf + %(k1)s::float8 * (1 - %(b)s::float8 + %(b)s::float8 * p.terms / %(mean_length)s::float8))
        ) AS score
        FROM unnest(%(numbers)s::int8[], %(weights)s::float8[]) AS q (term_no, weight)
        JOIN retrieval.posting p ON p.namespace = %(namespace)s AND p.term_no = q.term_no
        JOIN retrieval.chunk c ON c.chunk_no = p.chunk_no
        JOIN raw.document d ON d.document_id = c.document_id
        WHERE {condition}
        GROUP BY c.chunk_id ORDER BY score DESC, c.chunk_id LIMIT %(limit)s
        """,  # noqa: S608
        values
        | {
            "k1": K1,
            "b": B,
            "mean_length": mean_length[0] if mean_length else 1.0,
            "numbers": list(weights),
            "weights": list(weights.values()),
            "limit": limit,
        },
    )
    return [Hit(row[0], row[1]) for row in rows]


def _term_weights(connection: Connection, terms: Counter[str], namespace: str) -> dict[int, float]:
    """Term number to idf times its count in the query, for the terms that occur at all."""
    rows = connection.execute(
        """
        SELECT t.term, t.term_no, ln(c.chunks - t.df + 0.5::float8) - ln(t.df + 0.5::float8)
        FROM retrieval.term t JOIN retrieval.corpus c USING (namespace)
        WHERE t.namespace = %s AND t.term = ANY(%s) AND t.df > 0
        """,
        (namespace, list(terms)),
    ).fetchall()
    floor = 0.0
    if any(idf < 0 for _, _, idf in rows):
        mean = connection.execute(
            """
            SELECT avg(ln(c.chunks - t.df + 0.5::float8) - ln(t.df + 0.5::float8))
            FROM retrieval.term t JOIN retrieval.corpus c USING (namespace) WHERE t.namespace = %s AND t.df > 0
            """,
            (namespace,),
        ).fetchone()
        floor = EPSILON * float(mean[0]) if mean else 0.0
    return {number: terms[term] * (idf if idf >= 0 else floor) for term, number, idf in rows}


def dense_search(connection: Connection, model: str, query: np.ndarray, scope: SearchScope, limit: int) -> list[Hit]:
    """The nearest chunks by inner product of unit vectors, exactly.

    Args:
        connection: for one statement.
        model: which model's embeddings to compare with.
        query: a unit vector of the model's dimension.
        scope: which chunks may be found.
        limit: how many hits at most.
    """
    table = EmbeddingTable(len(query))
    condition, values = _scope_condition(scope)
    rows = connection.execute(
        f"""
        SELECT e.chunk_id, -(e.embedding <#> %(query)s) AS score
        FROM {table.name_in_sql} e
        JOIN retrieval.chunk c USING (chunk_id) JOIN raw.document d ON d.document_id = c.document_id
        WHERE e.model = %(model)s AND c.namespace = %(namespace)s AND {condition}
        ORDER BY e.embedding <#> %(query)s, e.chunk_id LIMIT %(limit)s
        """,  # noqa: S608
        values | {"query": HalfVector(query), "model": model, "limit": limit},
    )
    return [Hit(row[0], row[1]) for row in rows]


def chunks_without_embedding(
    connection: Connection, model: str, dimension: int, limit: int
) -> list[tuple[str, str, str, str]]:
    """The backlog of a model, oldest first: (chunk id, prefix, text, kind)."""
    table = EmbeddingTable(dimension)
    rows = connection.execute(
        f"""
        SELECT c.chunk_id, c.prefix, c.text, c.kind FROM retrieval.chunk c
        WHERE NOT EXISTS (SELECT 1 FROM {table.name_in_sql} e WHERE e.model = %s AND e.chunk_id = c.chunk_id)
        ORDER BY c.chunk_no LIMIT %s
        """,  # noqa: S608
        (model, limit),
    )
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def embedding_backlog(connection: Connection, model: str, dimension: int) -> int:
    """How many chunks still lack an embedding of the model."""
    table = EmbeddingTable(dimension)
    row = connection.execute(
        f"""
        SELECT (SELECT count(*) FROM retrieval.chunk)
             - (SELECT count(*) FROM {table.name_in_sql} WHERE model = %s)
        """,  # noqa: S608
        (model,),
    ).fetchone()
    return int(row[0]) if row else 0


def write_embeddings(connection: Connection, model: str, chunk_ids: Sequence[str], vectors: np.ndarray) -> None:
    """Stores unit vectors of the chunks (n × dimension) by binary COPY; chunks deleted meanwhile are left out."""
    table = EmbeddingTable(vectors.shape[1])
    connection.execute(f"CREATE TEMP TABLE incoming (LIKE {table.name_in_sql}) ON COMMIT DROP")
    info = psycopg.types.TypeInfo.fetch(connection, "halfvec")
    assert info is not None
    with connection.cursor() as cursor, cursor.copy("COPY incoming FROM STDIN WITH (FORMAT BINARY)") as rows:
        rows.set_types(("text", "text", info.oid))
        for chunk_id, vector in zip(chunk_ids, vectors, strict=True):
            rows.write_row((model, chunk_id, HalfVector(vector)))
    connection.execute(
        f"""
        INSERT INTO {table.name_in_sql} SELECT i.* FROM incoming i JOIN retrieval.chunk c USING (chunk_id)
        ON CONFLICT DO NOTHING
        """  # noqa: S608
    )
    connection.execute("DROP TABLE incoming")
