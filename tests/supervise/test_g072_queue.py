"""G014, G072, G078: the queue's rows are claimed by one run each, under a lease, and every step is audited."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from tests.supervise.desk import Desk, insert
from viska_assets.store.supervised.matrix import Writer

pytestmark = pytest.mark.database
CLAIM = "SELECT queue_id, kind, subject, attempts FROM nous.claim_run(%s)"


def ask(desk: Desk, key: str, writer: Writer = Writer.MASTRA, priority: int = 0) -> int:
    row: dict[str, object] = {
        "request_key": key,
        "kind": "research",
        "subject": "issuers/acme",
        "requested_by": "slack:U1",
        "priority": priority,
    }
    with desk.as_writer(writer) as connection:
        return insert(connection, "nous.run_queue", row, "queue_id")


def claim(desk: Desk, lease: str = "5 minutes") -> int | None:
    with desk.as_writer(Writer.NOUS) as connection:
        row = connection.execute(CLAIM, (lease,)).fetchone()
    return row[0] if row else None


def finish(desk: Desk, queue_id: int, *, done: bool) -> str:
    with desk.as_writer(Writer.NOUS) as connection:
        row = connection.execute("SELECT nous.finish_run(%s, %s, 'said', 2)", (queue_id, done)).fetchone()
    assert row is not None
    return str(row[0])


def test_g072_eight_workers_claim_fifty_rows_once_each(desk: Desk) -> None:
    asked = [ask(desk, f"r{number}") for number in range(50)]

    def work(_: int) -> list[int]:
        with desk.connect(Writer.NOUS, autocommit=True) as connection:
            mine = []
            while row := connection.execute(CLAIM, ("5 minutes",)).fetchone():
                mine.append(row[0])
        return mine

    with ThreadPoolExecutor(8) as pool:
        claimed = [queue_id for mine in pool.map(work, range(8)) for queue_id in mine]
    assert sorted(claimed) == asked


def test_g072_the_urgent_goes_first_and_nothing_is_claimed_of_nothing(desk: Desk) -> None:
    assert claim(desk) is None
    low, high = ask(desk, "low"), ask(desk, "high", Writer.PLUTUS, priority=5)
    assert [claim(desk), claim(desk), claim(desk)] == [high, low, None]


def test_a_failed_run_waits_again_and_dies_in_the_end(desk: Desk) -> None:
    queue_id = ask(desk, "r")
    assert claim(desk) == queue_id
    assert finish(desk, queue_id, done=False) == "waiting"
    assert claim(desk) == queue_id
    assert finish(desk, queue_id, done=False) == "dead"
    assert claim(desk) is None
    with pytest.raises(psycopg.Error) as caught:
        finish(desk, queue_id, done=True)
    assert caught.value.sqlstate == "VK005"
    steps = desk.owner(
        "SELECT actor, action, detail ->> 'status' FROM audit.entry WHERE object = %s ORDER BY entry_id",
        (f"nous.run_queue:{queue_id}",),
    )
    assert steps == [
        ("mastra", "insert", "waiting"),
        *[("nous", "update", status) for status in ("claimed", "waiting", "claimed", "dead")],
    ]


def test_a_passed_lease_gives_the_row_back(desk: Desk) -> None:
    queue_id = ask(desk, "r")
    assert claim(desk, "-1 second") == queue_id
    with desk.as_writer(Writer.GOVERNANCE) as connection:
        connection.execute("SELECT nous.requeue_expired(3)")
    assert claim(desk) == queue_id


def test_g081_governance_cancels_a_run_and_its_end_is_refused(desk: Desk) -> None:
    queue_id = ask(desk, "r")
    claim(desk)
    with desk.as_writer(Writer.GOVERNANCE) as connection:
        connection.execute("SELECT nous.cancel_run(%s, 'over the wall clock')", (queue_id,))
    assert desk.owner("SELECT queue_id, written_by FROM nous.cancellation") == [(queue_id, "governance")]
    with pytest.raises(psycopg.Error):
        finish(desk, queue_id, done=True)
    assert desk.refused(Writer.NOUS, "SELECT nous.cancel_run(%s, 'x')", (queue_id,)) == "42501"


def test_g071_a_flagged_document_is_claimed_once_where_the_queue_is_empty(desk: Desk) -> None:
    document = desk.document()
    with desk.as_writer(Writer.INGESTION) as connection:
        connection.execute("INSERT INTO raw.flagged_document (document_id, reason) VALUES (%s, 'news')", (document,))
    asked = ask(desk, "r")
    assert claim(desk) == asked
    assert claim(desk) is not None
    assert claim(desk) is None
    assert desk.owner("SELECT kind, subject, requested_by FROM nous.run_queue WHERE queue_id <> %s", (asked,)) == [
        ("flagged_document", document, "ingestion")
    ]


def test_g014_nobody_removes_or_rewrites_a_request(desk: Desk) -> None:
    ask(desk, "r")
    for writer in Writer:
        assert desk.refused(writer, "DELETE FROM nous.run_queue") == "42501"
        assert desk.refused(writer, "UPDATE nous.run_queue SET status = 'done'") == "42501"
    assert desk.refused(Writer.MASTRA, "INSERT INTO nous.run_queue (status) VALUES ('claimed')") == "42501"
    with pytest.raises(psycopg.Error, match="only ever added"):
        desk.owner("DELETE FROM nous.run_queue")


def test_g078_a_request_asked_twice_stands_once_and_names_who_asked(desk: Desk) -> None:
    ask(desk, "slack:E1")
    with pytest.raises(psycopg.errors.UniqueViolation):
        ask(desk, "slack:E1")
    assert desk.owner("SELECT requested_by, written_by FROM nous.run_queue") == [("slack:U1", "mastra")]


def test_a_paused_nous_claims_nothing(desk: Desk) -> None:
    ask(desk, "r")
    with desk.as_writer(Writer.MASTRA) as connection:
        connection.execute("SELECT governance.pause_writer('nous', 'r', 'w')")
    assert desk.refused(Writer.NOUS, CLAIM, ("5 minutes",)) == "VK001"
