"""When nous and the review run: more often while the market is open, never for nothing."""

from datetime import timedelta

import dagster as dg
import psycopg

from resources.writers import WriterResource
from viska_assets.store.policy_loop import MarketSection
from viska_assets.store.supervised.credentials import RolesError
from viska_assets.store.supervised.flags import Flag, is_set, may_write
from viska_assets.store.supervised.loop_rows import waits_for_nous
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.verdicts import pending
from viska_assets.supervise.market import nous_is_due, review_is_due
from viska_assets.supervise.nous.ticking import NO_QUEUE, PAUSED

# Without roles they skip and say so; with them the loop is on.
RUNNING = dg.DefaultScheduleStatus.RUNNING


def build_nous_schedule(market: MarketSection) -> dg.ScheduleDefinition:
    """The schedule of nous: a quarter of an hour in market hours, an hour otherwise, twice that where rate limited."""

    @dg.schedule(
        name="nous_ticks",
        job_name="nous_tick",
        cron_schedule="*/15 * * * *",
        execution_timezone=market.time_zone,
        default_status=RUNNING,
        description="Looks at one request or flagged document; none waits, nothing runs.",
    )
    def nous_ticks(context: dg.ScheduleEvaluationContext, pg_nous: WriterResource) -> dg.RunRequest | dg.SkipReason:
        at = context.scheduled_execution_time
        try:
            with pg_nous.open().transaction() as connection:
                why = nous_is_due(at, market, rate_limited=is_set(connection, Flag.NOUS_RATE_LIMIT))
                if not why and not may_write(connection, Writer.NOUS, f"nous_ticks:{at.isoformat()}"):
                    why = PAUSED
                if not why and not waits_for_nous(connection):
                    why = NO_QUEUE
        except (RolesError, psycopg.OperationalError) as error:
            return dg.SkipReason(f"nous cannot connect: {error}")
        return dg.SkipReason(why) if why else dg.RunRequest(run_key=at.isoformat())

    return nous_ticks


def build_review_schedule(market: MarketSection) -> dg.ScheduleDefinition:
    """The schedule of the review: five minutes in market hours, a quarter of an hour otherwise."""

    @dg.schedule(
        name="plutus_reviews",
        job_name="plutus_review",
        cron_schedule="*/5 * * * *",
        execution_timezone=market.time_zone,
        default_status=RUNNING,
        description="Judges what nous proposed; nothing pending, nothing runs.",
    )
    def plutus_reviews(
        context: dg.ScheduleEvaluationContext, pg_plutus: WriterResource
    ) -> dg.RunRequest | dg.SkipReason:
        at = context.scheduled_execution_time
        if why := review_is_due(at, market):
            return dg.SkipReason(why)
        try:
            with pg_plutus.open().transaction() as connection:
                if not may_write(connection, Writer.PLUTUS, f"plutus_reviews:{at.isoformat()}"):
                    return dg.SkipReason("plutus is paused")
                if not pending(connection, 1):
                    return dg.SkipReason("nothing is pending")
        except (RolesError, psycopg.OperationalError) as error:
            return dg.SkipReason(f"plutus cannot connect: {error}")
        return dg.RunRequest(run_key=at.isoformat())

    return plutus_reviews


@dg.schedule(
    name="daily_reviews",
    job_name="daily_review",
    cron_schedule="5 0 * * *",
    execution_timezone="UTC",
    default_status=RUNNING,
    description="Sums up the reviews of the day that is over (UTC), from the audit trail.",
)
def daily_reviews(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
    """The day before."""
    day = (context.scheduled_execution_time - timedelta(days=1)).date().isoformat()
    return dg.RunRequest(run_key=day, partition_key=day)
