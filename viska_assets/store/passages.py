"""Found chunks with their text and place, read by id."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from viska_assets.store.database import Connection
from viska_assets.store.superseded import SUPERSEDED


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
    """A chunk as it is stored, with what its document is about, and the chunks that supersede a figure of it."""

    entity: str | None
    period_end: str | None
    source_concept: str
    text_sha256: str
    newer: str | None = None

    @property
    def superseded_by(self) -> tuple[str, ...]:
        """The chunks that supersede a figure of this one, by the pages of the bundle."""
        return tuple(self.newer.split()) if self.newer else ()


def read_passages(
    connection: Connection, chunk_ids: Sequence[str], at: datetime | None = None
) -> dict[str, StoredPassage]:
    """The passages that still exist, by chunk id.

    Args:
        connection: read access to both tiers.
        chunk_ids: which.
        at: what superseded a figure later than this does not count yet.
    """
    rows = connection.cursor(binary=True).execute(
        f"""
        SELECT c.chunk_id, c.document_id, d.name, c.text, c.prefix, c.kind, c.start_char, c.end_char, c.page,
            d.known_at, d.authentication, d.asserter,
            c.namespace, d.entity, d.cover ->> 'period_end', d.source_concept, c.text_sha256,
            (SELECT string_agg(DISTINCT n.chunk_id, ' ') FROM {SUPERSEDED} WHERE o.chunk_id = c.chunk_id)
        FROM retrieval.chunk c JOIN raw.document d USING (document_id) WHERE c.chunk_id = ANY(%(chunks)s)
        """,  # noqa: S608
        {"chunks": list(chunk_ids), "at": at},
    )
    return {row[0]: StoredPassage(*row) for row in rows.fetchall()}
