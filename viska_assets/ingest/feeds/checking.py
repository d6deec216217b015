"""One check of a feed: fetch by its kind, deliver what came, record how it went. Sensors and commands call this."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from viska_assets.ingest.feeds.configuration import Feed, FeedKind
from viska_assets.ingest.feeds.delivering import Delivered, deliver
from viska_assets.ingest.feeds.fetched import Client, Cursor, FeedError, Fetched, Known, read_cursor
from viska_assets.ingest.feeds.folder import fetch_folder
from viska_assets.ingest.feeds.mailbox import fetch_mailbox
from viska_assets.ingest.feeds.market_data import fetch_market_data
from viska_assets.ingest.feeds.syndication import fetch_syndication
from viska_assets.ingest.feeds.web import Pace, Web
from viska_assets.store.blobs import RawBlobs
from viska_assets.store.database import Database
from viska_assets.store.documents import add_incident
from viska_assets.store.feeds import FeedState, deliveries_of, record_check, waiting_documents
from viska_assets.store.home import Home
from viska_assets.store.settings import Settings

LARGEST_BATCH = 500
_FETCH: Mapping[FeedKind, Callable[[Feed, Cursor, Client], Fetched]] = {
    FeedKind.SYNDICATION: fetch_syndication,
    FeedKind.MAILBOX: fetch_mailbox,
    FeedKind.MARKET_DATA: fetch_market_data,
    FeedKind.FOLDER: fetch_folder,
}


@dataclass(frozen=True)
class Check:
    """The outcome of a check: how it went in words, the next cursor, and the documents that wait to be read."""

    state: FeedState
    detail: str
    cursor: Cursor
    waiting: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


def fetch(feed: Feed, cursor: Cursor, client: Client) -> Fetched:
    """What is new in a feed. Nothing is stored, and nothing is asked before the far side's time to wait is over.

    Raises:
        FeedError: where the feed could not be checked.
    """
    if cursor.not_before and client.clock() < datetime.fromisoformat(cursor.not_before):
        return Fetched((), cursor, unchanged=True, failure=f"waiting until {cursor.not_before}, as asked")
    return _FETCH[feed.kind](feed, replace(cursor, not_before=""), client)


def secret_of(name: str) -> str:
    """A secret from the environment.

    Raises:
        FeedError: where the variable is not set, naming it.
    """
    value = os.environ.get(name, "")
    if not value:
        raise FeedError(f"the environment variable {name} is not set; it holds the feed's secret")
    return value


def check_feed(
    database: Database,
    blobs: RawBlobs,
    feed: Feed,
    cursor: Cursor,
    *,
    web: Web,
    clock: Callable[[], datetime],
    secret: Callable[[str], str] = secret_of,
) -> Check:
    """Checks a feed and delivers what is new; a failure is recorded and is an answer, not an exception.

    Args:
        database: for the rows.
        blobs: for the bytes.
        feed: its policy.
        cursor: where the last check ended; a lost one costs time only.
        web: for requests.
        clock: the present instant.
        secret: the value of a secret by its name.
    """
    if feed.paused:
        reason = f"paused in feeds.yaml{': ' + feed.pause_reason if feed.pause_reason else ''}"
        return _record(database, feed, Check(FeedState.PAUSED, reason, cursor), clock())
    with database.transaction() as connection:
        known = Known(frozenset(deliveries_of(connection, feed.name)))
    try:
        fetched = fetch(feed, cursor, Client(web, clock, secret, known))
    except FeedError as error:
        later = error.retry_at.isoformat() if error.retry_at else ""
        return _record(database, feed, Check(FeedState.FAILING, str(error), replace(cursor, not_before=later)), clock())
    delivered = deliver(database, blobs, feed, fetched, clock())
    state = FeedState.FAILING if fetched.failure else FeedState.OK
    check = Check(state, _said(fetched, delivered), fetched.cursor, new=delivered.new)
    return _record(database, feed, check, clock())


def check_now(home: Home, feed: Feed, cursor: str | None, web: Web | None = None) -> Check:
    """Checks a feed of a home at the real time, even where the home's clock is pinned: the far side's runs on."""

    def now() -> datetime:
        return datetime.now(tz=UTC)

    return check_feed(home.database, home.blobs, feed, read_cursor(cursor), web=web or Web(Pace(), now), clock=now)


def drop_feed(settings: Settings) -> Feed:
    """The drop folder as a feed, where it is no local folder."""
    return Feed(
        name="drop",
        kind=FeedKind.FOLDER,
        url=settings.drop_url,
        max_items=LARGEST_BATCH,
        max_bytes=settings.max_document_bytes,
    )


def _said(fetched: Fetched, delivered: Delivered) -> str:
    if fetched.failure:
        came = f" ({len(delivered.new)} documents came before that)" if delivered.new else ""
        return f"{fetched.failure}{came}"
    if not delivered.new:
        return "nothing new"
    return f"{len(delivered.new)} new document{'s' if len(delivered.new) != 1 else ''}"


def _record(database: Database, feed: Feed, check: Check, at: datetime) -> Check:
    with database.transaction() as connection:
        record_check(connection, feed.name, feed.kind.value, check.state, check.detail, checked_at=at)
        if check.state is FeedState.FAILING:
            add_incident(connection, "feed_failed", check.detail, path=feed.name)
        return replace(check, waiting=tuple(waiting_documents(connection, feed.name)))
