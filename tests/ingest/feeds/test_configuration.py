"""feeds.yaml: what it may say, and what it is told where it may not; cursors and the pace."""

from pathlib import Path

import pytest

from viska_assets.ingest.feeds.configuration import Feed, load_feeds, parse_feeds
from viska_assets.ingest.feeds.fetched import Cursor, read_cursor
from viska_assets.ingest.feeds.web import Pace
from viska_assets.store.settings import SettingError, Settings

RSS = {"name": "news", "kind": "rss", "url": "https://example.com/feed"}


def text_of(*feeds: dict[str, object]) -> str:
    import yaml

    return yaml.safe_dump({"feeds": list(feeds)})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": "drop"}, "Viska's own"),
        ({"name": "Bad Name"}, "name"),
        ({"url": "ftp://example.com/feed"}, "begins with https://"),
        ({"url": "https:///feed"}, "names no host"),
        ({"url": "https://desk:hunter2@example.com/feed"}, "password_env or token_env"),
        ({"url": "https://www.sec.gov/feed"}, "fair access"),
        ({"url": "https://www.sec.gov/feed", "user_agent": "Desk"}, "fair access"),
        ({"kind": "imap", "url": "imap://example.com"}, "begins with imaps://"),
        ({"kind": "imap", "url": "imaps://example.com"}, "needs username and password_env"),
        ({"password": "hunter2"}, "password"),
        ({"password_env": "hunter2"}, "password_env"),
        ({"requests_per_second": 11}, "requests_per_second"),
        ({"interval_seconds": 1}, "interval_seconds"),
    ],
)
def test_a_wrong_feed_is_refused_by_name_and_no_secret_is_repeated(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(SettingError, match=reason) as caught:
        parse_feeds(text_of(RSS | changes), Path("feeds.yaml"))
    assert "hunter2" not in str(caught.value)
    assert "feeds.yaml" in str(caught.value)


def test_two_feeds_of_one_name_are_refused() -> None:
    with pytest.raises(SettingError, match="two feeds are called news"):
        parse_feeds(text_of(RSS, RSS), Path("feeds.yaml"))


def test_a_feed_of_edgar_with_a_contact_is_taken() -> None:
    feed = RSS | {"url": "https://www.sec.gov/feed", "user_agent": "Example Desk desk@example.com"}
    assert parse_feeds(text_of(feed), Path("feeds.yaml"))[0].hosts == {"www.sec.gov"}


def test_without_a_file_there_are_no_feeds_unless_one_was_named(tmp_path: Path) -> None:
    assert load_feeds(Settings(home=tmp_path)) == ()
    with pytest.raises(SettingError, match="VISKA_FEEDS"):
        load_feeds(Settings(home=tmp_path, feeds=tmp_path / "none.yaml"))
    (tmp_path / "feeds.yaml").write_text(text_of(RSS))
    assert load_feeds(Settings(home=tmp_path)) == (Feed.model_validate(RSS),)


def test_a_file_that_is_no_yaml_is_named() -> None:
    with pytest.raises(SettingError, match=r"feeds\.yaml: no YAML"):
        parse_feeds("feeds: [", Path("feeds.yaml"))


@pytest.mark.parametrize(
    "text", [None, "", "nonsense", "[]", '{"uid": "5"}', '{"other": 1}', '{"not_before": "soon"}', '{"uid": true}']
)
def test_a_cursor_that_cannot_be_read_means_to_start_over(text: str | None) -> None:
    assert read_cursor(text) == Cursor()


def test_a_cursor_survives_being_kept() -> None:
    cursor = Cursor(etag='"a"', modified="x", uid_validity=3, uid=9, not_before="2025-07-01T12:00:00+00:00")
    assert read_cursor(cursor.to_text()) == cursor


def test_requests_to_one_host_are_kept_apart_and_others_do_not_wait() -> None:
    slept: list[float] = []
    pace = Pace(sleep=slept.append, now=lambda: 100.0)
    for host in ("a", "a", "b", "a"):
        pace.wait(host, 2)
    assert slept == [0.5, 1.0]


def test_a_drop_folder_may_be_an_address(tmp_path: Path) -> None:
    assert Settings(home=tmp_path, drop="memory://drop").drop_url == "memory://drop"
    local = Settings(home=tmp_path, drop=f"file://{tmp_path}/in")
    assert (local.drop_url, local.drop_path) == ("", tmp_path / "in")
    assert Settings(home=tmp_path, drop=str(tmp_path / "in")).drop_path == tmp_path / "in"
    assert Settings(home=tmp_path).drop_path == tmp_path / "drop"
