"""``viska feeds`` and the feeds' rows in ``viska status``."""

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from viska_assets.cli.main import main
from viska_assets.store.home import Home


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


@pytest.fixture
def described(home: Home, tmp_path: Path) -> Home:
    folder = tmp_path / "share"
    folder.mkdir()
    (folder / "note.txt").write_text("Revenue of 5 million.")
    (folder / "note.txt").touch()
    feeds = [
        {"name": "share", "kind": "folder", "url": f"file://{folder}"},
        {
            "name": "closes",
            "kind": "csv",
            "url": "https://example.com/a.csv",
            "paused": True,
            "pause_reason": "licence",
        },
        {"name": "gone", "kind": "folder", "url": "nosuch://bucket"},
    ]
    home.settings.home_path.mkdir(parents=True, exist_ok=True)
    home.settings.feeds_path.write_text(yaml.safe_dump({"feeds": feeds}))
    return home


@pytest.mark.database
def test_a_feed_is_checked_by_hand_and_its_row_says_how_it_went(described: Home) -> None:
    import os

    os.utime(next(Path(described.settings.home_path.parent / "share").iterdir()), (1_700_000_000, 1_700_000_000))
    checked = json.loads(run("feeds", "check", "share", "--json").output)
    assert (checked["state"], len(checked["new"])) == ("ok", 1)
    failed = run("feeds", "check", "gone")
    assert (failed.exit_code, "cannot be listed" in failed.output.replace("\n", " ")) == (1, True)
    rows = {row["feed"]: row for row in json.loads(run("feeds", "list", "--json").output)["feeds"]}
    assert (rows["share"]["state"], rows["share"]["deliveries"]) == ("ok", 1)
    assert (rows["gone"]["state"], rows["gone"]["failures"]) == ("failing", 1)
    assert (rows["closes"]["state"], rows["closes"]["detail"]) == ("paused", "licence")


@pytest.mark.database
def test_status_has_a_row_for_every_feed_and_a_paused_one_says_so(described: Home) -> None:
    found = json.loads(run("status", "--json").output)
    assert {row["feed"]: row["state"] for row in found["feeds"]} == {
        "share": "not checked yet",
        "closes": "paused",
        "gone": "not checked yet",
    }
    assert "paused" in run("status").output


@pytest.mark.database
def test_an_unknown_feed_is_wrong_usage(described: Home) -> None:
    assert run("feeds", "check", "nobody").exit_code == 2
