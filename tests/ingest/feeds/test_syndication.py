"""RSS and Atom: every entry once, whatever the far side does."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.ingest.feeds.conftest import NOON, client, delivered
from tests.ingest.feeds.http_server import Reply, Script
from viska_assets.ingest.feeds.checking import Check, fetch
from viska_assets.ingest.feeds.configuration import Feed, FeedKind
from viska_assets.ingest.feeds.delivering import deliver
from viska_assets.ingest.feeds.fetched import Cursor, FeedError
from viska_assets.store.documents import incidents
from viska_assets.store.feeds import FeedState, feed_checks
from viska_assets.store.home import Home


def entry(
    number: int, *, guid: str = "", body: str = "", day: str = "Tue, 01 Jul 2025 09:00:00 GMT", link: str = ""
) -> str:
    return (
        f"<item><title>News {number}</title><guid isPermaLink='false'>{guid or f'id-{number}'}</guid>"
        f"<link>{link or f'http://127.0.0.1/news/{number}'}</link><pubDate>{day}</pubDate>"
        f"<description>{body or f'Revenue of {number} million.'}</description></item>"
    )


def rss(*entries: str) -> bytes:
    inside = f"<channel><title>Desk</title>{''.join(entries)}</channel>"
    return f"<?xml version='1.0'?><rss version='2.0'>{inside}</rss>".encode()


def feed_at(server: Script, **changes: object) -> Feed:
    return Feed.model_validate({"name": "news", "kind": "rss", "url": f"{server.url}/feed", **changes})


def test_entries_come_oldest_first_with_the_marks_for_next_time(server: Script) -> None:
    server.set(
        "/feed",
        Reply(body=rss(entry(2), entry(1)), headers={"ETag": '"a"', "Last-Modified": "Tue, 01 Jul 2025 09:00:00 GMT"}),
    )
    found = fetch(feed_at(server, user_agent="Desk desk@fund.com"), Cursor(), client())
    assert [item.path for item in found.items] == ["id-1", "id-2"]
    assert b"Revenue of 1 million." in found.items[0].data
    assert found.cursor.etag == '"a"'
    assert server.asked[0].headers["user-agent"] == "Desk desk@fund.com"


def test_nothing_is_read_when_nothing_changed(server: Script) -> None:
    server.set("/feed", Reply(304))
    cursor = Cursor(etag='"a"', modified="Tue, 01 Jul 2025 09:00:00 GMT")
    found = fetch(feed_at(server), cursor, client())
    assert (found.items, found.unchanged, found.cursor) == ((), True, cursor)
    assert server.asked[0].headers["if-none-match"] == '"a"'
    assert server.asked[0].headers["if-modified-since"] == "Tue, 01 Jul 2025 09:00:00 GMT"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(500), "status 500"),
        (Reply(404), "status 404"),
        (Reply(body=b"<!doctype html><html><body>Please log in</body></html>"), "no RSS or Atom"),
        (Reply(body=b'{"error": "quota"}'), "no RSS or Atom"),
        (Reply(body=b""), "no RSS or Atom"),
        (Reply(body=rss(entry(1), entry(2))[:-40]), "cut off or not well-formed"),
        (Reply(body=rss(entry(1)), announced=10_000), "no whole answer"),
        (Reply(body=rss(entry(1)), chunked_cut=True), "no whole answer"),
        (Reply(body=rss(entry(1, body="x" * 3000))), "over the limit"),
        (Reply(302, headers={"Location": "http://localhost:1/feed"}), "not among the feed's hosts"),
        (Reply(302, headers={"Location": "file:///etc/passwd"}), "not among the feed's hosts"),
        (Reply(302, headers={"Location": "/feed"}), "redirects"),
        (Reply(302, headers={"Location": "http://[broken"}), "cannot be read"),
    ],
)
def test_what_is_no_whole_feed_delivers_nothing(server: Script, reply: Reply, reason: str) -> None:
    server.set("/feed", reply)
    with pytest.raises(FeedError, match=reason):
        fetch(feed_at(server, max_bytes=2000), Cursor(), client())


def test_a_small_body_that_unpacks_without_bound_is_refused(server: Script) -> None:
    import gzip

    packed = gzip.compress(b"<rss>" + b" " * 5_000_000)
    server.set("/feed", Reply(body=packed, headers={"Content-Encoding": "gzip"}))
    with pytest.raises(FeedError, match="over the limit"):
        fetch(feed_at(server, max_bytes=100_000), Cursor(), client())


def test_a_redirect_within_the_host_is_followed(server: Script) -> None:
    server.set("/feed", Reply(301, headers={"Location": "/moved"}))
    server.set("/moved", Reply(body=rss(entry(1))))
    assert len(fetch(feed_at(server), Cursor(), client()).items) == 1


def test_a_redirect_to_an_allowed_host_is_followed(server: Script) -> None:
    server.set("/feed", Reply(302, headers={"Location": f"{server.url.replace('127.0.0.1', 'localhost')}/moved"}))
    server.set("/moved", Reply(body=rss(entry(1))))
    assert len(fetch(feed_at(server, allow_hosts=["localhost"]), Cursor(), client()).items) == 1


def test_a_token_never_follows_a_redirect_to_another_host(server: Script) -> None:
    server.set("/feed", Reply(302, headers={"Location": f"{server.url.replace('127.0.0.1', 'localhost')}/moved"}))
    with pytest.raises(FeedError, match="token is not sent"):
        fetch(feed_at(server, allow_hosts=["localhost"], token_env="DESK_TOKEN"), Cursor(), client())
    assert [asked.path for asked in server.asked] == ["/feed"]
    assert server.asked[0].headers["authorization"] == "Bearer token-of-the-desk"


@pytest.mark.parametrize("header", ["120", "Tue, 01 Jul 2025 12:02:00 GMT"])
def test_retry_after_is_kept_to_without_asking_again(
    server: Script, home: Home, check: Callable[..., Check], header: str
) -> None:
    server.set("/feed", Reply(429, headers={"Retry-After": header}), Reply(body=rss(entry(1))))
    first = check(feed_at(server))
    assert first.state is FeedState.FAILING
    early = check(feed_at(server), first.cursor, NOON + timedelta(seconds=119))
    assert (len(server.asked), early.cursor) == (1, first.cursor)
    late = check(feed_at(server), early.cursor, NOON + timedelta(seconds=120))
    assert (len(server.asked), late.state, len(late.waiting)) == (2, FeedState.OK, 1)


def test_429_without_a_header_waits_ten_minutes(server: Script) -> None:
    server.set("/feed", Reply(429))
    with pytest.raises(FeedError) as caught:
        fetch(feed_at(server), Cursor(), client())
    assert caught.value.retry_at == NOON + timedelta(minutes=10)


@pytest.mark.database
def test_nothing_is_delivered_twice(server: Script, home: Home, check: Callable[..., Check]) -> None:
    server.set("/feed", Reply(body=rss(entry(1), entry(2))))
    check(feed_at(server))
    check(feed_at(server))
    assert [path for path, _ in delivered(home, "news")] == ["id-2", "id-1"]


@pytest.mark.database
def test_one_id_on_two_entries_delivers_both_once(server: Script, home: Home, check: Callable[..., Check]) -> None:
    server.set("/feed", Reply(body=rss(entry(1, guid="same"), entry(2, guid="same"), entry(2, guid="same"))))
    for _ in range(3):
        check(feed_at(server))
    rows = delivered(home, "news")
    assert [path for path, _ in rows] == ["same", "same"]
    assert len({document_id for _, document_id in rows}) == 2


@pytest.mark.database
def test_ids_that_change_under_the_same_content_deliver_nothing_new(
    server: Script, home: Home, check: Callable[..., Check]
) -> None:
    server.set("/feed", Reply(body=rss(entry(1, guid="v1"))), Reply(body=rss(entry(1, guid="v2"))))
    check(feed_at(server))
    check(feed_at(server))
    assert [path for path, _ in delivered(home, "news")] == ["v1"]


@pytest.mark.database
def test_a_corrected_entry_is_a_new_document(server: Script, home: Home, check: Callable[..., Check]) -> None:
    server.set("/feed", Reply(body=rss(entry(1))), Reply(body=rss(entry(1, body="Revenue of 9 million."))))
    check(feed_at(server))
    check(feed_at(server))
    assert [path for path, _ in delivered(home, "news")] == ["id-1", "id-1"]


@pytest.mark.database
def test_an_entry_dated_tomorrow_comes_today_without_its_date(
    server: Script, home: Home, check: Callable[..., Check]
) -> None:
    server.set("/feed", Reply(body=rss(entry(1, day="Wed, 02 Jul 2025 15:00:00 GMT"), entry(2))))
    check(feed_at(server))
    rows = dict(delivered(home, "news"))
    assert set(rows) == {"id-1", "id-2"}
    assert b"2025-07-02" not in home.blobs.get(rows["id-1"])
    with home.database.transaction() as connection:
        assert [row["kind"] for row in incidents(connection)] == ["feed_clock_skew"]


@pytest.mark.database
def test_more_entries_than_the_limit_come_with_the_next_checks(
    server: Script, home: Home, check: Callable[..., Check]
) -> None:
    server.set("/feed", Reply(body=rss(*(entry(n) for n in range(5, 0, -1))), headers={"ETag": '"a"'}))
    cursor = Cursor()
    for _ in range(3):
        cursor = check(feed_at(server, max_items=2), cursor).cursor
    assert [path for path, _ in delivered(home, "news")] == ["id-1", "id-2", "id-3", "id-4", "id-5"]
    assert cursor.etag == '"a"'
    assert "if-none-match" not in server.asked[1].headers


def test_a_check_that_takes_long_ends_and_the_rest_comes_next(server: Script) -> None:
    server.set("/feed", Reply(body=rss(entry(3), entry(2), entry(1)), headers={"ETag": '"a"'}))
    moments = iter(NOON + timedelta(seconds=10 * n) for n in range(100))
    slow = replace(client(), clock=lambda: next(moments))
    found = fetch(feed_at(server), Cursor(), slow)
    assert 0 < len(found.items) < 3
    assert found.cursor == Cursor()
    known = [(item.path, item.fingerprint) for item in found.items]
    rest = fetch(feed_at(server), found.cursor, client(*known))
    assert len(found.items) + len(rest.items) == 3
    assert rest.cursor.etag == '"a"'


@pytest.mark.database
@pytest.mark.parametrize("dies_after", ["the bytes", "the first row"])
def test_a_crash_between_download_and_row_loses_nothing(
    server: Script, home: Home, check: Callable[..., Check], monkeypatch: pytest.MonkeyPatch, dies_after: str
) -> None:
    server.set("/feed", Reply(body=rss(entry(1), entry(2)), headers={"ETag": '"a"'}))
    rows_before = {"the bytes": 0, "the first row": 1}[dies_after]
    written: list[object] = []

    class Killed(BaseException):
        pass

    import viska_assets.ingest.feeds.delivering as room

    def dying(*arguments: object, **named: object) -> bool:
        if len(written) == rows_before:
            raise Killed
        written.append(arguments)
        return real(*arguments, **named)

    real = room.add_document
    with monkeypatch.context() as patched:
        patched.setattr(room, "add_document", dying)
        with pytest.raises(Killed):
            check(feed_at(server))
    assert len(delivered(home, "news")) == rows_before
    check(feed_at(server))
    assert sorted(path for path, _ in delivered(home, "news")) == ["id-1", "id-2"]


@pytest.mark.database
def test_delivering_the_same_check_again_adds_nothing(server: Script, home: Home) -> None:
    server.set("/feed", Reply(body=rss(entry(1))))
    found = fetch(feed_at(server), Cursor(), client())
    assert len(deliver(home.database, home.blobs, feed_at(server), found, NOON).new) == 1
    assert deliver(home.database, home.blobs, feed_at(server), found, NOON).new == ()


@pytest.mark.database
def test_linked_pages_come_and_one_that_fails_is_tried_again(
    server: Script, home: Home, check: Callable[..., Check]
) -> None:
    entries = [entry(n, link=f"{server.url}/page/{n}.html") for n in (1, 2)]
    server.set("/feed", Reply(body=rss(*entries), headers={"ETag": '"a"'}))
    server.set("/page/1.html", Reply(500), Reply(body=b"<p>One</p>", headers={"Content-Type": "text/html"}))
    server.set("/page/2.html", Reply(body=b"<p>Two</p>", headers={"Content-Type": "text/html"}))
    first = check(feed_at(server, linked=True))
    assert (first.state, first.cursor.etag) == (FeedState.FAILING, "")
    assert [path for path, _ in delivered(home, "news")] == ["id-2"]
    second = check(feed_at(server, linked=True), first.cursor)
    assert (second.state, second.cursor.etag) == (FeedState.OK, '"a"')
    assert [path for path, _ in delivered(home, "news")] == ["id-2", "id-1"]
    assert [asked.path for asked in server.asked].count("/page/2.html") == 1


def test_links_to_other_hosts_are_not_followed(server: Script) -> None:
    server.set("/feed", Reply(body=rss(entry(1, link="http://169.254.169.254/latest/meta-data"))))
    found = fetch(feed_at(server, linked=True), Cursor(), client())
    assert found.items == ()
    assert "not among the feed's hosts" in found.failure


def test_scripts_of_an_entry_do_not_reach_the_document(server: Script) -> None:
    server.set("/feed", Reply(body=rss(entry(1, body="<![CDATA[<script>steal()</script><p>Margin &lt; 5%</p>]]>"))))
    data = fetch(feed_at(server), Cursor(), client()).items[0].data
    assert b"steal" not in data
    assert b"Margin" in data


@pytest.mark.database
def test_a_paused_feed_is_not_asked_and_says_so(server: Script, home: Home, check: Callable[..., Check]) -> None:
    found = check(feed_at(server, paused=True, pause_reason="licence under review"))
    assert (found.state, server.asked) == (FeedState.PAUSED, [])
    with home.database.transaction() as connection:
        stored = feed_checks(connection)["news"]
    assert (stored.state, stored.kind) == (FeedState.PAUSED, FeedKind.SYNDICATION.value)
    assert "licence under review" in stored.detail


@pytest.mark.database
def test_failures_in_a_row_are_counted_and_end_with_a_success(
    server: Script, home: Home, check: Callable[..., Check]
) -> None:
    server.set("/feed", Reply(500), Reply(500), Reply(body=rss(entry(1))))
    counts = []
    for _ in range(3):
        check(feed_at(server))
        with home.database.transaction() as connection:
            counts.append(feed_checks(connection)["news"].failures)
    assert counts == [1, 2, 0]
