"""The audit trail's rows: sealed, read in the order of the chain, shown, and compared with the rows they speak of."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg import sql
from psycopg.types.json import Jsonb

from viska_assets.store.database import Connection

SEAL_BATCH = 50_000
FETCHED = 10_000


@dataclass(frozen=True, slots=True)
class SealedEntry:
    """A link of the chain with the entry it seals; the entry's fields are None where the entry is gone."""

    seq: int
    prev: bytes
    hash: bytes
    entry_id: str
    xid: str | None
    at: datetime | None
    actor: str | None
    action: str | None
    object: str | None
    detail: str | None


@dataclass(frozen=True)
class Head:
    """The last link: its number and hash; 0 and empty before the first."""

    seq: int
    hash: str


def seal_entries(connection: Connection) -> int:
    """Seals what every finished transaction left, and returns how many entries that were."""
    sealed = 0
    while True:
        row = connection.execute("SELECT audit.seal_entries(%s)", (SEAL_BATCH,)).fetchone()
        now = int(row[0]) if row else 0
        sealed += now
        if now < SEAL_BATCH:
            return sealed


def chain(connection: Connection) -> Iterator[SealedEntry]:
    """Every link in order, read in batches."""
    with connection.cursor("viska_chain") as cursor:
        cursor.itersize = FETCHED
        cursor.execute(
            """
            SELECT s.seq, s.prev, s.hash, s.entry_id::text, e.xid::text, e.at, e.actor, e.action, e.object,
                e.detail::text
            FROM audit.seal s LEFT JOIN audit.entry e USING (entry_id) ORDER BY s.seq
            """
        )
        for row in cursor:
            yield SealedEntry(*row)


def newest_links(connection: Connection, most: int) -> list[SealedEntry]:
    """The last links in order, at most so many."""
    rows = connection.execute(
        """
        SELECT s.seq, s.prev, s.hash, s.entry_id::text, e.xid::text, e.at, e.actor, e.action, e.object, e.detail::text
        FROM (SELECT * FROM audit.seal ORDER BY seq DESC LIMIT %s) s LEFT JOIN audit.entry e USING (entry_id)
        ORDER BY s.seq
        """,
        (most,),
    )
    return [SealedEntry(*row) for row in rows]


def hash_of(connection: Connection, seq: int) -> str:
    """The hash of a link, or an empty string where it is gone."""
    row = connection.execute("SELECT encode(hash, 'hex') FROM audit.seal WHERE seq = %s", (seq,)).fetchone()
    return str(row[0]) if row else ""


def head(connection: Connection) -> Head:
    """The last link of the chain."""
    row = connection.execute("SELECT seq, encode(hash, 'hex') FROM audit.seal ORDER BY seq DESC LIMIT 1").fetchone()
    return Head(int(row[0]), str(row[1])) if row else Head(0, "")


def waiting(connection: Connection) -> int:
    """How many entries are not sealed yet."""
    row = connection.execute(
        "SELECT count(*) FROM audit.entry e WHERE NOT EXISTS (SELECT 1 FROM audit.seal s WHERE s.entry_id = e.entry_id)"
    ).fetchone()
    return int(row[0]) if row else 0


def note_ingested(connection: Connection, documents: int, slowest_seconds: float) -> None:
    """Tells the trail how long the slowest document of a batch took; governance makes a percentile of it."""
    detail = Jsonb({"documents": documents, "seconds": round(slowest_seconds, 3)})
    connection.execute("SELECT audit.append('ingested', 'raw.document', %s)", (detail,))


def passed_over(connection: Connection) -> list[int]:
    """Entries that the sealer has gone past without sealing them: put in, or uncovered, behind its back."""
    rows = connection.execute(
        """
        SELECT entry_id FROM audit.entry e, audit.horizon h WHERE e.xid < h.sealed_before
            AND NOT EXISTS (SELECT 1 FROM audit.seal s WHERE s.entry_id = e.entry_id) ORDER BY entry_id LIMIT 50
        """
    )
    return [int(row[0]) for row in rows]


def shown(connection: Connection, *, limit: int, about: str = "", actor: str = "") -> list[dict[str, Any]]:
    """The newest entries, of objects that begin so and of an actor where named."""
    rows = connection.execute(
        """
        SELECT e.entry_id, e.at, e.actor, e.action, e.object, e.detail, s.seq
        FROM audit.entry e LEFT JOIN audit.seal s USING (entry_id)
        WHERE starts_with(e.object, %s) AND (%s = '' OR e.actor = %s) ORDER BY e.entry_id DESC LIMIT %s
        """,
        (about, actor, actor, limit),
    )
    names = ("entry_id", "at", "actor", "action", "object", "detail", "seq")
    return [dict(zip(names, row, strict=True)) | {"at": row[1].isoformat()} for row in rows]


def differing_rows(connection: Connection) -> list[str]:
    """Rows that are not as the audit noted them when they were written, or are gone, or came without a note."""
    connection.execute("SET LOCAL timezone = 'UTC'")
    tables = connection.execute(
        """
        SELECT n.nspname, c.relname, split_part(encode(t.tgargs, 'escape'), E'\\\\000', 1)
        FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE t.tgfoid = 'audit.note_row'::regproc ORDER BY 1, 2
        """
    ).fetchall()
    found: list[str] = []
    for schema, name, key in tables:
        rows = connection.execute(
            sql.SQL(
                """
                SELECT coalesce(r.object, e.object), r.object IS NULL, e.object IS NULL FROM (
                    SELECT {prefix} || t.{key}::text AS object,
                        encode(sha256(convert_to(to_jsonb(t)::text, 'UTF8')), 'hex') AS hash FROM {table} t
                ) r FULL JOIN (
                    SELECT DISTINCT ON (object) object, detail ->> 'row_sha256' AS hash FROM audit.entry
                    WHERE starts_with(object, {prefix}) AND action IN ('insert', 'update')
                    ORDER BY object, entry_id DESC
                ) e USING (object) WHERE r.hash IS DISTINCT FROM e.hash ORDER BY 1 LIMIT 50
                """
            ).format(
                prefix=sql.Literal(f"{schema}.{name}:"), key=sql.Identifier(key), table=sql.Identifier(schema, name)
            )
        )
        for what, is_gone, is_new in rows:
            found.append(f"{what}: {'is gone' if is_gone else 'was never noted' if is_new else 'was changed'}")
    return found
