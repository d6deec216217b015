"""What a feed's sensor asks for: one run for what came, a reason for what did not, and a cursor that may be lost."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import fsspec
import pytest
import yaml

from resources.home import HomeResource
from sensors.feeds import build_feed_sensors
from sensors.new_documents import new_documents
from tests.ingest.feeds.http_server import Reply, Script, serving
from tests.ingest.feeds.test_syndication import entry, rss
from viska_assets.assets.retrieval import Drop, raw_sources
from viska_assets.definitions import build_defs
from viska_assets.ingest.feeds.configuration import load_feeds
from viska_assets.store.documents import documents_with_status
from viska_assets.store.feeds import FeedState, feed_checks
from viska_assets.store.home import Home


@pytest.fixture
def server() -> Iterator[Script]:
    with serving() as script:
        yield script


def describe(home: Home, server: Script, **changes: object) -> None:
    feed = {"name": "news", "kind": "rss", "url": f"{server.url}/feed", "requests_per_second": 10, **changes}
    home.settings.home_path.mkdir(parents=True, exist_ok=True)
    home.settings.feeds_path.write_text(yaml.safe_dump({"feeds": [feed]}))


def tick(home: Home, cursor: str | None = None) -> dg.SensorResult | dg.SkipReason:
    sensor = build_feed_sensors(load_feeds(home.settings))[0]
    context = dg.build_sensor_context(instance=dg.DagsterInstance.ephemeral(), cursor=cursor)
    result = sensor(context, home=HomeResource(home=str(home.settings.home_path)))
    assert isinstance(result, dg.SensorResult | dg.SkipReason)
    return result


@pytest.mark.database
def test_what_came_is_one_request_and_is_not_looked_for_in_the_drop_folder(home: Home, server: Script) -> None:
    describe(home, server)
    server.set("/feed", Reply(body=rss(entry(1), entry(2)), headers={"ETag": '"a"'}), Reply(304))
    result = tick(home)
    request = result.run_requests[0]
    assert request.run_config["ops"]["raw_sources"]["config"] == {"feeds": ["news"]}
    assert request.tags == {"viska/feed": "news", "viska/files": "2"}
    # Nothing has read them yet, so the same request stands; Dagster knows its key and starts it once.
    again = tick(home, result.cursor)
    assert [r.run_key for r in again.run_requests] == [request.run_key]


@pytest.mark.database
def test_the_run_says_what_the_feed_delivered(home: Home, server: Script) -> None:
    describe(home, server)
    server.set("/feed", Reply(body=rss(entry(1), entry(2))))
    request = tick(home).run_requests[0]
    resource = HomeResource(home=str(home.settings.home_path))
    drop = Drop(**request.run_config["ops"]["raw_sources"]["config"])
    assert raw_sources(dg.build_asset_context(), home=resource, config=drop).metadata["new_documents"] == 2


@pytest.mark.database
def test_a_feed_with_nothing_new_says_so_and_keeps_its_cursor(home: Home, server: Script) -> None:
    describe(home, server)
    server.set("/feed", Reply(body=rss(), headers={"ETag": '"a"'}))
    result = tick(home)
    assert "nothing new" in result.skip_reason.skip_message
    assert '"a"' in tick(home, result.cursor).cursor.replace("\\", "")


@pytest.mark.database
def test_a_failing_feed_is_a_reason_and_not_a_crash(home: Home, server: Script) -> None:
    describe(home, server)
    server.set("/feed", Reply(500))
    assert "status 500" in tick(home).skip_reason.skip_message
    with home.database.transaction() as connection:
        assert feed_checks(connection)["news"].state is FeedState.FAILING


@pytest.mark.database
def test_pausing_needs_no_reload(home: Home, server: Script) -> None:
    describe(home, server)
    sensor = build_feed_sensors(load_feeds(home.settings))[0]
    describe(home, server, paused=True, pause_reason="licence")
    context = dg.build_sensor_context(instance=dg.DagsterInstance.ephemeral())
    result = sensor(context, home=HomeResource(home=str(home.settings.home_path)))
    assert "paused in feeds.yaml: licence" in result.skip_reason.skip_message
    home.settings.feeds_path.write_text("feeds: []")
    gone = sensor(context, home=HomeResource(home=str(home.settings.home_path)))
    assert "no longer in feeds.yaml" in gone.skip_message
    assert server.asked == []


@pytest.mark.database
def test_every_feed_is_a_sensor_of_the_code_location(home: Home, server: Script) -> None:
    describe(home, server, interval_seconds=90)
    sensor = build_defs().resolve_sensor_def("feed_news")
    assert sensor.minimum_interval_seconds == 90


@pytest.fixture
def remote(home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[fsspec.AbstractFileSystem]:
    monkeypatch.setenv("VISKA_DROP", f"memory://drop{tmp_path}")
    files, root = fsspec.core.url_to_fs(f"memory://drop{tmp_path}")
    files.makedirs(root, exist_ok=True)
    files.pipe(f"{root}/note.txt", b"Revenue of 5 million.")
    yield files
    files.rm(root, recursive=True)


@pytest.mark.database
def test_a_remote_drop_folder_is_watched_as_well(home: Home, remote: fsspec.AbstractFileSystem) -> None:
    context = dg.build_sensor_context(instance=dg.DagsterInstance.ephemeral())
    result = new_documents(context, home=HomeResource(home=str(home.settings.home_path)))
    assert len(result.run_requests) == 1
    assert result.run_requests[0].run_config["ops"]["raw_sources"]["config"] == {"feeds": ["drop"]}


@pytest.mark.database
def test_a_remote_drop_folder_is_taken_by_a_run_started_by_hand(home: Home, remote: fsspec.AbstractFileSystem) -> None:
    resource = HomeResource(home=str(home.settings.home_path))
    for new in (1, 0):
        result = raw_sources(dg.build_asset_context(), home=resource, config=Drop())
        assert result.metadata["new_documents"] == new
    with home.database.transaction() as connection:
        assert [stored.name for stored in documents_with_status(connection, "received")] == ["note.txt"]
