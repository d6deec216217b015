"""Faults of what is around: the database goes away in the middle of writing, Slack goes away."""

import time
from datetime import UTC, datetime

from viska_assets.store.supervised.incidents import IncidentKind, op_id
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.spooled_rows import Write
from viska_assets.supervise.drill.ground import Ground, wait_until
from viska_assets.supervise.drill.scenario import Expectation, Scenario
from viska_assets.supervise.drill.writing import candidates, let_pass
from viska_assets.supervise.outside.digest import write_digest
from viska_assets.supervise.outside.ntfy import send_word
from viska_assets.supervise.spool.files import Spool
from viska_assets.supervise.spool.replaying import replay
from viska_assets.supervise.spool.writing import Became, write_or_spool


def database_away(ground: Ground) -> Expectation:
    """The database is stopped while plutus writes a report, and comes back."""
    assert ground.stop_server is not None
    spool = Spool(ground.settings.spool_path, Writer.PLUTUS)
    words, happened = len(ground.workspace.words), datetime.now(tz=UTC)
    row = {"kind": "answer", "day": happened.date().isoformat(), "title": "drill", "body": "kept"}
    write = Write(Writer.PLUTUS, "reports.report", row, op_id(f"drill:{happened.isoformat()}"), happened)
    ground.stop_server()
    became = write_or_spool(
        lambda: ground.database(Writer.PLUTUS),
        spool,
        write,
        ground.policy.spool,
        alert=lambda: _send(ground, "write_failure: writes wait in the spool"),
    )
    told = len(ground.workspace.words) > words
    ground.start_server()

    def replayed_once() -> bool:
        for _ in range(2):
            replay(ground.database(Writer.PLUTUS), spool)
        rows = ground.ask("SELECT event_at FROM reports.report WHERE op_id = %s", (write.op_id,))
        return rows == [(happened,)] and not spool.waiting()

    return Expectation(
        then={
            "kept in the spool": lambda: became is Became.SPOOLED,
            "word by ntfy": lambda: told,
            "replayed exactly once": lambda: wait_until(replayed_once),
        }
    )


def slack_away(ground: Ground) -> Expectation:
    """Slack breaks every connection while a high signal is approved."""
    before, words = len(ground.workspace.messages), len(ground.workspace.words)
    ground.workspace.is_down, since = True, time.monotonic()
    let_pass(ground, candidates(ground, 1, severity="high")[0])

    def back_once() -> bool:
        ground.workspace.is_down = False
        arrived = wait_until(lambda: _high(ground, before) == 1)
        time.sleep(1)
        return arrived and _high(ground, before) == 1

    return Expectation(
        soon={"word by ntfy": lambda: len(ground.workspace.words) > words},
        then={
            "digest still written": lambda: _digest(ground) in (Became.WRITTEN, Became.STOOD),
            "nothing lost, nothing twice": back_once,
        },
        since=since,
    )


def _high(ground: Ground, before: int) -> int:
    return sum(text.startswith("*High signal") for text in ground.workspace.texts[before:])


def _digest(ground: Ground) -> Became:
    spool = Spool(ground.settings.spool_path, Writer.PLUTUS)
    today = datetime.now(tz=UTC).date()
    return write_digest(lambda: ground.database(Writer.PLUTUS), spool, today, ground.policy.spool)


def _send(ground: Ground, text: str) -> None:
    send_word(ground.settings.outside, text)


OUTSIDE = (
    Scenario("Slack away", "healthcheck", "reports go on, queue drains", IncidentKind.MASTRA_OUTAGE, slack_away),
    Scenario(
        "database away",
        "writer itself",
        "spool, ntfy, replay once",
        IncidentKind.WRITE_FAILURE,
        database_away,
        needs_server=True,
    ),
)
