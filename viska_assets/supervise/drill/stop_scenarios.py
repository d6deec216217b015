"""Faults within: a run without end, a pause and a kill in the midst of one, a daemon that is blind, a false trail."""

import time

import psycopg

from viska_assets.store.supervised.incidents import IncidentKind
from viska_assets.store.supervised.matrix import Writer
from viska_assets.supervise import killing, pausing
from viska_assets.supervise.drill.ground import OPERATOR, Ground
from viska_assets.supervise.drill.scenario import Expectation, Scenario
from viska_assets.supervise.drill.writing import candidates, let_pass, trace

TRACE = "INSERT INTO nous.trace (engine, token_budget) VALUES ('drill', 1)"


def endless_run(ground: Ground) -> Expectation:
    """A claimed run opens a trace and never ends it."""
    with ground.connect(Writer.MASTRA) as mastra:
        mastra.execute(
            "INSERT INTO nous.run_queue (request_key, kind, subject, requested_by) "
            "VALUES ('drill:loop', 'research', 'a question without end', 'drill')"
        )
    with ground.connect(Writer.NOUS) as nous:
        row = nous.execute("SELECT queue_id FROM nous.claim_run('10 minutes')").fetchone()
        assert row is not None
        nous.execute("INSERT INTO nous.trace (queue_id, engine, token_budget) VALUES (%s, 'drill', 1)", row)
    queue_id = int(row[0])

    def is_over() -> bool:
        try:
            with ground.connect(Writer.NOUS) as nous:
                nous.execute("SELECT nous.finish_run(%s, true, 'at last', 3)", (queue_id,))
        except psycopg.Error as error:
            return error.sqlstate == "VK005"
        return False

    return Expectation(
        soon={
            "run cancelled": lambda: (
                ground.ask("SELECT status FROM nous.run_queue WHERE queue_id = %s", (queue_id,)) == [("cancelled",)]
            )
        },
        then={"its end is refused": is_over},
    )


def pause_in_its_midst(ground: Ground) -> Expectation:
    """An operator pauses nous between its write and its commit."""
    before = _traces(ground)
    refused = ""
    nous = ground.connect(Writer.NOUS)
    nous.execute(TRACE.encode())
    started = time.monotonic()
    pausing.pause(ground.settings, ground.owner, Writer.NOUS, reason="a drill", requested_by=OPERATOR)
    taken = time.monotonic() - started
    try:
        nous.commit()
    except psycopg.Error as error:
        refused = error.sqlstate or "session ended"
    nous.close()
    return Expectation(
        soon={"nous paused": lambda: not ground.is_set("nous_active")},
        then={"commit refused": lambda: bool(refused), "0 rows": lambda: _traces(ground) == before},
        seconds=taken,
    )


def kill_in_its_midst(ground: Ground) -> Expectation:
    """Nous's credential is taken away in the middle of a transaction."""
    let_pass(ground, candidates(ground, 1)[0])
    before, approved = _traces(ground), ground.approved_hash()
    nous = ground.connect(Writer.NOUS)
    nous.execute(TRACE.encode())
    killed = killing.kill(ground.settings, ground.owner, Writer.NOUS, reason="a drill", requested_by=OPERATOR)
    nous.close()
    return Expectation(
        then={
            "0 rows": lambda: _traces(ground) == before,
            "approved unchanged": lambda: ground.approved_hash() == approved,
            "next login refused": lambda: _login_is_refused(ground),
        },
        seconds=killed.milliseconds / 1000,
        after=lambda: killing.revive(
            ground.settings, ground.owner, Writer.NOUS, reason="a drill", requested_by=OPERATOR
        ),
    )


def blind_daemon(ground: Ground) -> Expectation:
    """The policy cannot be read any more."""
    words = len(ground.workspace.words)
    ground.write_policy("governance: {most_rejections: many}\n")
    return Expectation(
        soon={
            "writers paused": lambda: (
                not any(ground.is_set(flag) for flag in ("ingestion_active", "nous_active", "plutus_active"))
            ),
            "word by ntfy": lambda: len(ground.workspace.words) > words,
        },
        then={"mastra may still tell": lambda: ground.is_set("mastra_active")},
        after=ground.write_policy,
    )


def false_trail(ground: Ground) -> Expectation:
    """A superuser alters an entry of the sealed trail."""
    trace(ground)
    with ground.connect(Writer.GOVERNANCE) as governance:
        governance.execute("SELECT audit.seal_entries(100000)")
    with ground.owner.transaction() as connection:
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute(
            "UPDATE audit.entry SET detail = '{}' WHERE entry_id = (SELECT entry_id FROM audit.seal ORDER BY seq DESC "
            "LIMIT 1 OFFSET 3)"
        )
    return Expectation(
        soon={"writers paused": lambda: not (ground.is_set("nous_active") or ground.is_set("plutus_active"))}
    )


def _traces(ground: Ground) -> int:
    return int(ground.ask("SELECT count(*) FROM nous.trace")[0][0])


def _login_is_refused(ground: Ground) -> bool:
    try:
        ground.connect(Writer.NOUS).close()
    except psycopg.OperationalError as error:
        return "not permitted to log in" in str(error)
    return False


RUNS = (Scenario("run without end", "trace watchdog", "run cancelled", IncidentKind.LOOP, endless_run),)
STOPS = (
    Scenario("pause in mid-transaction", "flag at commit", "nothing written", IncidentKind.PAUSED, pause_in_its_midst),
    Scenario("hard kill in mid-transaction", "role disabled", "sessions ended", IncidentKind.KILLED, kill_in_its_midst),
    Scenario("daemon cannot judge", "daemon itself", "writers paused", IncidentKind.DAEMON_FAILURE, blind_daemon),
)
# Last: the trail stays broken.
TRAIL = (Scenario("audit altered", "audit chain", "writers paused", IncidentKind.AUDIT_CHAIN_BROKEN, false_trail),)
