"""Rows of ``raw``: documents, their deliveries and the incidents met on the way."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from viska_assets.model.document import Cover, MediaType, Notice
from viska_assets.store.codec import from_json, to_jsonb
from viska_assets.store.database import Connection


@dataclass(frozen=True)
class StoredDocument:
    """A row of ``raw.document``."""

    document_id: str
    name: str
    status: str
    error: str
    media_type: str
    cover: Cover
    entity: str | None
    asserter: str
    source_concept: str
    authentication: str
    known_at: datetime


COLUMNS = (
    "document_id, name, status, error, media_type, cover, entity, asserter, source_concept, authentication, known_at"
)
_STANDING = "status = 'ingested' AND NOT withdrawn"


def add_document(
    connection: Connection,
    document_id: str,
    name: str,
    size: int,
    *,
    feed: str,
    path: str,
    received_at: datetime,
    fingerprint: str = "",
) -> bool:
    """Records a delivery, and the document if its bytes are new; says whether they were.

    ``fingerprint`` is the file's size and time as the feed saw them, by which a sensor knows it again unread.
    """
    added = connection.execute(
        """
        INSERT INTO raw.document (document_id, name, bytes, status, known_at) VALUES (%s, %s, %s, 'received', %s)
        ON CONFLICT (document_id) DO NOTHING
        """,
        (document_id, name, size, received_at),
    ).rowcount
    connection.execute(
        """
        INSERT INTO raw.delivery (document_id, feed, path, received_at, fingerprint) VALUES (%s, %s, %s, %s, %s)
        ON CONFLICT (feed, path, document_id) DO UPDATE SET fingerprint = EXCLUDED.fingerprint
            WHERE raw.delivery.fingerprint <> EXCLUDED.fingerprint
        """,
        (document_id, feed, path, received_at, fingerprint),
    )
    return added == 1


def mark_ingested(
    connection: Connection,
    document_id: str,
    *,
    media_type: str,
    cover: Cover,
    notices: Sequence[Notice],
    asserter: str,
    authentication: str,
    needs_ocr: bool,
    known_at: datetime,
) -> None:
    """Completes a document's row with what reading it brought."""
    connection.execute(
        """
        UPDATE raw.document SET status = 'ingested', error = '', media_type = %s, cover = %s, notices = %s,
            asserter = %s, authentication = %s, needs_ocr = %s, known_at = %s
        WHERE document_id = %s
        """,
        (
            media_type,
            to_jsonb(Cover, cover),
            to_jsonb(tuple[Notice, ...], tuple(notices)),
            asserter,
            authentication,
            needs_ocr,
            known_at,
            document_id,
        ),
    )


def set_identity(
    connection: Connection, document_id: str, *, entity: str | None, names: Sequence[str], source_concept: str
) -> None:
    """Says which concept a document is about, by which names it is known, and which Source page stands for it."""
    connection.execute(
        "UPDATE raw.document SET entity = %s, entity_names = %s, source_concept = %s WHERE document_id = %s",
        (entity, list(names), source_concept, document_id),
    )


def mark_failed(connection: Connection, document_id: str, error: str) -> None:
    """Says that a document cannot be read, and why; its bytes stay."""
    connection.execute(
        "UPDATE raw.document SET status = 'failed', error = %s WHERE document_id = %s", (error, document_id)
    )


def documents_with_status(connection: Connection, status: str) -> list[StoredDocument]:
    """The documents in one state, oldest knowledge first."""
    return _documents(connection, "status = %s", (status,))


def documents_by_id(connection: Connection, document_ids: Sequence[str]) -> list[StoredDocument]:
    """The named documents, oldest knowledge first."""
    return _documents(connection, "document_id = ANY(%s)", (list(document_ids),))


def tables_of_figures(connection: Connection) -> list[StoredDocument]:
    """The ingested CSV files and spreadsheets, oldest knowledge first."""
    kinds = [MediaType.CSV.value, MediaType.XLSX.value]
    return _documents(connection, f"media_type = ANY(%s) AND {_STANDING}", (kinds,))


def feeds_of(connection: Connection, document_id: str) -> set[str]:
    """The feeds that have delivered a document."""
    rows = connection.execute("SELECT DISTINCT feed FROM raw.delivery WHERE document_id = %s", (document_id,))
    return {row[0] for row in rows}


