"""Market data as CSV over HTTP: whole tables only, once a change."""

from collections.abc import Callable

import pytest

from tests.ingest.feeds.conftest import client, delivered
from tests.ingest.feeds.http_server import Reply, Script
from viska_assets.ingest.feeds.checking import Check, fetch
from viska_assets.ingest.feeds.configuration import Feed
from viska_assets.ingest.feeds.fetched import Cursor, FeedError
from viska_assets.store.home import Home

TABLE = b"date,close\n2025-06-30,101.5\n2025-07-01,102.25\n"


def feed_at(server: Script, **changes: object) -> Feed:
    return Feed.model_validate({"name": "prices", "kind": "csv", "url": f"{server.url}/acme.csv?range=1y", **changes})


def test_a_table_comes_with_its_name_and_marks(server: Script) -> None:
    server.set("/acme.csv?range=1y", Reply(body=TABLE, headers={"ETag": '"1"'}))
    found = fetch(feed_at(server, token_env="DESK_TOKEN"), Cursor(), client())
    assert [(item.path, item.name, item.data) for item in found.items] == [("/acme.csv", "acme.csv", TABLE)]
    assert found.cursor.etag == '"1"'
    assert server.asked[0].headers["authorization"] == "Bearer token-of-the-desk"


def test_nothing_comes_when_nothing_changed(server: Script) -> None:
    server.set("/acme.csv?range=1y", Reply(304))
    assert fetch(feed_at(server), Cursor(etag='"1"'), client()).unchanged


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(body=b"<html><body>Log in</body></html>"), "a page or an object"),
        (Reply(body=b'{"message": "quota"}'), "a page or an object"),
        (Reply(body=b"Too many requests"), "no table"),
        (Reply(body=b""), "no table"),
        (Reply(body=TABLE[:-8]), "the table was cut off"),
        (Reply(body=TABLE[:-3], undelimited=True), "may be cut off"),
        (Reply(body=TABLE, announced=9999), "no whole answer"),
        (Reply(body=TABLE, chunked_cut=True), "no whole answer"),
        (Reply(500), "status 500"),
        (Reply(429, headers={"Retry-After": "60"}), "status 429"),
        (Reply(body=TABLE * 100), "over the limit"),
    ],
)
def test_what_is_no_whole_table_delivers_nothing(server: Script, reply: Reply, reason: str) -> None:
    server.set("/acme.csv?range=1y", reply)
    with pytest.raises(FeedError, match=reason) as caught:
        fetch(feed_at(server, max_bytes=1000), Cursor(), client())
    assert "range=1y" not in str(caught.value)


@pytest.mark.database
def test_a_table_is_delivered_once_a_change(server: Script, home: Home, check: Callable[..., Check]) -> None:
    longer = TABLE + b"2025-07-02,103\n"
    server.set("/acme.csv?range=1y", Reply(body=TABLE), Reply(body=TABLE), Reply(body=longer), Reply(body=TABLE))
    for _ in range(4):
        check(feed_at(server))
    assert [home.blobs.get(document_id) for _, document_id in delivered(home, "prices")] == [TABLE, longer]


def test_a_missing_secret_is_named_and_nothing_is_asked(server: Script, home: Home) -> None:
    from viska_assets.ingest.feeds.checking import check_now

    found = check_now(home, feed_at(server, token_env="NO_SUCH_TOKEN"), None)
    assert "NO_SUCH_TOKEN is not set" in found.detail
    assert server.asked == []
