"""Notes of vaults: documents of their own namespace, searched there, and never a source of the desk's pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from viska_assets.model.document import Cover, Notice, ParsedDocument
from viska_assets.store.chunks import IndexedChunk, remove_chunks, write_chunks, write_document_text
from viska_assets.store.codec import to_jsonb
from viska_assets.store.database import Connection

FEED = "vault"


@dataclass(frozen=True)
class Note:
    """A note as it is filed: its place in the vault, who wrote it and since when it is known."""

    document_id: str
    namespace: str
    path: str
    size: int
    contributor: str
    known_at: datetime


def standing_notes(connection: Connection, namespace: str) -> dict[str, str]:
    """The notes that stand in a vault: path to document id."""
    rows = connection.execute(
        """
        SELECT DISTINCT ON (v.path) v.path, v.document_id
        FROM raw.delivery v JOIN raw.document d USING (document_id)
        WHERE v.feed = %s AND d.namespace = %s AND NOT d.withdrawn ORDER BY v.path, v.delivery_id DESC
        """,
        (FEED, namespace),
    )
    return dict(rows.fetchall())


def file_note(connection: Connection, note: Note, document: ParsedDocument, chunks: Sequence[IndexedChunk]) -> None:
    """Writes a note and its chunks in its namespace, in the caller's transaction; one that was withdrawn comes back."""
    connection.execute(
        """
        INSERT INTO raw.document
            (document_id, name, bytes, status, namespace, media_type, cover, notices, asserter, known_at)
        VALUES (%s, %s, %s, 'vault', %s, %s, %s, %s, %s, %s)
        ON CONFLICT (document_id) DO UPDATE SET withdrawn = false, name = EXCLUDED.name
        """,
        (
            note.document_id,
            note.path.rpartition("/")[2],
            note.size,
            note.namespace,
            document.media_type.value,
            to_jsonb(Cover, document.cover),
            to_jsonb(tuple[Notice, ...], document.notices),
            note.contributor,
            note.known_at,
        ),
    )
    connection.execute(
        """
        INSERT INTO raw.delivery (document_id, feed, path, received_at) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING
        """,
        (note.document_id, FEED, note.path, note.known_at),
    )
    write_document_text(connection, document)
    write_chunks(connection, note.document_id, chunks, namespace=note.namespace)


def withdraw_note(connection: Connection, document_id: str) -> None:
    """Takes a note out of the search; its row and its bytes stay."""
    remove_chunks(connection, document_id)
    connection.execute("UPDATE raw.document SET withdrawn = true WHERE document_id = %s", (document_id,))
