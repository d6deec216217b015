"""Watches for what Slack should have and has not: the poll that is the truth behind all hints."""

import dagster as dg

from resources.home import HomeResource
from resources.writers import WriterResource
from viska_assets.store.supervised.credentials import RolesError
from viska_assets.supervise.outside.feeding import is_anything_due
from viska_assets.supervise.outside.slack_api import Slack, SlackAway

UNDER_WAY = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
]


@dg.sensor(job_name="deliver_to_slack", default_status=dg.DefaultSensorStatus.RUNNING, minimum_interval_seconds=60)
def approved_feed(
    context: dg.SensorEvaluationContext, home: HomeResource, pg_mastra: WriterResource
) -> dg.RunRequest | dg.SkipReason:
    """Asks for a delivery where an approved row, a digest or a grave incident is not in Slack yet."""
    settings, policy = home.settings, home.open().policy.outside
    if not settings.outside.is_slack_set:
        return dg.SkipReason("Slack is not set up: set VISKA_SLACK_TOKEN and VISKA_SLACK_CHANNEL.")
    try:
        if not is_anything_due(pg_mastra.open(), policy):
            return dg.SkipReason("Slack has everything that mastra may send.")
        Slack(settings.outside, policy).check()
    except RolesError as error:
        return dg.SkipReason(f"There is no mastra: {error}.")
    except SlackAway as error:
        return dg.SkipReason(f"Slack does not answer ({error}); what waits is delivered when it does.")
    return request_unless_under_way(context.instance, "deliver_to_slack")


def request_unless_under_way(instance: dg.DagsterInstance, job: str) -> dg.RunRequest | dg.SkipReason:
    """One run of a job at a time."""
    if instance.get_runs_count(dg.RunsFilter(job_name=job, statuses=UNDER_WAY)):
        return dg.SkipReason(f"A run of {job} is under way.")
    return dg.RunRequest()
