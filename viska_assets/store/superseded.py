"""Which figures of chunks are superseded: a page of the bundle says that a newer document restates them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from pydantic import TypeAdapter

from viska_assets.model.page import Locator
from viska_assets.store.database import Connection

# A claim and the live one that supersedes it; ``at`` is a time, or NULL for now.
SUPERSEDED = """
    registry.claim o JOIN registry.claim n ON n.claim_id = o.claim ->> 'superseded_by' AND n.live
        AND o.live AND o.claim ->> 'superseded_by' IS NOT NULL
        AND (%(at)s::timestamptz IS NULL OR (n.claim ->> 'known_at')::timestamptz <= %(at)s)
"""
_LOCATORS: TypeAdapter[Locator | None] = TypeAdapter(Locator | None)


@dataclass(frozen=True, slots=True)
class Superseded:
    """A superseded figure: the place that was cited, the interval of its value, and the chunk that supersedes it."""

    chunk_id: str
    locator: Locator | None
    low: Decimal
    high: Decimal
    successor: str


def superseded_in(
    connection: Connection, chunk_ids: Sequence[str], at: datetime | None = None
) -> tuple[Superseded, ...]:
    """The superseded figures of some chunks, in a fixed order.

    Args:
        connection: read access to the registry.
        chunk_ids: the chunks.
        at: what superseded a figure later than this does not count yet.
    """
    rows = connection.execute(
        f"""
        SELECT o.chunk_id, t.locator, (o.claim ->> 'low')::numeric, (o.claim ->> 'high')::numeric, n.chunk_id
        FROM {SUPERSEDED}
        JOIN registry.citation t ON t.concept_id = o.concept_id AND t.source_id = o.claim ->> 'source_id'
        WHERE o.chunk_id = ANY(%(chunks)s) AND num_nonnulls(o.claim ->> 'low', o.claim ->> 'high') = 2
        ORDER BY o.claim_id
        """,  # noqa: S608
        {"chunks": list(chunk_ids), "at": at},
    )
    return tuple(Superseded(row[0], _LOCATORS.validate_python(row[1]), *row[2:]) for row in rows.fetchall())
