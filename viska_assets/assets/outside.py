"""The daily digest as an asset, and the jobs of the outside: one cycle of the daemon, Slack, and the spool."""

from datetime import UTC, date, datetime, timedelta

import dagster as dg

from resources.home import HomeResource
from resources.writers import WriterResource
from viska_assets.assets.governance import SUPERVISED
from viska_assets.assets.previews import table
from viska_assets.assets.retrieval import OWNERS
from viska_assets.store.outside_settings import OutsideSettings
from viska_assets.store.supervised.errors import RolesError
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.report_rows import reports
from viska_assets.supervise import connect
from viska_assets.supervise.outside.delivering import deliver
from viska_assets.supervise.outside.digest import write_digest
from viska_assets.supervise.outside.feeding import feed
from viska_assets.supervise.outside.health import check_outside
from viska_assets.supervise.outside.ntfy import send_word
from viska_assets.supervise.outside.slack_api import Slack
from viska_assets.supervise.outside.watching import watch
from viska_assets.supervise.spool.files import Spool
from viska_assets.supervise.spool.replaying import replay

SPOOLED = "write_failure: the database is away; writes wait in the spool"


class DigestConfig(dg.Config):
    """Which day (ISO 8601, UTC); empty for yesterday."""

    day: str = ""


@dg.asset(group_name=SUPERVISED, kinds={"postgres"}, owners=OWNERS, code_version="1")
def daily_digest(home: HomeResource, pg_plutus: WriterResource, config: DigestConfig) -> dg.MaterializeResult:
    """What was approved and turned away on a day, as plutus writes it; run again, it adds nothing."""
    settings = home.settings
    day = date.fromisoformat(config.day) if config.day else (datetime.now(tz=UTC) - timedelta(days=1)).date()
    spool = Spool(settings.spool_path, Writer.PLUTUS)
    try:
        pg_plutus.open()
    except RolesError as error:
        return dg.MaterializeResult(metadata={"dagster/row_count": 0, "note": f"not written: {error}"})
    became = write_digest(
        pg_plutus.open, spool, day, home.open().policy.spool, alert=lambda: _tell_of_spool(settings.outside)
    )
    with pg_plutus.open().transaction() as connection:
        newest = [{"day": r.day, "title": r.title, "body": r.body} for r in reports(connection, 20)]
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(newest),
            "day": day.isoformat(),
            "became": became.value,
            "newest": table(newest, ("day", "title", "body")),
        }
    )


@dg.op
def run_daemon(context: dg.OpExecutionContext, home: HomeResource, pg_governance: WriterResource) -> None:
    """Measures, decides and acts once."""
    opened = home.open()
    cycle = watch(opened.settings, opened.database, pg_governance.open)
    if cycle is None:
        raise dg.Failure("no writer's role is applied; run `viska roles apply`", allow_retries=False)
    context.add_output_metadata({"actions": len(cycle.actions), "incidents": len(cycle.incidents)})


@dg.op
def post_messages(context: dg.OpExecutionContext, home: HomeResource, pg_mastra: WriterResource) -> None:
    """Makes the messages that are due and posts what waits."""
    settings, policy = home.settings, home.open().policy.outside
    mastra = pg_mastra.open()
    made = feed(mastra, settings.outside.slack_channel, policy)
    done = deliver(mastra, Slack(settings.outside, policy), policy)
    context.add_output_metadata(
        {"made": made, "posted": done.posted, "found": done.found, "refused": done.refused, "away": done.away or "no"}
    )


@dg.op
def ask_slack(context: dg.OpExecutionContext, home: HomeResource, pg_plutus: WriterResource) -> None:
    """Asks Slack whether it is there; an outage is an incident."""
    settings = home.settings
    slack = Slack(settings.outside, home.open().policy.outside)
    said = check_outside(pg_plutus.open(), slack, lambda text: send_word(settings.outside, text))
    context.add_output_metadata({"slack": said or "answers"})


class ReplayConfig(dg.Config):
    """Whose spool is replayed."""

    writer: str


@dg.op
def replay_writes(context: dg.OpExecutionContext, home: HomeResource, config: ReplayConfig) -> None:
    """Writes what waits in one writer's spool, as that writer."""
    settings, writer = home.settings, Writer(config.writer)
    try:
        done = replay(connect(writer, settings), Spool(settings.spool_path, writer))
    except RolesError as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    context.add_output_metadata(
        {
            "written": done.written,
            "stood": done.stood,
            "aside": len(done.aside),
            "waiting": done.waiting,
            "held": done.held or "no",
        }
    )


def _tell_of_spool(outside: OutsideSettings) -> None:
    send_word(outside, SPOOLED)


@dg.job
def governance_cycle() -> None:
    """One cycle of the governance daemon."""
    run_daemon()


@dg.job
def deliver_to_slack() -> None:
    """Makes and posts the messages that are due."""
    post_messages()


@dg.job
def check_slack() -> None:
    """Asks whether Slack is there."""
    ask_slack()


@dg.job
def replay_spool() -> None:
    """Writes what waits in a writer's spool."""
    replay_writes()


JOBS = (governance_cycle, deliver_to_slack, check_slack, replay_spool)