def documents_of_feed(connection: Connection, feed: str) -> int:
    """How many documents a feed has delivered."""
    row = connection.execute("SELECT count(DISTINCT document_id) FROM raw.delivery WHERE feed = %s", (feed,)).fetchone()
    return int(row[0]) if row else 0


def documents_of_no_issuer(connection: Connection) -> list[StoredDocument]:
    """The ingested documents that name no known issuer, oldest knowledge first."""
    return _documents(connection, f"entity IS NULL AND {_STANDING}", ())


def documents_about(connection: Connection, concepts: Sequence[str]) -> list[StoredDocument]:
    """The documents about any of the concepts, oldest knowledge first."""
    return _documents(connection, "entity = ANY(%s)", (list(concepts),))


def filings_about(connection: Connection, entity: str, known_by: datetime, *, limit: int) -> list[StoredDocument]:
    """The issuer's own filings known by an instant, newest first."""
    condition = (
        f"entity = %s AND known_at <= %s AND {_STANDING} AND cover ->> 'issuer' <> '' AND cover ->> 'form' <> ''"
    )
    order = "known_at DESC, document_id LIMIT %s"
    return _documents(connection, condition, (entity, known_by, limit), order)


def _documents(
    connection: Connection, condition: str, values: Sequence[object], order: str = "known_at, document_id"
) -> list[StoredDocument]:
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM raw.document WHERE {condition} ORDER BY {order}",  # noqa: S608
        values,
    )
    return [_document(row) for row in rows]


def known_fingerprints(connection: Connection, feed: str) -> dict[str, str]:
    """The files that a feed has delivered, path to fingerprint."""
    rows = connection.execute(
        "SELECT path, fingerprint FROM raw.delivery WHERE feed = %s ORDER BY delivery_id", (feed,)
    )
    return {row[0]: row[1] for row in rows}


def add_incident(
    connection: Connection, kind: str, detail: str, *, document_id: str | None = None, path: str = ""
) -> None:
    """Records something that an operator should see; the same incident again adds nothing."""
    connection.execute(
        """
        INSERT INTO raw.incident (kind, document_id, path, detail) VALUES (%s, %s, %s, %s)
        ON CONFLICT DO NOTHING
        """,
        (kind, document_id, path, detail),
    )


def incidents(connection: Connection, limit: int = 100) -> list[dict[str, str]]:
    """The newest incidents."""
    rows = connection.execute(
        """
        SELECT i.kind, coalesce(nullif(i.path, ''), d.name, ''), i.detail, i.recorded_at
        FROM raw.incident i LEFT JOIN raw.document d USING (document_id)
        ORDER BY i.incident_id DESC LIMIT %s
        """,
        (limit,),
    )
    return [{"kind": k, "document": p, "detail": d, "at": at.isoformat()} for k, p, d, at in rows]


def noticed_in_documents(
    connection: Connection, document_ids: Sequence[str] | None = None, *, limit: int = 100
) -> list[dict[str, str | int]]:
    """What was stripped from documents or flagged in them while reading, the newest documents first."""
    rows = connection.execute(
        """
        SELECT d.name, n ->> 'kind', (n ->> 'count')::int, n ->> 'detail', d.authentication
        FROM raw.document d CROSS JOIN LATERAL jsonb_array_elements(d.notices) n
        WHERE %(ids)s::text[] IS NULL OR d.document_id = ANY(%(ids)s)
        ORDER BY d.recorded_at DESC, d.document_id, 2, 4 LIMIT %(limit)s
        """,
        {"ids": list(document_ids) if document_ids is not None else None, "limit": limit},
    )
    return [
        {"document": name, "kind": kind, "count": count or 1, "detail": detail, "sender": sender}
        for name, kind, count, detail, sender in rows
    ]


def incident_counts(connection: Connection) -> list[dict[str, str | int]]:
    """How many incidents there are of each kind, the most frequent first."""
    rows = connection.execute(
        """
        SELECT kind, incidents, documents, first_at, last_at FROM raw.incident_count ORDER BY incidents DESC, kind
        """
    )
    return [
        {"kind": kind, "incidents": count, "documents": documents, "first": first.isoformat(), "last": last.isoformat()}
        for kind, count, documents, first, last in rows
    ]


def _document(row: tuple[object, ...]) -> StoredDocument:
    values = dict(zip((c.strip() for c in COLUMNS.split(",")), row, strict=True))
    values["cover"] = from_json(Cover, values["cover"] or {})
    return StoredDocument(**values)  # type: ignore[arg-type]
