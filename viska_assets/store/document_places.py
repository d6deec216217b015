"""Where documents and their text stand: title, sender, media type, a window of the text, the map to the file."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from viska_assets.model.span import OffsetMap, Span
from viska_assets.store.database import Connection


@dataclass(frozen=True, slots=True)
class DocumentPlace:
    """A document as a citation names it."""

    document_id: str
    name: str
    title: str
    media_type: str
    namespace: str
    source_concept: str
    asserter: str
    authentication: str
    known_at: datetime


_DOCUMENT = """
    d.document_id, d.name, coalesce(nullif(d.cover ->> 'title', ''), d.name), d.media_type, d.namespace,
    d.source_concept, d.asserter, d.authentication, d.known_at
"""


def document_places(connection: Connection, document_ids: Sequence[str]) -> dict[str, DocumentPlace]:
    """The named documents that were not withdrawn."""
    rows = connection.execute(
        f"SELECT {_DOCUMENT} FROM raw.document d WHERE d.document_id = ANY(%s) AND NOT d.withdrawn",  # noqa: S608
        (list(document_ids),),
    )
    return {row[0]: DocumentPlace(*row) for row in rows}


@dataclass(frozen=True, slots=True)
class ChunkPlace:
    """A chunk in its document."""

    chunk_id: str
    document: DocumentPlace
    page: int | None
    span: Span
    headings: tuple[str, ...]


def chunk_places(connection: Connection, chunk_ids: Sequence[str]) -> dict[str, ChunkPlace]:
    """The named chunks that still exist, with their documents."""
    rows = connection.execute(
        f"""
        SELECT c.chunk_id, c.page, c.start_char, c.end_char, c.headings, {_DOCUMENT}
        FROM retrieval.chunk c JOIN raw.document d USING (document_id) WHERE c.chunk_id = ANY(%s) AND NOT d.withdrawn
        """,  # noqa: S608
        (list(chunk_ids),),
    )
    return {
        row[0]: ChunkPlace(row[0], DocumentPlace(*row[5:]), row[1], Span(row[2], row[3]), tuple(row[4])) for row in rows
    }


def document_of_source(connection: Connection, source_concept: str) -> str | None:
    """The document for which a Source page stands."""
    row = connection.execute(
        "SELECT document_id FROM raw.document WHERE source_concept = %s AND NOT withdrawn ORDER BY document_id LIMIT 1",
        (source_concept,),
    ).fetchone()
    return str(row[0]) if row else None


def document_with_prefix(connection: Connection, prefix: str) -> list[str]:
    """The ids of documents that begin so; two at most, which is enough to see that a prefix is ambiguous."""
    rows = connection.execute(
        "SELECT document_id FROM raw.document WHERE starts_with(document_id, %s) AND NOT withdrawn LIMIT 2", (prefix,)
    )
    return [row[0] for row in rows]


def text_window(connection: Connection, document_id: str, span: Span) -> str:
    """Some characters of a document's cleaned text, read without the rest of it."""
    row = connection.execute(
        "SELECT substring(text FROM %s FOR %s) FROM retrieval.document_text WHERE document_id = %s",
        (span.start + 1, len(span), document_id),
    ).fetchone()
    return str(row[0]) if row else ""


def text_length(connection: Connection, document_id: str) -> int:
    """How many characters a document's cleaned text has."""
    row = connection.execute(
        "SELECT length(text) FROM retrieval.document_text WHERE document_id = %s", (document_id,)
    ).fetchone()
    return int(row[0]) if row else 0


def document_text(connection: Connection, document_id: str) -> str:
    """A document's whole cleaned text."""
    row = connection.execute(
        "SELECT text FROM retrieval.document_text WHERE document_id = %s", (document_id,)
    ).fetchone()
    return str(row[0]) if row else ""


def offset_map(connection: Connection, document_id: str) -> OffsetMap:
    """The map from a document's cleaned text to the decoded file."""
    row = connection.execute(
        "SELECT offsets FROM retrieval.document_text WHERE document_id = %s", (document_id,)
    ).fetchone()
    return OffsetMap(tuple((clean, source) for clean, source in row[0])) if row and row[0] else OffsetMap()
