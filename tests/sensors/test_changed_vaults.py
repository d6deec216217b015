"""The sensor of the vaults: one run for each change of a note, and not a word about what vaults hold."""

import os
from pathlib import Path

import dagster as dg
import pytest

from resources.home import HomeResource
from sensors.changed_vaults import changed_vaults
from viska_assets.definitions import build_defs
from viska_assets.store.home import Home
from viska_assets.store.namespaces import namespaces

pytestmark = pytest.mark.database


def tick(cursor: str | None) -> tuple[dg.RunRequest | None, str | None, str]:
    """What one evaluation asks for, the cursor after it, and what it says."""
    context = dg.build_sensor_context(cursor=cursor, resources={"home": HomeResource()})
    found = changed_vaults(context)
    if isinstance(found, dg.RunRequest):
        return found, context.cursor, ""
    assert isinstance(found, dg.SkipReason)
    return None, context.cursor, found.skip_message or ""


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_every_change_asks_for_one_run_and_rest_for_none(home: Home) -> None:
    assert tick(None)[0] is None
    note = write(home.settings.vaults_path / "operational" / "desk.md", "# Desk\n\nThe desk opens at seven.\n")
    first, cursor, _ = tick(None)
    assert first is not None
    assert tick(cursor)[0] is None
    os.utime(note, ns=(1, 1))
    touched, cursor, _ = tick(cursor)
    assert touched is not None and touched.run_key != first.run_key
    write(home.settings.vaults_path / "operational" / "picture.png", "not a note")
    assert tick(cursor)[0] is None
    note.unlink()
    assert tick(cursor)[0] is not None


def test_a_private_note_is_filed_by_the_run_and_named_by_nobody(home: Home) -> None:
    write(home.settings.vaults_path / "family" / "will.md", "# Will\n\nThe house goes to Astrid.\n")
    asked, cursor, _ = tick(None)
    assert asked is not None
    job = build_defs().resolve_implicit_global_asset_job_def()
    with dg.instance_for_test() as instance:
        keys = [dg.AssetKey("vault_notes"), dg.AssetKey("noted_contradictions")]
        assert job.execute_in_process(instance=instance, asset_selection=keys).success
    with home.database.transaction() as connection:
        assert {found.name: found.private for found in namespaces(connection)}["family"] is True
        filed = connection.execute("SELECT count(*) FROM retrieval.chunk WHERE namespace = 'family'").fetchone()
        assert filed is not None and filed[0] > 0
    said = f"{asked} {cursor} {tick(cursor)[2]}"
    assert not any(word in said for word in ("family", "will", "Astrid"))
