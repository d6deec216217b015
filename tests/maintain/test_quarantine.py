"""Clearing the queue: a repaired draft becomes a page, an unrepaired one is refused, a discard needs a reason."""

import json
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.disposable import Disposable

pytestmark = pytest.mark.database


@pytest.fixture
def home(tmp_path: Path, server_url: str) -> Iterator[Disposable]:
    home = Disposable(tmp_path / "home", server_url)
    home.ingest_samples()
    yield home
    home.drop()


def queue(home: Disposable) -> dict[str, int]:
    return {row["document"]: row["id"] for row in json.loads(home.viska("quarantine", "list", "--json").stdout)}


def test_an_operator_repairs_refuses_and_discards(home: Disposable, tmp_path: Path) -> None:
    ids = queue(home)
    hostile = ids["hostile-aapl-2024-11-21.eml"]
    shown = json.loads(home.viska("quarantine", "show", str(hostile), "--json").stdout)
    nearest = [near["printed"] for finding in shown["findings"] for near in finding["nearest"]]
    assert "$96,169" in nearest

    unrepaired = home.viska("quarantine", "resubmit", str(hostile), "--reason", "try again")
    assert (unrepaired.returncode, "UNGROUNDED" in unrepaired.stdout) == (1, True)

    payload = tmp_path / "edited.json"
    payload.write_text(json.dumps(repaired(shown["payload"])))
    done = home.viska("quarantine", "resubmit", str(hostile), "--payload", str(payload), "--reason", "figure corrected")
    assert done.returncode == 0, done.stdout + done.stderr
    assert hostile not in queue(home).values()
    page = (home.root / "bundle" / "theses" / "apple-fjordland-research.md").read_text()
    assert "96,169" in page
    assert "99,247" not in page
    assert json.loads(home.viska("doctor", "--json").stdout)["problems"] == []

    other = ids["fjordland-aapl-2024-11-04-2.eml"]
    assert home.viska("quarantine", "discard", str(other), "--reason", " ").returncode == 2
    assert home.viska("quarantine", "discard", str(other), "--reason", "sent in error").returncode == 0
    assert queue(home) == {}
    assert home.viska("quarantine", "discard", str(other), "--reason", "again").returncode == 2

    trail = json.loads(home.viska("quarantine", "show", str(hostile), "--json").stdout)["trail"]
    assert [step["action"] for step in trail] == ["resubmitted", "refused", "resubmitted", "accepted"]
    with psycopg.connect(home.url) as connection, pytest.raises(psycopg.errors.RaiseException, match="only ever added"):
        connection.execute("DELETE FROM gate.resolution")


def repaired(payload: dict) -> dict:
    """The delta with the true figure, and without the view that contradicts the house's earlier note."""
    sections = [section for section in payload["sections"] if section["name"] == "Reported figures"]
    text = json.dumps(sections).replace("99,247", "96,169")
    return payload | {"sections": [{"name": "View", "blocks": []}, *json.loads(text)]}


def test_a_payload_for_another_concept_is_refused(home: Disposable, tmp_path: Path) -> None:
    number = next(iter(queue(home).values()))
    payload = json.loads(home.viska("quarantine", "show", str(number), "--json").stdout)["payload"]
    for edited in (payload | {"concept_id": "issuers/apple"}, {"concept_id": "x"}):
        (tmp_path / "edited.json").write_text(json.dumps(edited))
        done = home.viska(
            "quarantine", "resubmit", str(number), "--payload", str(tmp_path / "edited.json"), "--reason", "r"
        )
        assert done.returncode == 2
        assert "payload" in done.stderr
