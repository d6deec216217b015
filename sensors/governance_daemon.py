"""The governance daemon: a cycle a minute, and a refresh of the operators' assets where it did something."""

import dagster as dg

from resources.home import HomeResource
from resources.writers import WriterResource
from viska_assets.supervise.governance.cycle import Cycle
from viska_assets.supervise.outside.watching import watch


@dg.sensor(
    target=dg.AssetSelection.assets("incidents", "governance_metrics"),
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=60,
)
def governance_daemon(home: HomeResource, pg_governance: WriterResource) -> dg.SensorResult | dg.SkipReason:
    """Measures the loop, pauses, slows, cancels and tells; where it cannot judge, it pauses the writers and fails.

    The cycle runs here and not in a run of its own: it is a second of SQL, and a pause must not wait for a process to
    start. What it did is in the database; the run that is asked for only shows it.
    """
    opened = home.open()
    cycle = watch(opened.settings, opened.database, pg_governance.open)
    if cycle is None:
        return dg.SkipReason("No writer's role is applied, so there is no loop to govern; `viska roles apply`.")
    if cycle.is_quiet:
        return dg.SkipReason(words_of(cycle))
    return dg.SensorResult(
        run_requests=[dg.RunRequest(run_key=f"governance-{cycle.measures.at.isoformat()}", tags=tags_of(cycle))]
    )


def words_of(cycle: Cycle) -> str:
    """What a quiet cycle saw."""
    measures = cycle.measures
    return (
        f"All is calm: {measures.pending.count} artifacts wait for a verdict, {len(measures.rejections)} rejections, "
        f"{len(measures.open_traces)} open traces, {measures.resume_requests} requests to resume."
    )


def tags_of(cycle: Cycle) -> dict[str, str]:
    """Which incidents were new, for the list of runs."""
    return {"viska/incidents": ", ".join(sorted({one.kind.value for one in cycle.incidents}))[:200] or "none"}
