"""What the drop-folder sensor asks for: whole files, once, in one request; never a stuck cursor."""

import json
import os
import time
from pathlib import Path

import dagster as dg
import pytest

from resources.home import HomeResource
from sensors.new_documents import LARGEST_BATCH, list_drop, new_documents, read_cursor
from viska_assets.ingest.receiving import receive_files
from viska_assets.store.documents import incidents
from viska_assets.store.home import Home

LONG_AGO = time.time() - 3600


def put(folder: Path, name: str, *, age: float = 3600) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(name)
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def listing(folder: Path, seen: dict[str, str] | None = None):
    return list_drop(folder, seen or {}, now=time.time(), stable_seconds=2)


def test_a_file_at_rest_is_ready_and_asked_for_once(tmp_path: Path) -> None:
    put(tmp_path, "a.txt")
    first = listing(tmp_path)
    assert list(first.ready) == ["a.txt"]
    assert listing(tmp_path, first.ready).ready == {}


def test_a_file_that_is_still_written_waits(tmp_path: Path) -> None:
    put(tmp_path, "half.pdf", age=0.1)
    found = listing(tmp_path)
    assert (found.ready, found.unstable) == ({}, ("half.pdf",))


def test_a_file_moved_in_from_the_past_or_the_future_is_seen(tmp_path: Path) -> None:
    put(tmp_path, "old.txt", age=10**8)
    put(tmp_path, "clock-skew.txt", age=-(10**6))
    assert sorted(listing(tmp_path).ready) == ["clock-skew.txt", "old.txt"]


def test_a_changed_file_is_asked_for_again(tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt")
    seen = listing(tmp_path).ready
    path.write_text("a longer text")
    os.utime(path, (LONG_AGO, LONG_AGO))
    assert list(listing(tmp_path, seen).ready) == ["a.txt"]


def test_hidden_files_and_dns_answers_are_no_documents(tmp_path: Path) -> None:
    for name in (".a.txt.partial", ".git/config", "dns.json", "deep/er/b.txt"):
        put(tmp_path, name)
    assert list(listing(tmp_path).ready) == ["deep/er/b.txt"]


def test_a_dangling_link_is_unreadable_and_stops_nothing(tmp_path: Path) -> None:
    put(tmp_path, "a.txt")
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere")
    found = listing(tmp_path)
    assert (list(found.ready), found.unreadable) == (["a.txt"], ("gone.txt",))


@pytest.mark.parametrize("cursor", [None, "", "not json", "[1, 2]", '"text"'])
def test_a_cursor_that_cannot_be_read_means_to_start_over(cursor: str | None) -> None:
    assert read_cursor(cursor) == {}


def tick(home: Home, cursor: str | None = None):
    context = dg.build_sensor_context(instance=dg.DagsterInstance.ephemeral(), cursor=cursor)
    return new_documents(context, home=HomeResource(home=str(home.settings.home_path)))


@pytest.mark.database
def test_five_hundred_files_are_one_request(home: Home) -> None:
    for number in range(LARGEST_BATCH):
        put(home.settings.drop_path, f"{number:03}.txt")
    result = tick(home)
    assert isinstance(result, dg.SensorResult)
    assert len(result.run_requests) == 1
    paths = result.run_requests[0].run_config["ops"]["raw_sources"]["config"]["paths"]
    assert len(paths) == LARGEST_BATCH
    again = tick(home, result.cursor)
    assert isinstance(again, dg.SkipReason)
    assert again.skip_message == "No new files."


@pytest.mark.database
def test_what_does_not_fit_one_batch_comes_with_the_next_tick(home: Home) -> None:
    for number in range(LARGEST_BATCH + 3):
        put(home.settings.drop_path, f"{number:03}.txt")
    first = tick(home)
    second = tick(home, first.cursor)
    assert second.run_requests[0].tags["viska/files"] == "3"


@pytest.mark.database
def test_an_unreadable_file_is_an_incident_and_a_visible_reason(home: Home) -> None:
    home.settings.drop_path.mkdir(parents=True)
    (home.settings.drop_path / "gone.txt").symlink_to(home.settings.drop_path / "nowhere")
    result = tick(home)
    assert isinstance(result, dg.SkipReason)
    assert "gone.txt" in result.skip_message
    with home.database.transaction() as connection:
        assert [row["kind"] for row in incidents(connection)] == ["unreadable_file"]


@pytest.mark.database
def test_a_lost_cursor_asks_again_without_harm(home: Home) -> None:
    put(home.settings.drop_path, "a.txt")
    first = tick(home)
    lost = tick(home, None)
    assert json.loads(first.cursor) == json.loads(lost.cursor)
    assert first.run_requests[0].run_key == lost.run_requests[0].run_key


def test_a_missing_folder_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISKA_DROP", str(tmp_path / "nowhere"))
    context = dg.build_sensor_context(instance=dg.DagsterInstance.ephemeral())
    result = new_documents(context, home=HomeResource(home=str(tmp_path)))
    assert isinstance(result, dg.SkipReason)
    assert "VISKA_DROP" in result.skip_message


@pytest.mark.database
def test_what_was_delivered_before_is_not_asked_for_by_a_fresh_cursor(home: Home) -> None:
    path = put(home.settings.drop_path, "a.txt")
    receive_files(
        home.database,
        home.blobs,
        [path],
        feed="drop",
        root=home.settings.drop_path,
        at=home.settings.clock(),
        largest=1024,
    )
    assert isinstance(tick(home), dg.SkipReason)
    os.utime(path, (LONG_AGO - 60, LONG_AGO - 60))
    assert isinstance(tick(home), dg.SensorResult)
