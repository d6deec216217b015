"""Whether the governance daemon runs: it watches everybody else, and this watches it."""

import dagster as dg

from resources.home import HomeResource
from viska_assets.store.supervised.measures import DEPTH
from viska_assets.store.supervised.metric_rows import latest
from viska_assets.store.supervised.roles import roles_of

MISSED = 5


@dg.asset_check(asset="governance_metrics")
def daemon_is_awake(home: HomeResource) -> dg.AssetCheckResult:
    """The daemon has measured the loop within the last five of its intervals, or there is no loop."""
    opened = home.open()
    with opened.database.transaction() as connection:
        has_loop, last = bool(roles_of(connection)), latest(connection, DEPTH, "governance")
        row = connection.execute(
            "SELECT extract(epoch FROM clock_timestamp() - %s::timestamptz)::float", (last and last.at,)
        )
        age = row.fetchone()
    seconds = age[0] if age and age[0] is not None else None
    most = MISSED * opened.policy.governance.interval_seconds
    return dg.AssetCheckResult(
        passed=not has_loop or (seconds is not None and seconds <= most),
        severity=dg.AssetCheckSeverity.ERROR,
        description="no loop"
        if not has_loop
        else "never"
        if seconds is None
        else f"{seconds:.0f} s ago; {most} s are borne",
        metadata={"seconds_since_last_cycle": -1.0 if seconds is None else round(seconds, 1)},
    )
