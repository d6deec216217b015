"""Watches the folders of the vaults: notes that were written, changed or removed are brought into the database."""

import dagster as dg

from resources.home import HomeResource
from viska_assets.hermes.vaults import vaults_mark


@dg.sensor(
    target=dg.AssetSelection.assets("vault_notes", "noted_contradictions"),
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def changed_vaults(context: dg.SensorEvaluationContext, home: HomeResource) -> dg.RunRequest | dg.SkipReason:
    """Asks for ``vault_notes`` whenever a note has another time or size than at the last request, or is new or gone.

    Dagster shows what a sensor says to everybody: it names neither vaults nor notes.
    """
    root = home.open().settings.vaults_path
    mark = vaults_mark(root)
    if mark is None:
        return dg.SkipReason("There is no folder of vaults; docs/asking.md says how to make one.")
    if mark == context.cursor:
        return dg.SkipReason("No note of a vault has changed.")
    context.update_cursor(mark)
    return dg.RunRequest(run_key=f"vaults-{mark}")
