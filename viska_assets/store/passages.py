"""Found chunks with their text and place, read by id."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from viska_assets.store.database import Connection


@dataclass(frozen=True)
class PlacedChunk:
    """A chunk, where it stands in its document, and since when and from whom the document is known."""

    chunk_id: str
    document_id: str
    document: str
    text: str
    prefix: str
    kind: str
    start: int
    end: int
    page: int | None
    known_at: datetime
    authentication: str
    asserter: str
    namespace: str


@dataclass(frozen=True)
class StoredPassage(PlacedChunk):
    """A chunk as it is stored, with what its document is about."""

    entity: str | None
    period_end: str | None
    source_concept: str
    text_sha256: str


def read_passages(connection: Connection, chunk_ids: Sequence[str]) -> dict[str, StoredPassage]:
    """The passages that still exist, by chunk id."""
    rows = connection.cursor(binary=True).execute(
        """
        SELECT c.chunk_id, c.document_id, d.name, c.text, c.prefix, c.kind, c.start_char, c.end_char, c.page,
            d.known_at, d.authentication, d.asserter,
            c.namespace, d.entity, d.cover ->> 'period_end', d.source_concept, c.text_sha256
        FROM retrieval.chunk c JOIN raw.document d USING (document_id) WHERE c.chunk_id = ANY(%s)
        """,
        (list(chunk_ids),),
    )
    return {row[0]: StoredPassage(*row) for row in rows.fetchall()}
