"""G050-G060: pausing and killing, also in the middle of a transaction and against a writer that means harm."""

import threading

import psycopg
import pytest

from tests.supervise.desk import Desk
from viska_assets.store.supervised.flags import Flag, may_write, set_flag, writer_states
from viska_assets.store.supervised.matrix import PAUSABLE, Writer
from viska_assets.store.supervised.roles import apply_roles
from viska_assets.supervise import connect, killing, pausing
from viska_assets.supervise.connecting import is_disabled, is_paused
from viska_assets.supervise.proving import prove_roles

pytestmark = pytest.mark.database
TRACE = "INSERT INTO nous.trace (engine, token_budget) VALUES ('e', 1)"
WRITES = {
    Writer.NOUS: TRACE,
    Writer.PLUTUS: "INSERT INTO review.session (review_session_id, reviewer) VALUES ('s', 'r')",
    Writer.MASTRA: "INSERT INTO slack.thread (event_id, channel, direction, said) VALUES ('e', 'c', 'in', 's')",
    Writer.INGESTION: "INSERT INTO raw.document (document_id, name, bytes, status, known_at) "
    "VALUES (repeat('a', 64), 'n', 1, 'received', now())",
}


def pause(desk: Desk, writer: Writer) -> None:
    pausing.pause(desk.settings, desk.database, writer, reason="a test", requested_by="human:tester")


def resume(desk: Desk, writer: Writer) -> None:
    pausing.resume(desk.settings, desk.database, writer, reason="a test", requested_by="human:tester")


@pytest.mark.parametrize("writer", PAUSABLE)
def test_g050_and_g051_a_paused_writer_writes_nothing_and_the_others_go_on(desk: Desk, writer: Writer) -> None:
    pause(desk, writer)
    assert desk.refused(writer, WRITES[writer]) == "VK001"
    other = Writer.PLUTUS if writer is not Writer.PLUTUS else Writer.NOUS
    with desk.as_writer(other) as connection:
        connection.execute(WRITES[other])
    resume(desk, writer)
    with desk.as_writer(writer) as connection:
        connection.execute(WRITES[writer])


def test_g050_a_skip_is_logged_while_paused(desk: Desk) -> None:
    with desk.as_writer(Writer.NOUS) as connection:
        assert may_write(connection, Writer.NOUS, "tick 1")
    pause(desk, Writer.NOUS)
    with desk.as_writer(Writer.NOUS) as connection:
        assert not may_write(connection, Writer.NOUS, "tick 2")
    assert desk.owner("SELECT actor, object FROM audit.entry WHERE action = 'said:skip'") == [("nous", "tick 2")]


def test_c4_incidents_metrics_flags_and_audit_stay_writable_while_all_are_paused(desk: Desk) -> None:
    for writer in PAUSABLE:
        pause(desk, writer)
    for writer in (Writer.PLUTUS, Writer.GOVERNANCE):
        with desk.as_writer(writer) as connection:
            connection.execute(
                "INSERT INTO governance.incident (kind, severity, detector, detail) VALUES ('loop', 'high', 'd', 'x')"
            )
            connection.execute("INSERT INTO governance.metric (name, value) VALUES ('m', 1)")
            connection.execute("SELECT audit.append('noticed', 'x', '{}')")


@pytest.mark.parametrize("writer", PAUSABLE)
def test_g052_a_missing_flag_counts_as_paused(desk: Desk, writer: Writer) -> None:
    desk.owner("DELETE FROM governance.flag_cell WHERE flag = %s", (f"{writer.value}_active",))
    assert desk.refused(writer, WRITES[writer]) == "VK001"
    assert {state.writer: state.active for state in desk_states(desk)}[writer] is False


def desk_states(desk: Desk):
    with desk.database.transaction() as connection:
        return writer_states(connection)


def test_g053_a_pause_between_statement_and_commit_is_obeyed_and_does_not_wait(desk: Desk) -> None:
    with desk.connect(Writer.NOUS) as writer:
        writer.execute(TRACE)
        with desk.as_writer(Writer.GOVERNANCE, options="-c lock_timeout=1s") as connection:
            set_flag(connection, Flag.NOUS_ACTIVE, False, reason="r", requested_by="w")
        with pytest.raises(psycopg.Error) as caught:
            writer.commit()
        assert is_paused(caught.value)
    assert desk.owner("SELECT 1 FROM nous.trace") == []


