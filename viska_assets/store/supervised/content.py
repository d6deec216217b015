"""The bytes that hashes of the loop are made of: fields as netstrings, the same here as in the database."""

import hashlib
from collections.abc import Collection, Iterable, Sequence

from psycopg import sql

from viska_assets.store.database import Connection

SIGNAL_FIELDS = (
    *("kind", "concept_id", "direction", "severity", "headline", "rationale", "confidence", "horizon_days"),
    *("payload", "citations", "source_domain", "queue_id", "trace_id"),
)
STRATEGY_FIELDS = (
    *("title", "thesis", "legs", "risk", "risk_class", "signals", "payload", "citations", "source_domain"),
    *("queue_id", "trace_id"),
)
_TABLES = {
    "signals.candidate": ("signal", SIGNAL_FIELDS),
    "signals.approved": ("signal", SIGNAL_FIELDS),
    "strategies.draft": ("strategy", STRATEGY_FIELDS),
    "strategies.approved": ("strategy", STRATEGY_FIELDS),
}


def netstrings(fields: Iterable[str | None]) -> bytes:
    """Each field as its length in bytes, a colon, the text and a comma; None as a minus."""
    parts = []
    for field in fields:
        if field is None:
            parts.append(b"-")
        else:
            text = field.encode()
            parts.append(b"%d:%s," % (len(text), text))
    return b"".join(parts)


def content_sha256(kind: str, fields: Sequence[str | None]) -> str:
    """The hash of a candidate's or a draft's content: ``signal`` or ``strategy``, then its fields as text, in order."""
    return hashlib.sha256(netstrings((kind, *fields))).hexdigest()


def unbound(connection: Connection, table: str, ids: Collection[int] | None = None) -> list[int]:
    """Artifacts of a table whose content has another hash than the row claims, reckoned outside the database.

    Args:
        connection: as one who may read the table.
        table: ``schema.name``.
        ids: which artifacts; None for all.
    """
    kind, names = _TABLES[table]
    columns = sql.SQL(", ").join(sql.SQL("{}::text").format(sql.Identifier(name)) for name in names)
    rows = connection.execute(
        sql.SQL(
            "SELECT artifact_id, content_sha256, {} FROM {} WHERE %(ids)s::bigint[] IS NULL "
            "OR artifact_id = ANY(%(ids)s) ORDER BY 1"
        ).format(columns, sql.Identifier(*table.split("."))),
        {"ids": None if ids is None else list(ids)},
    )
    return [artifact_id for artifact_id, hash_, *fields in rows if content_sha256(kind, fields) != hash_]
