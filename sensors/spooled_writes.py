"""Watches the spools: what waits there is replayed, one run a writer, unless that writer is stopped."""

import dagster as dg

from resources.home import HomeResource
from sensors.approved_feed import UNDER_WAY
from viska_assets.store.supervised.flags import WriterState, writer_states
from viska_assets.store.supervised.matrix import Writer
from viska_assets.supervise.spool.files import every_spool


@dg.sensor(job_name="replay_spool", default_status=dg.DefaultSensorStatus.RUNNING, minimum_interval_seconds=60)
def spooled_writes(context: dg.SensorEvaluationContext, home: HomeResource) -> dg.SensorResult | dg.SkipReason:
    """Asks for a replay of each spool in which something waits and whose writer may write."""
    opened = home.open()
    waiting = [spool.writer for spool in every_spool(opened.settings.spool_path) if spool.waiting()]
    if not waiting:
        return dg.SkipReason("No write waits in a spool.")
    if context.instance.get_runs_count(dg.RunsFilter(job_name="replay_spool", statuses=UNDER_WAY)):
        return dg.SkipReason("A replay is under way.")
    with opened.database.transaction() as connection:
        ready = may_write(writer_states(connection), waiting)
    if not ready:
        return dg.SkipReason(f"Writes of {', '.join(waiting)} wait; their writers are paused or disabled.")
    return dg.SensorResult(
        run_requests=[
            dg.RunRequest(run_config={"ops": {"replay_writes": {"config": {"writer": writer.value}}}})
            for writer in ready
        ]
    )


def may_write(states: list[WriterState], waiting: list[Writer]) -> list[Writer]:
    """The writers among those with waiting writes that are neither paused nor disabled."""
    return [s.writer for s in states if s.writer in waiting and s.can_log_in and s.active is not False]
