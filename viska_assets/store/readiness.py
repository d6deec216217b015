"""Whether every chunk can be found: by words in the postings, by meaning in the embeddings of the active model."""

from dataclasses import dataclass

import numpy as np
from psycopg import sql

from viska_assets.store.database import Connection
from viska_assets.store.embeddings import find_model
from viska_assets.store.postings import unpack

SHOWN = 20


@dataclass(frozen=True)
class Readiness:
    """How many chunks there are and which a search cannot find, as counts with the first few ids."""

    model: str
    chunks: int
    without_postings: int
    without_embedding: int
    first_without_postings: tuple[str, ...]
    first_without_embedding: tuple[str, ...]

    @property
    def is_ready(self) -> bool:
        """Whether both legs find every chunk."""
        return not self.without_postings and not self.without_embedding


def retrieval_readiness(connection: Connection, model: str) -> Readiness:
    """Compares the chunks with the postings and with the embeddings of a model; one without embeddings has none."""
    row = connection.execute("SELECT count(*) FROM retrieval.chunk").fetchone()
    bare = chunks_without_postings(connection)
    count, first = _without_embedding(connection, model)
    return Readiness(model, int(row[0]) if row else 0, len(bare), count, tuple(bare[:SHOWN]), first)


def chunks_without_postings(connection: Connection) -> list[str]:
    """The chunks that stand in no segment; looked for where a document's counts differ, which is a sign of damage."""
    suspicious = connection.execute(
        """
        SELECT c.document_id, c.namespace FROM (
            SELECT document_id, namespace, count(*) AS chunks FROM retrieval.chunk GROUP BY document_id, namespace
        ) c LEFT JOIN (
            SELECT d.document_id, s.namespace, sum(length(d.ordinals) / 2) AS chunks
            FROM retrieval.segment_document d JOIN retrieval.segment s USING (segment_no)
            WHERE NOT d.removed GROUP BY d.document_id, s.namespace
        ) p USING (document_id, namespace)
        WHERE c.chunks IS DISTINCT FROM p.chunks ORDER BY c.document_id
        """
    ).fetchall()
    missing: list[str] = []
    for document_id, namespace in suspicious:
        chunks = connection.execute(
            "SELECT chunk_no, chunk_id FROM retrieval.chunk WHERE document_id = %s AND namespace = %s ORDER BY ordinal",
            (document_id, namespace),
        ).fetchall()
        indexed = _indexed(connection, document_id, namespace)
        missing += [chunk_id for number, chunk_id in chunks if number not in indexed]
    return missing


def _indexed(connection: Connection, document_id: str, namespace: str) -> set[int]:
    rows = connection.execute(
        """
        SELECT s.chunk_nos, d.ordinals FROM retrieval.segment_document d JOIN retrieval.segment s USING (segment_no)
        WHERE d.document_id = %s AND s.namespace = %s AND NOT d.removed
        """,
        (document_id, namespace),
    )
    found: set[int] = set()
    for chunk_nos, ordinals in rows:
        found.update(np.asarray(unpack(chunk_nos, 8))[unpack(ordinals, 2)].tolist())
    return found


def _without_embedding(connection: Connection, model: str) -> tuple[int, tuple[str, ...]]:
    known = find_model(connection, model)
    condition: sql.Composable = sql.SQL("true")
    if known is not None:
        condition = sql.SQL("NOT EXISTS (SELECT 1 FROM {} e WHERE e.text_key = c.text_key)").format(known.table)
    row = connection.execute(
        sql.SQL(
            """
            WITH bare AS MATERIALIZED (SELECT chunk_id, chunk_no FROM retrieval.chunk c WHERE {})
            SELECT (SELECT count(*) FROM bare),
                array(SELECT chunk_id FROM bare ORDER BY chunk_no LIMIT %s)
            """
        ).format(condition),
        (SHOWN,),
    ).fetchone()
    return (int(row[0]), tuple(row[1])) if row else (0, ())
