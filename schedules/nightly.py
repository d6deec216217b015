"""What runs every night: the lint of the whole bundle, then the parity eval where none is valid."""

import dagster as dg

from resources.home import HomeResource
from viska_assets.maintain.engine_version import answering_engine_of
from viska_assets.store.parity_gate import newest_verdict
from viska_assets.store.policy import LintSection


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


def build_nightly_parity(policy: LintSection) -> dg.ScheduleDefinition:
    """The nightly parity eval, an hour after the lint, in the time zone of the desk's policy."""

    @dg.schedule(
        name="nightly_parity",
        target=dg.AssetSelection.assets("eval_set", "parity_eval", "parity_gate"),
        cron_schedule=f"0 {(policy.hour + 1) % 24} * * *",
        execution_timezone=policy.time_zone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Asks both tiers the same questions and grades the answers, unless a valid PASS stands.",
    )
    def nightly_parity(home: HomeResource) -> dg.RunRequest | dg.SkipReason:
        opened = home.open()
        with opened.database.transaction() as connection:
            newest = newest_verdict(connection, answering_engine_of(opened.settings))
        if newest is not None and newest.passed:
            return dg.SkipReason(f"Parity run {newest.run_id} of engine {newest.engine} is a PASS and still valid.")
        return dg.RunRequest()

    return nightly_parity
