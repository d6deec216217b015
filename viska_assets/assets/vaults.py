"""The vaults in Dagster: their notes as an asset, and the contradictions that were noted for the operational vault.

Metadata are read by everybody who sees Dagster: they hold public vaults alone, and of private ones not even a count.
"""

import dagster as dg

from resources.home import HomeResource
from viska_assets.assets.previews import markdown_list, table
from viska_assets.assets.retrieval import OWNERS
from viska_assets.hermes.vaults import sync_vaults
from viska_assets.ingest.readers import ReadingPlan
from viska_assets.retrieval.analyser import terms_of
from viska_assets.store.namespaces import noted

GROUP = "vaults"


@dg.asset(group_name=GROUP, kinds={"postgres"}, owners=OWNERS, code_version="1")
def vault_notes(home: HomeResource) -> dg.MaterializeResult:
    """The notes of the vaults' folders, brought to what stands there now: new and changed ones read, gone ones out."""
    opened = home.open()
    plan = ReadingPlan(opened.settings.embedder, largest=opened.settings.max_document_bytes)
    synced = sync_vaults(opened.database, opened.blobs, opened.settings.vaults_path, plan, terms_of)
    public = [vault for vault in synced if not vault.private]
    rows = [
        {"namespace": v.namespace, "filed": v.filed, "withdrawn": v.withdrawn, "unchanged": v.unchanged} for v in public
    ]
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": sum(v.filed + v.unchanged for v in public),
            "notes_filed": sum(v.filed for v in public),
            "notes_withdrawn": sum(v.withdrawn for v in public),
            "vaults": table(rows, ("namespace", "filed", "withdrawn", "unchanged")),
            "problems": markdown_list([f"{v.namespace}: {p}" for v in public for p in v.problems], empty="none"),
        }
    )


@dg.asset(group_name=GROUP, deps=["vault_notes"], kinds={"postgres"}, owners=OWNERS, code_version="1")
def noted_contradictions(home: HomeResource) -> dg.MaterializeResult:
    """Figures that speak against each other, as questions came upon them: both sides, each pair once, no winner."""
    with home.open().database.transaction() as connection:
        notices = noted(connection, "contradiction")
    rows = [_row(key, payload) for key, payload in notices if not any("private" in s for s in payload["sides"])]
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(rows),
            "contradictions": table(rows, ("pair", "first", "first_at", "second", "second_at", "explanation")),
        }
    )


def _row(pair: str, payload: dict[str, object]) -> dict[str, object]:
    sides = payload["sides"]
    assert isinstance(sides, list)
    first, second = sides
    return {
        "pair": pair,
        "first": first["printed"],
        "first_at": first["uri"],
        "second": second["printed"],
        "second_at": second["uri"],
        "explanation": payload["explanation"],
    }
