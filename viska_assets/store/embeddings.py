"""The embeddings of each model in a table of its own, keyed by the hash of the text; one model answers searches.

A text that a model has seen is not embedded again, whichever chunk it stands in. A new model fills its table beside the
old one, and the switch is one statement. Searching them is in ``dense``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psycopg
from pgvector import HalfVector
from psycopg import sql

from viska_assets.store.database import Connection

if TYPE_CHECKING:
    import numpy as np

INDEX_FROM = 20_000  # fewer vectors are compared exactly in about the time of an index scan
_REGISTRY_LOCK = 7_411_101
_INDEXED = "to_regclass('retrieval.' || table_name || '_nearest') IS NOT NULL"
MODEL_COLUMNS = f"model, engine, dimension, table_name, state, active, {_INDEXED}"


class EmbeddingError(ValueError):
    """A model of embeddings is not what a command asks for; the message names it and the mend."""


@dataclass(frozen=True)
class EmbeddingModel:
    """A model whose embeddings are stored.

    ``engine`` is the name by which settings load it, ``state`` is ``filling`` until every chunk has had its embedding,
    ``indexed`` whether its embeddings are indexed for approximate search.
    """

    model: str
    engine: str
    dimension: int
    table_name: str
    state: str
    active: bool
    indexed: bool = False

    @property
    def table(self) -> sql.Identifier:
        """The table of its embeddings."""
        return sql.Identifier("retrieval", self.table_name)


def embedding_models(connection: Connection) -> list[EmbeddingModel]:
    """All models that are on record, oldest first."""
    rows = connection.execute(f"SELECT {MODEL_COLUMNS} FROM retrieval.embedding_model ORDER BY model_no")  # noqa: S608
    return [EmbeddingModel(*row) for row in rows]


def find_model(connection: Connection, model: str) -> EmbeddingModel | None:
    """The model of this identity, or None where it has no embeddings."""
    row = connection.execute(
        f"SELECT {MODEL_COLUMNS} FROM retrieval.embedding_model WHERE model = %s",  # noqa: S608
        (model,),
    ).fetchone()
    return EmbeddingModel(*row) if row else None


def active_model(connection: Connection) -> EmbeddingModel | None:
    """The model that answers searches, or None before the first embedding."""
    return next((found for found in embedding_models(connection) if found.active), None)


def register_model(connection: Connection, model: str, dimension: int, engine: str = "") -> EmbeddingModel:
    """The model, put on record with an empty table where it is new; the first one ever is active at once.

    Raises:
        EmbeddingError: where the model is on record with another dimension.
    """
    found = find_model(connection, model)
    if found is None:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_REGISTRY_LOCK,))
        found = find_model(connection, model) or _create(connection, model, dimension, engine)
    if found.dimension != dimension:
        raise EmbeddingError(f"{model} has embeddings of dimension {found.dimension}, not {dimension}: drop them first")
    if engine and not found.engine:
        connection.execute("UPDATE retrieval.embedding_model SET engine = %s WHERE model = %s", (engine, model))
    return found


def _create(connection: Connection, model: str, dimension: int, engine: str) -> EmbeddingModel:
    row = connection.execute(
        """
        INSERT INTO retrieval.embedding_model (model, engine, dimension, table_name, state, active)
        VALUES (%s, %s, %s, 'embedding_' || currval(pg_get_serial_sequence('retrieval.embedding_model', 'model_no')),
            'filling', NOT EXISTS (SELECT 1 FROM retrieval.embedding_model WHERE active))
        RETURNING model, engine, dimension, table_name, state, active
        """,
        (model, engine, dimension),
    ).fetchone()
    assert row is not None
    created = EmbeddingModel(*row)
    connection.execute(
        sql.SQL("CREATE TABLE {} (text_key uuid PRIMARY KEY, embedding halfvec({}) NOT NULL)").format(
            created.table, sql.Literal(dimension)
        )
    )
    connection.execute("SELECT privacy.protect_embeddings(%s)", (created.table_name,))
    for role, rights in (
        ("viska_reader", "SELECT"),
        ("viska_maintainer", "SELECT"),
        ("viska_operator", "SELECT"),
        ("viska_ingestion", "SELECT, INSERT, UPDATE, DELETE"),
    ):
        if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone():
            connection.execute(
                sql.SQL("GRANT {} ON {} TO {}").format(sql.SQL(rights), created.table, sql.Identifier(role))
            )
    return created


def chunks_without_embedding(
    connection: Connection, model: str, dimension: int, limit: int
) -> list[tuple[str, str, str, str]]:
    """The backlog of a model, oldest first: (chunk id, prefix, text, kind of block)."""
    found = register_model(connection, model, dimension)
    rows = connection.execute(
        sql.SQL(
            """
            SELECT c.chunk_id, c.prefix, c.text, c.kind FROM retrieval.chunk c
            WHERE NOT EXISTS (SELECT 1 FROM {} e WHERE e.text_key = c.text_key) ORDER BY c.chunk_no LIMIT %s
            """
        ).format(found.table),
        (limit,),
    )
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def embedding_backlog(connection: Connection, model: str, dimension: int) -> int:
    """How many chunks still lack an embedding of the model."""
    found = register_model(connection, model, dimension)
    row = connection.execute(
        sql.SQL(
            """
            SELECT count(*) FROM retrieval.chunk c
            WHERE NOT EXISTS (SELECT 1 FROM {} e WHERE e.text_key = c.text_key)
            """
        ).format(found.table)
    ).fetchone()
    return int(row[0]) if row else 0


def write_embeddings(connection: Connection, model: str, chunk_ids: Sequence[str], vectors: "np.ndarray") -> None:
    """Stores unit vectors of the chunks (n × dimension) by binary COPY; chunks deleted meanwhile are left out."""
    found = register_model(connection, model, vectors.shape[1])
    connection.execute(
        sql.SQL("CREATE TEMP TABLE incoming (chunk_id text, embedding halfvec({})) ON COMMIT DROP").format(
            sql.Literal(found.dimension)
        )
    )
    info = psycopg.types.TypeInfo.fetch(connection, "halfvec")
    assert info is not None
    with connection.cursor() as cursor, cursor.copy("COPY incoming FROM STDIN WITH (FORMAT BINARY)") as rows:
        rows.set_types(("text", info.oid))
        for chunk_id, vector in zip(chunk_ids, vectors, strict=True):
            rows.write_row((chunk_id, HalfVector(vector)))
    connection.execute(
        sql.SQL(
            """
            INSERT INTO {} (text_key, embedding)
            SELECT c.text_key, i.embedding FROM incoming i JOIN retrieval.chunk c USING (chunk_id) ORDER BY c.text_key
            ON CONFLICT DO NOTHING
            """
        ).format(found.table)
    )
    connection.execute("DROP TABLE incoming")


def estimated_size(connection: Connection, found: EmbeddingModel) -> int:
    """About how many texts the model has embedded, as the planner knows it."""
    row = connection.execute(
        "SELECT reltuples FROM pg_class WHERE oid = to_regclass(%s)", (f"retrieval.{found.table_name}",)
    ).fetchone()
    return max(0, int(row[0])) if row else 0


def build_index(connection: Connection, model: str, *, least: int = INDEX_FROM) -> bool:
    """Indexes a model's embeddings once they are ``least`` or more, and says whether it did so now.

    The index is built after the bulk load: filling an index row by row takes many times as long. Reading goes on
    meanwhile, writing to this model's table waits.
    """
    found = find_model(connection, model)
    if found is None or found.indexed:
        return False
    row = connection.execute(
        sql.SQL("SELECT count(*) FROM (SELECT 1 FROM {} LIMIT %s) AS counted").format(found.table), (least,)
    ).fetchone()
    if row is None or row[0] < least:
        return False
    connection.execute(
        sql.SQL(
            "CREATE INDEX IF NOT EXISTS {} ON {} USING hnsw (embedding halfvec_ip_ops) "
            "WITH (m = 16, ef_construction = 64)"
        ).format(sql.Identifier(f"{found.table_name}_nearest"), found.table)
    )
    return True


def settle_model(connection: Connection, model: str) -> bool:
    """Says of a model that was filling and has every chunk that it is ready, and lets it answer searches from now on.

    Returns whether it became ready in this call. A model that was ready before is left as it is, active or not.
    """
    found = find_model(connection, model)
    if found is None or found.state == "ready" or embedding_backlog(connection, model, found.dimension):
        return False
    connection.execute("UPDATE retrieval.embedding_model SET state = 'ready' WHERE model = %s", (model,))
    _activate(connection, model)
    return True


def switch_model(connection: Connection, model: str) -> None:
    """Lets a model answer searches from the end of the transaction on.

    Raises:
        EmbeddingError: where it is unknown or has not caught up.
    """
    found = _known(connection, model)
    if backlog := embedding_backlog(connection, found.model, found.dimension):
        raise EmbeddingError(f"{model} still lacks {backlog} chunks: embed them first (VISKA_EMBEDDER, then an ingest)")
    _activate(connection, found.model)


def drop_model(connection: Connection, model: str) -> None:
    """Removes a model's embeddings for good.

    Raises:
        EmbeddingError: where it is unknown, or answers searches.
    """
    found = _known(connection, model)
    if found.active:
        raise EmbeddingError(f"{model} answers searches: switch to another model before dropping it")
    connection.execute(sql.SQL("DROP TABLE {}").format(found.table))
    connection.execute("DELETE FROM retrieval.embedding_model WHERE model = %s", (found.model,))


def count_embeddings(connection: Connection, found: EmbeddingModel) -> int:
    """How many texts the model has embedded."""
    row = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(found.table)).fetchone()
    return int(row[0]) if row else 0


def chunk_vectors(connection: Connection, model: str) -> "dict[str, np.ndarray]":
    """Chunk id to embedding, for all chunks that have one."""
    found = _known(connection, model)
    rows = connection.execute(
        sql.SQL("SELECT c.chunk_id, e.embedding FROM retrieval.chunk c JOIN {} e USING (text_key)").format(found.table)
    )
    import numpy as np

    return {chunk_id: np.asarray(vector.to_list(), dtype=np.float32) for chunk_id, vector in rows}


def _activate(connection: Connection, model: str) -> None:
    connection.execute(
        "UPDATE retrieval.embedding_model SET active = (model = %s) WHERE active <> (model = %s)", (model, model)
    )


def _known(connection: Connection, model: str) -> EmbeddingModel:
    """The model of this identity, or the newest of the engine of this name."""
    models = embedding_models(connection)
    found = next((m for m in models if m.model == model), None)
    found = found or next((m for m in reversed(models) if m.engine == model), None)
    if found is None:
        raise EmbeddingError(f"no embeddings of {model} are stored; `viska embeddings list` names those that are")
    return found
