"""What runs every night: the lint of the whole bundle, then the parity eval."""

import dagster as dg

NIGHT_ZONE = "Europe/Copenhagen"

nightly_lint = dg.ScheduleDefinition(
    name="nightly_lint",
    target=dg.AssetSelection.assets("lint_report"),
    cron_schedule="0 2 * * *",
    execution_timezone=NIGHT_ZONE,
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
