"""Watches the engine version on disk: the parity eval runs again whenever code, prompts, models or policy change."""

import dagster as dg

from resources.home import HomeResource
from viska_assets.maintain.engine_version import answering_engine_of
from viska_assets.store.parity_gate import newest_verdict

PARITY_ASSETS = ("eval_set", "parity_eval", "parity_gate")


@dg.sensor(
    target=dg.AssetSelection.assets(*PARITY_ASSETS),
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def parity_follows_engine(home: HomeResource) -> dg.RunRequest | dg.SkipReason:
    """Asks for the parity eval whenever no run of the engine version in force is stored.

    The files are read as they are now, not as this process loaded them, and the runs are read from the database, so
    that neither an edit without a reload nor one while the daemon was down is missed.
    """
    opened = home.open()
    engine = answering_engine_of(opened.settings)
    with opened.database.transaction() as connection:
        mine, any_run = newest_verdict(connection, engine), newest_verdict(connection)
    if mine is not None:
        return dg.SkipReason(f"Parity run {mine.run_id} of engine {engine} is {mine.verdict}.")
    if any_run is None:
        return dg.SkipReason("The parity eval has not run yet; the nightly schedule or an operator starts it.")
    return dg.RunRequest(run_key=f"parity-{engine}", tags={"viska/engine": engine})
