"""Rows about feeds: what each has delivered, what of it waits to be read, and how its last check went."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from viska_assets.store.database import Connection


class FeedState(StrEnum):
    """How the last check of a feed went; a paused feed is not checked."""

    OK = "ok"
    PAUSED = "paused"
    FAILING = "failing"


@dataclass(frozen=True)
class FeedCheck:
    """The last check of a feed; ``failures`` counts those in a row."""

    feed: str
    kind: str
    state: FeedState
    detail: str
    failures: int
    checked_at: datetime


def record_check(
    connection: Connection, feed: str, kind: str, state: FeedState, detail: str, *, checked_at: datetime
) -> None:
    """Replaces what is known of a feed's last check."""
    connection.execute(
        """
        INSERT INTO raw.feed_check (feed, kind, state, detail, failures, checked_at)
        VALUES (%(feed)s, %(kind)s, %(state)s, %(detail)s, %(failing)s, %(at)s)
        ON CONFLICT (feed) DO UPDATE SET kind = EXCLUDED.kind, state = EXCLUDED.state, detail = EXCLUDED.detail,
            failures = CASE WHEN EXCLUDED.failures = 0 THEN 0 ELSE raw.feed_check.failures + 1 END,
            checked_at = EXCLUDED.checked_at
        """,
        {
            "feed": feed,
            "kind": kind,
            "state": state.value,
            "detail": detail,
            "failing": int(state is FeedState.FAILING),
            "at": checked_at,
        },
    )


def feed_checks(connection: Connection) -> dict[str, FeedCheck]:
    """The last check of every feed that was ever checked, by name."""
    rows = connection.execute("SELECT feed, kind, state, detail, failures, checked_at FROM raw.feed_check")
    return {row[0]: FeedCheck(row[0], row[1], FeedState(row[2]), row[3], row[4], row[5]) for row in rows}


def deliveries_by_feed(connection: Connection) -> dict[str, int]:
    """How often each feed has delivered."""
    return {row[0]: row[1] for row in connection.execute("SELECT feed, count(*) FROM raw.delivery GROUP BY feed")}


def deliveries_of(connection: Connection, feed: str) -> list[tuple[str, str]]:
    """Everything that a feed has delivered, as (path, fingerprint)."""
    rows = connection.execute("SELECT path, fingerprint FROM raw.delivery WHERE feed = %s", (feed,))
    return [(row[0], row[1]) for row in rows]


def waiting_documents(connection: Connection, feed: str) -> list[str]:
    """The documents that a feed delivered and that nothing has read yet."""
    rows = connection.execute(
        """
        SELECT document_id FROM raw.document d
        WHERE status = 'received' AND EXISTS (
            SELECT FROM raw.delivery v WHERE v.document_id = d.document_id AND v.feed = %s)
        ORDER BY document_id
        """,
        (feed,),
    )
    return [row[0] for row in rows]


def hold_feed(connection: Connection, feed: str) -> None:
    """Keeps two deliveries of one feed apart until the transaction ends."""
    connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (f"feed {feed}",))
