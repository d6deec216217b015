"""Clients for the feed tests: a fixed clock, a pace that never sleeps, and a way to check a feed as the sensor does."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.ingest.feeds.http_server import Script, serving
from tests.ingest.feeds.imap_server import Mailbox, serving_mailbox
from viska_assets.ingest.feeds.checking import Check, check_feed
from viska_assets.ingest.feeds.configuration import Feed
from viska_assets.ingest.feeds.fetched import Client, Cursor, Known
from viska_assets.ingest.feeds.web import Pace, Web
from viska_assets.store.home import Home

NEVER_CHECKED = Cursor()
NOON = datetime(2025, 7, 1, 12, tzinfo=UTC)
SECRETS = {"DESK_TOKEN": "token-of-the-desk", "DESK_MAIL": "right"}


def web() -> Web:
    return Web(Pace(sleep=lambda _: None), lambda: NOON)


def client(*deliveries: tuple[str, str]) -> Client:
    return Client(web(), lambda: NOON, SECRETS.__getitem__, Known(frozenset(deliveries)))


@pytest.fixture
def server() -> Iterator[Script]:
    with serving() as script:
        yield script


@pytest.fixture
def mailbox(tmp_path: Path) -> Iterator[Mailbox]:
    with serving_mailbox(tmp_path) as box:
        yield box


@pytest.fixture
def check(home: Home) -> Callable[..., Check]:
    """Checks a feed against the home, as the sensor does."""

    def run(feed: Feed, cursor: Cursor = NEVER_CHECKED, at: datetime = NOON) -> Check:
        return check_feed(
            home.database, home.blobs, feed, cursor, web=web(), clock=lambda: at, secret=SECRETS.__getitem__
        )

    return run


def delivered(home: Home, feed: str) -> list[tuple[str, str]]:
    """The (path, document id) of a feed's deliveries, in order."""
    with home.database.transaction() as connection:
        rows = connection.execute(
            "SELECT path, document_id FROM raw.delivery WHERE feed = %s ORDER BY delivery_id", (feed,)
        )
        return [(row[0], row[1]) for row in rows]
