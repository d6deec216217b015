"""How much there is in some namespaces, and nothing of the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from psycopg import sql

from viska_assets.store.database import Connection
from viska_assets.store.embeddings import active_model


@dataclass(frozen=True, slots=True)
class VisibleCounts:
    """Counts of some namespaces; ``embedded`` is of the model that answers searches."""

    pages: int
    documents: int
    chunks: int
    embedded: int
    newest: datetime | None
    commit: str


def count_visible(connection: Connection, namespaces: Sequence[str]) -> VisibleCounts:
    """Counts in one statement, and in a second one of what has a vector."""
    row = connection.execute(
        """
        SELECT (SELECT count(*) FROM registry.page_version WHERE live AND withheld = '{}'),
            count(*), max(known_at),
            (SELECT count(*) FROM retrieval.chunk c WHERE c.namespace = ANY(%(names)s)),
            coalesce((SELECT commit_hash FROM registry.bundle_commit ORDER BY recorded_at DESC LIMIT 1), '')
        FROM raw.document WHERE namespace = ANY(%(names)s) AND NOT withdrawn
        """,
        {"names": list(namespaces)},
    ).fetchone()
    assert row is not None
    pages, documents, newest, chunks, commit = row
    return VisibleCounts(pages, documents, chunks, _embedded(connection, namespaces), newest, commit)


def _embedded(connection: Connection, namespaces: Sequence[str]) -> int:
    model = active_model(connection)
    if model is None:
        return 0
    row = connection.execute(
        sql.SQL(
            "SELECT count(*) FROM retrieval.chunk c WHERE c.namespace = ANY(%s) "
            "AND EXISTS (SELECT 1 FROM {} e WHERE e.text_key = c.text_key)"
        ).format(model.table),
        (list(namespaces),),
    ).fetchone()
    return int(row[0]) if row else 0