def test_g053_a_writer_with_an_old_snapshot_cannot_miss_a_pause(desk: Desk) -> None:
    with desk.connect(Writer.NOUS) as writer:
        writer.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        writer.execute("SELECT 1 FROM governance.flag_cell")
        pause(desk, Writer.NOUS)
        writer.execute(TRACE)
        with pytest.raises(psycopg.Error) as caught:
            writer.commit()
        assert caught.value.sqlstate in ("40001", "VK001")
    assert desk.owner("SELECT 1 FROM nous.trace") == []


def test_g053_a_writer_that_takes_the_lock_early_and_sits_on_it_cannot_hold_up_its_pause(desk: Desk) -> None:
    with desk.connect(Writer.NOUS) as writer:
        writer.execute("SET idle_in_transaction_session_timeout = 0")
        writer.execute(TRACE)
        writer.execute("SET CONSTRAINTS ALL IMMEDIATE")
        pause(desk, Writer.NOUS)
        with pytest.raises(psycopg.OperationalError):
            writer.commit()
    assert desk.owner("SELECT 1 FROM nous.trace") == []


def test_g053_nor_one_that_keeps_the_lock_while_it_works(desk: Desk) -> None:
    with desk.connect(Writer.NOUS) as writer:
        writer.execute(TRACE)
        writer.execute("SET CONSTRAINTS ALL IMMEDIATE")
        died: list[bool] = []

        def work() -> None:
            try:
                writer.execute("SELECT pg_sleep(300)")
            except psycopg.OperationalError as error:
                died.append(is_disabled(error))

        working = threading.Thread(target=work)
        working.start()
        pause(desk, Writer.NOUS)
        working.join()
    assert died == [True]
    assert desk.owner("SELECT 1 FROM nous.trace") == []


def test_g053_the_owners_ingest_obeys_the_flag_of_ingestion_too(desk: Desk) -> None:
    pause(desk, Writer.INGESTION)
    with pytest.raises(psycopg.Error) as caught:
        desk.owner(WRITES[Writer.INGESTION])
    assert caught.value.sqlstate == "VK001"


def test_g054_mastra_may_pause_two_writers_and_resume_none(desk: Desk) -> None:
    with desk.as_writer(Writer.MASTRA) as connection:
        connection.execute("SELECT governance.pause_writer('nous', 'asked in Slack', 'slack:U1')")
    assert desk.refused(Writer.NOUS, TRACE) == "VK001"
    row = desk.owner(
        "SELECT flag, value, reason, requested_by, written_by FROM governance.flags_log ORDER BY 1 DESC", ()
    )
    assert ("nous_active", False, "asked in Slack", "slack:U1", "mastra") in row
    for other in ("ingestion", "mastra", "governance", None):
        assert desk.refused(Writer.MASTRA, "SELECT governance.pause_writer(%s, 'r', 'w')", (other,)) == "42501"
    assert desk.refused(Writer.MASTRA, "SELECT governance.set_flag('nous_active', true, 'r', 'w')") == "42501"
    assert desk.refused(Writer.NOUS, "SELECT governance.set_flag('nous_active', true, 'r', 'w')") == "42501"
    with desk.as_writer(Writer.MASTRA) as connection:
        connection.execute(
            "INSERT INTO governance.resume_request (flag, requested_by, reason) VALUES ('nous_active', 'U1', 'fixed')"
        )
    resume(desk, Writer.NOUS)
    said = desk.owner(
        "SELECT actor, detail ->> 'requested_by' FROM audit.entry "
        "WHERE starts_with(object, 'governance.flags_log:') ORDER BY entry_id DESC LIMIT 1"
    )
    assert said == [("governance", "human:tester")]


def test_g054_a_pause_needs_a_reason_and_somebodys_word(desk: Desk) -> None:
    for reason, who in (("", "w"), ("r", "")):
        assert desk.refused(
            Writer.GOVERNANCE, "SELECT governance.set_flag('nous_active', false, %s, %s)", (reason, who)
        )
    assert desk.refused(Writer.GOVERNANCE, "SELECT governance.set_flag('all', false, 'r', 'w')") == "23514"


