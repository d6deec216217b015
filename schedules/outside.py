"""When the digest is written, and how often Slack is asked whether it is there."""

import dagster as dg

from resources.home import HomeResource
from viska_assets.store.policy_governance import OutsideSection
from viska_assets.store.supervised.roles import roles_of


def build_daily_digest_schedule(policy: OutsideSection) -> dg.ScheduleDefinition:
    """The daily digest, at the hour (UTC) that the desk's policy names."""

    @dg.schedule(
        name="digest_of_the_day",
        target=dg.AssetSelection.assets("daily_digest"),
        cron_schedule=f"0 {policy.digest_hour} * * *",
        execution_timezone="UTC",
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Writes what plutus approved and turned away the day before.",
    )
    def digest_of_the_day(home: HomeResource) -> dg.RunRequest | dg.SkipReason:
        with home.open().database.transaction() as connection:
            if not roles_of(connection):
                return dg.SkipReason("No writer's role is applied, so there is nothing to report.")
        return dg.RunRequest()

    return digest_of_the_day


@dg.schedule(
    name="slack_health",
    job_name="check_slack",
    cron_schedule="*/5 * * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Asks whether Slack is there; an outage becomes an incident, and word goes out by ntfy.",
)
def slack_health(home: HomeResource) -> dg.RunRequest | dg.SkipReason:
    """Asks for a look at Slack, where it is set up."""
    if not home.settings.outside.is_slack_set:
        return dg.SkipReason("Slack is not set up: set VISKA_SLACK_TOKEN and VISKA_SLACK_CHANNEL.")
    return dg.RunRequest()
