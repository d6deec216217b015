"""The dense leg: nearest embeddings, by the index of a large table, exactly in a small one or a narrow scope."""

import math
from functools import cache
from typing import Any

import numpy as np
from pgvector import HalfVector
from psycopg import sql

from viska_assets.store.database import Connection
from viska_assets.store.embeddings import INDEX_FROM, EmbeddingModel, estimated_size, find_model
from viska_assets.store.hit import Hit
from viska_assets.store.scope import SearchScope, scope_condition

LEAST_EF_SEARCH, MOST_EF_SEARCH = 200, 1000  # 1000 is pgvector's limit


def ef_search(vectors: int) -> int:
    """How many candidates a search by the index keeps: more in a larger index, for the same recall.

    For a recall@10 of .95 the synthetic vectors of ``bench/scale.py`` need about 400 at 10^5 and 1000 at 10^6; those of
    real text needed 100 at 10^5.
    """
    wanted = round(400.0 * math.pow(vectors / 100_000, 0.4))
    return max(LEAST_EF_SEARCH, min(MOST_EF_SEARCH, wanted))


def dense_search(
    connection: Connection,
    model: str | EmbeddingModel,
    query: np.ndarray,
    scope: SearchScope,
    limit: int,
    *,
    exact: bool = False,
) -> list[Hit]:
    """The nearest chunks by inner product of unit vectors.

    Args:
        connection: in a transaction.
        model: which model's embeddings to compare with, by its identity or as it was read in this transaction.
        query: a unit vector of the model's dimension.
        scope: which chunks may be found.
        limit: how many hits at most.
        exact: compare with every chunk of the scope, index or not.

    Returns:
        Hits, nearest first, equal scores in the order of the ids; none where the model has no embeddings.
    """
    found = find_model(connection, model) if isinstance(model, str) else model
    if found is None:
        return []
    if exact or not found.indexed or _admitted(connection, scope) < INDEX_FROM:
        return _exactly(connection, found, query, scope, limit)
    hits = _by_index(connection, found, query, scope, limit)
    return hits if len(hits) == limit else _exactly(connection, found, query, scope, limit)


def _admitted(connection: Connection, scope: SearchScope) -> int:
    """How many chunks a scope admits, withdrawn ones of a whole namespace included."""
    if scope.is_whole_namespace:
        row = connection.execute(
            "SELECT chunks FROM retrieval.corpus WHERE namespace = %s", (scope.namespace,)
        ).fetchone()
    else:
        condition, values = scope_condition(scope)
        row = connection.execute(
            f"""
            SELECT sum(length(p.ordinals) / 2) FROM raw.document d JOIN retrieval.segment_document p USING (document_id)
            JOIN retrieval.segment s USING (segment_no)
            WHERE s.namespace = %(namespace)s AND NOT p.removed AND {condition}
            """,  # noqa: S608
            values,
        ).fetchone()
    return int(row[0] or 0) if row else 0


def _exactly(
    connection: Connection, found: EmbeddingModel, query: np.ndarray, scope: SearchScope, limit: int
) -> list[Hit]:
    statement = """
        WITH compared AS MATERIALIZED (
            SELECT c.chunk_id, e.embedding <#> %(query)s AS distance FROM raw.document d
            JOIN retrieval.chunk c USING (document_id) JOIN {table} e USING (text_key)
            WHERE c.namespace = %(namespace)s AND {condition}
        ), nearest AS (SELECT * FROM compared ORDER BY distance, chunk_id LIMIT %(limit)s)
        SELECT array_agg(chunk_id ORDER BY distance, chunk_id), array_agg(-distance ORDER BY distance, chunk_id)
        FROM nearest
    """
    return _hits(connection, statement, found, query, scope, limit)


def _by_index(
    connection: Connection, found: EmbeddingModel, query: np.ndarray, scope: SearchScope, limit: int
) -> list[Hit]:
    # Without the iterative scan a filter would leave what is left of the first ef_search neighbours: often nothing.
    connection.execute(
        "SELECT set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', %s, true)",
        (str(max(ef_search(estimated_size(connection, found)), limit)),),
    )
    statement = """
        WITH nearest AS MATERIALIZED (
            SELECT c.chunk_id, e.embedding <#> %(query)s AS distance FROM {table} e
            JOIN retrieval.chunk c USING (text_key) JOIN raw.document d USING (document_id)
            WHERE c.namespace = %(namespace)s AND {condition}
            ORDER BY e.embedding <#> %(query)s LIMIT %(limit)s
        )
        SELECT array_agg(chunk_id ORDER BY distance, chunk_id), array_agg(-distance ORDER BY distance, chunk_id)
        FROM nearest
    """
    return _hits(connection, statement, found, query, scope, limit)


def _hits(
    connection: Connection, statement: str, found: EmbeddingModel, query: np.ndarray, scope: SearchScope, limit: int
) -> list[Hit]:
    condition, values = scope_condition(scope)
    parameters: dict[str, Any] = values | {"query": HalfVector(query), "limit": limit}
    row = connection.execute(_filled(statement, found.table_name, condition), parameters).fetchone()
    assert row is not None
    chunk_ids, scores = row
    return list(map(Hit, chunk_ids or (), scores or ()))


@cache
def _filled(statement: str, table_name: str, condition: str) -> str:
    """A statement with its table and condition, put together once for every kind of scope."""
    return (
        sql.SQL(statement)
        .format(table=sql.Identifier("retrieval", table_name), condition=sql.SQL(condition))
        .as_string()
    )