def test_g055_and_g056_a_kill_in_the_middle_of_a_transaction_leaves_nothing(desk: Desk) -> None:
    desk.approved()
    before = desk.namespace_hash("signals.approved")
    writers = [desk.connect(Writer.NOUS) for _ in range(3)]
    for connection in writers:
        connection.execute(TRACE)
        connection.execute(
            "INSERT INTO signals.candidate (kind, concept_id, direction, severity, headline, rationale) "
            "VALUES ('k', 'c', 'long', 'low', 'in the middle', 'r')"
        )
    killed = killing.kill(desk.settings, desk.database, Writer.NOUS, reason="a test", requested_by="human:tester")
    assert killed.sessions == 3
    for connection in writers:
        with pytest.raises(psycopg.OperationalError) as died:
            connection.commit()
        assert is_disabled(died.value)
        connection.close()
    assert desk.owner("SELECT 1 FROM signals.candidate WHERE headline = 'in the middle'") == []
    assert desk.namespace_hash("signals.approved") == before
    with pytest.raises(psycopg.OperationalError, match="not permitted to log in") as refused:
        desk.connect(Writer.NOUS)
    assert is_disabled(refused.value)
    with (
        pytest.raises(psycopg.OperationalError, match="not permitted to log in"),
        connect(Writer.NOUS, desk.settings).transaction(),
    ):
        pass
    audit = desk.owner("SELECT actor, action, detail FROM audit.entry WHERE object = 'writer:nous' ORDER BY entry_id")
    assert [(actor, action) for actor, action, _ in audit] == [("hades", "disable"), ("hades", "killed")]
    assert audit[0][2] == {"reason": "a test", "requested_by": "human:tester"}
    assert audit[1][2]["sessions_ended"] == 3
    apply_roles(desk.settings, desk.database)
    with pytest.raises(psycopg.OperationalError, match="not permitted to log in"):
        desk.connect(Writer.NOUS)
    proof = prove_roles(desk.settings, desk.database, (Writer.NOUS,))
    assert not proof.holds
    assert "nous could not be tried" in proof.untried[0]
    killing.revive(desk.settings, desk.database, Writer.NOUS, reason="a test", requested_by="human:tester")
    desk.trace()


def test_g055_no_login_survives_a_kill_that_it_races(desk: Desk) -> None:
    going = threading.Event()
    stop = threading.Event()

    def knock() -> None:
        while not stop.is_set():
            try:
                connection = desk.connect(Writer.NOUS)
                going.set()
                kept.append(connection)
            except psycopg.OperationalError:
                going.set()

    kept: list[psycopg.Connection] = []
    threads = [threading.Thread(target=knock) for _ in range(2)]
    for thread in threads:
        thread.start()
    going.wait()
    killing.kill(desk.settings, desk.database, Writer.NOUS, reason="r", requested_by="w")
    stop.set()
    for thread in threads:
        thread.join()
    state = next(state for state in desk_states(desk) if state.writer is Writer.NOUS)
    assert (state.can_log_in, state.sessions) == (False, 0)
    for connection in kept:
        connection.close()


def test_g055_a_kill_that_cannot_end_all_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(killing, "_end", lambda connection, writer: {1})
    with pytest.raises(killing.KillError, match="1 sessions of nous still stand"):
        killing.kill(desk.settings, desk.database, Writer.NOUS, reason="r", requested_by="w", bound_seconds=0)


def test_a_pause_works_where_governance_itself_was_killed(desk: Desk) -> None:
    killing.kill(desk.settings, desk.database, Writer.GOVERNANCE, reason="r", requested_by="w")
    pause(desk, Writer.NOUS)
    assert desk.refused(Writer.NOUS, TRACE) == "VK001"


def test_an_audit_word_of_a_writer_cannot_pass_for_the_databases(desk: Desk) -> None:
    with desk.as_writer(Writer.NOUS) as connection:
        connection.execute("SELECT audit.append('insert', 'review.verdict:1', '{\"outcome\": \"approved\"}')")
    assert desk.owner("SELECT actor, action FROM audit.entry WHERE object = 'review.verdict:1'") == [
        ("nous", "said:insert")
    ]
    assert desk.refused(Writer.NOUS, "SELECT audit.write('insert', 'x', '{}')") == "42501"
    assert (
        desk.refused(Writer.NOUS, "SELECT audit.append('x', 'y', jsonb_build_object('a', repeat('x', 70000)))")
        == "22001"
    )
