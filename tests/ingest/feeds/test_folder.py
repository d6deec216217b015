"""A folder behind any fsspec address: local or in memory."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import fsspec
import pytest

from tests.ingest.feeds.conftest import client, delivered
from viska_assets.ingest.feeds.checking import Check, fetch
from viska_assets.ingest.feeds.configuration import Feed
from viska_assets.ingest.feeds.fetched import Cursor, FeedError
from viska_assets.store.home import Home

Put = Callable[[str, bytes], None]


@pytest.fixture(params=["memory", "file"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Put]]:
    url = f"memory://drop-{os.getpid()}" if request.param == "memory" else f"file://{tmp_path / 'drop'}"
    files, root = fsspec.core.url_to_fs(url)
    files.makedirs(root, exist_ok=True)

    def put(name: str, data: bytes) -> None:
        path = f"{root}/{name}"
        files.makedirs(path.rsplit("/", 1)[0], exist_ok=True)
        with files.open(path, "wb") as stream:
            stream.write(data)

    yield url, put
    files.rm(root, recursive=True)


def feed_at(url: str, **changes: object) -> Feed:
    return Feed.model_validate({"name": "share", "kind": "folder", "url": url, **changes})


def test_files_come_by_path_and_hidden_ones_do_not(place: tuple[str, Put]) -> None:
    url, put = place
    for name in ("b/c.txt", "a.txt", ".hidden", ".git/x", "dns.json", "half.partial"):
        put(name, name.encode())
    found = fetch(feed_at(url), Cursor(), client())
    assert [(item.path, item.name) for item in found.items] == [("a.txt", "a.txt"), ("b/c.txt", "c.txt")]


@pytest.mark.database
def test_each_file_is_delivered_once_and_a_changed_one_again(
    place: tuple[str, Put], home: Home, check: Callable[..., Check]
) -> None:
    url, put = place
    put("a.txt", b"one")
    put("copy.txt", b"one")
    for _ in range(2):
        check(feed_at(url))
    assert [path for path, _ in delivered(home, "share")] == ["a.txt", "copy.txt"]
    put("a.txt", b"another")
    check(feed_at(url))
    assert [path for path, _ in delivered(home, "share")] == ["a.txt", "copy.txt", "a.txt"]


def test_what_is_over_a_limit_waits_or_is_remarked(place: tuple[str, Put]) -> None:
    url, put = place
    for name, size in (("a.txt", 10), ("b.txt", 2000), ("c.txt", 10), ("d.txt", 10)):
        put(name, b"x" * size)
    found = fetch(feed_at(url, max_bytes=1000, max_items=2), Cursor(), client())
    assert [item.path for item in found.items] == ["a.txt", "c.txt"]
    assert [(remark.kind, remark.path) for remark in found.remarks] == [("unreadable_file", "b.txt")]


def test_a_link_out_of_a_local_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    drop = tmp_path / "drop"
    drop.mkdir()
    (drop / "link.txt").symlink_to(tmp_path / "secret.txt")
    found = fetch(feed_at(f"file://{drop}"), Cursor(), client())
    assert found.items == ()
    assert "leads out of the folder" in found.remarks[0].detail


def test_a_file_that_is_still_written_waits(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("half")
    changed = (tmp_path / "a.txt").stat().st_mtime
    at_rest = client()
    writing = type(at_rest)(at_rest.web, lambda: datetime.fromtimestamp(changed + 1, tz=UTC), at_rest.secret)
    rested = type(at_rest)(at_rest.web, lambda: datetime.fromtimestamp(changed + 3, tz=UTC), at_rest.secret)
    assert fetch(feed_at(f"file://{tmp_path}"), Cursor(), writing).items == ()
    assert len(fetch(feed_at(f"file://{tmp_path}"), Cursor(), rested).items) == 1


def test_an_address_that_cannot_be_opened_is_named() -> None:
    with pytest.raises(FeedError, match="cannot be listed"):
        fetch(feed_at("nosuch://bucket/x"), Cursor(), client())
