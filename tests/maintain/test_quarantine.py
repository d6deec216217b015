"""Clearing the queue: a repaired draft becomes a page, an unrepaired one is refused, a discard needs a reason."""

import json
from pathlib import Path

import psycopg
import pytest

from tests.disposable import Disposable

pytestmark = pytest.mark.database


def queue(home: Disposable) -> dict[str, int]:
    return {row["document"]: row["id"] for row in json.loads(home.viska("quarantine", "list", "--json").stdout)}


def test_an_operator_repairs_and_refuses(own_sample: Disposable, tmp_path: Path) -> None:
    second = queue(own_sample)["fjordland-aapl-2024-11-04-2.eml"]
    unrepaired = own_sample.viska("quarantine", "resubmit", str(second), "--reason", "try again")
    assert (unrepaired.returncode, "CONTRADICTION" in unrepaired.stdout) == (1, True)

    shown = json.loads(own_sample.viska("quarantine", "show", str(second), "--json").stdout)
    payload = tmp_path / "edited.json"
    payload.write_text(json.dumps(without_view(shown["payload"])))
    done = own_sample.viska(
        "quarantine", "resubmit", str(second), "--payload", str(payload), "--reason", "view withdrawn"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert second not in queue(own_sample).values()
    page = (own_sample.root / "bundle" / "theses" / "apple-fjordland-example.md").read_text()
    assert "fjordland-aapl-2024-11-04-2" in page
    assert "$210" not in page
    assert json.loads(own_sample.viska("doctor", "--json").stdout)["problems"] == []

    trail = json.loads(own_sample.viska("quarantine", "show", str(second), "--json").stdout)["trail"]
    assert [step["action"] for step in trail] == ["resubmitted", "refused", "resubmitted", "accepted"]
    with (
        psycopg.connect(own_sample.url) as connection,
        pytest.raises(psycopg.errors.RaiseException, match="only ever added"),
    ):
        connection.execute("DELETE FROM gate.resolution")


def test_a_note_of_an_unauthenticated_sender_stays_out_whatever_is_repaired(
    own_sample: Disposable, tmp_path: Path
) -> None:
    hostile = queue(own_sample)["hostile-aapl-2024-11-21.eml"]
    shown = json.loads(own_sample.viska("quarantine", "show", str(hostile), "--json").stdout)
    assert "$96,169" in [near["printed"] for finding in shown["findings"] for near in finding["nearest"]]
    payload = tmp_path / "edited.json"
    payload.write_text(json.dumps(shown["payload"]).replace("99,247", "96,169"))
    refused = own_sample.viska("quarantine", "resubmit", str(hostile), "--payload", str(payload), "--reason", "mended")
    assert (refused.returncode, "SOURCE_UNAUTHENTICATED" in refused.stdout) == (1, True)

    assert own_sample.viska("quarantine", "discard", str(hostile), "--reason", " ").returncode == 2
    assert own_sample.viska("quarantine", "discard", str(hostile), "--reason", "forged").returncode == 0
    assert hostile not in queue(own_sample).values()
    assert own_sample.viska("quarantine", "discard", str(hostile), "--reason", "again").returncode == 2


def without_view(payload: dict) -> dict:
    """The delta without the rating and target that contradict the house's earlier note."""
    kept = [section for section in payload["sections"] if section["name"] != "View"]
    return payload | {"sections": [{"name": "View", "blocks": []}, *kept]}


def test_a_payload_for_another_concept_is_refused(own_sample: Disposable, tmp_path: Path) -> None:
    number = next(iter(queue(own_sample).values()))
    payload = json.loads(own_sample.viska("quarantine", "show", str(number), "--json").stdout)["payload"]
    for edited in (payload | {"concept_id": "issuers/apple"}, {"concept_id": "x"}):
        (tmp_path / "edited.json").write_text(json.dumps(edited))
        done = own_sample.viska(
            "quarantine", "resubmit", str(number), "--payload", str(tmp_path / "edited.json"), "--reason", "r"
        )
        assert done.returncode == 2
        assert "payload" in done.stderr
