"""The vaults as Dagster shows them: counts by public vault, noted contradictions, and nothing of what is private."""

from pathlib import Path

import dagster as dg
import pytest

from resources.home import HomeResource
from viska_assets.assets.vaults import noted_contradictions, vault_notes
from viska_assets.store.home import Home
from viska_assets.store.namespaces import Notice, add_notices

pytestmark = pytest.mark.database


def materialized(asset: dg.AssetsDefinition) -> dict[str, dg.MetadataValue]:
    result = dg.materialize([asset], resources={"home": HomeResource()}, selection=[asset])
    (event,) = result.get_asset_materialization_events()
    return dict(event.materialization.metadata)


def test_vault_notes_counts_what_changed_and_shows_nothing_private(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for vault in ("strategic", "health"):
        (tmp_path / "vaults" / vault).mkdir(parents=True)
        (tmp_path / "vaults" / vault / "note.md").write_text(f"# Plan of {vault}\n\nBuy the zanzibar terminal.")
    monkeypatch.setenv("VISKA_VAULTS", str(tmp_path / "vaults"))
    first = materialized(vault_notes)
    assert (first["notes_filed"].value, first["dagster/row_count"].value) == (1, 1)
    assert "strategic" in str(first)
    assert "health" not in str(first)
    again = materialized(vault_notes)
    assert (again["notes_filed"].value, again["notes_withdrawn"].value, again["dagster/row_count"].value) == (0, 0, 1)
    (tmp_path / "vaults" / "strategic" / "note.md").unlink()
    assert materialized(vault_notes)["notes_withdrawn"].value == 1


def test_noted_contradictions_show_both_sides_and_leave_private_pairs_out(home: Home) -> None:
    sides = [{"printed": "7", "uri": "viska://chunk/a"}, {"printed": "8", "uri": "viska://chunk/b"}]
    add_notices(
        home.database,
        [
            Notice("contradiction", "pair-1", {"explanation": "7 is not 8", "sides": sides}),
            Notice("contradiction", "pair-2", {"explanation": "x", "sides": [{"private": True}, sides[0]]}),
        ],
    )
    shown = materialized(noted_contradictions)
    assert shown["dagster/row_count"].value == 1
    assert "7 is not 8" in str(shown)
    assert "pair-2" not in str(shown)
