"""What runs every night: the lint of the whole bundle, then the parity eval."""

import dagster as dg

from viska_assets.store.policy import LintSection

NIGHT_ZONE = "Europe/Copenhagen"


def build_nightly_lint(policy: LintSection) -> dg.ScheduleDefinition:
    """The nightly lint, at the hour and in the time zone that the desk's policy names."""
    return dg.ScheduleDefinition(
        name="nightly_lint",
        target=dg.AssetSelection.assets("lint_report"),
        cron_schedule=f"0 {policy.hour} * * *",
        execution_timezone=policy.time_zone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Holds every page of the bundle to the gate's predicates and the lint rules.",
    )


nightly_parity = dg.ScheduleDefinition(
    name="nightly_parity",
    target=dg.AssetSelection.assets("eval_set", "parity_eval"),
    cron_schedule="0 3 * * *",
    execution_timezone=NIGHT_ZONE,
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Asks both tiers the same questions and grades the answers.",
)
