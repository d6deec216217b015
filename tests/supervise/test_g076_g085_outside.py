"""G076, G077, G085, G099: what reaches Slack, once, also through outages, and what does not."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from tests.supervise.desk import SESSION, Desk
from viska_assets.store.outside_settings import OutsideSettings
from viska_assets.store.policy import Policy
from viska_assets.store.policy_governance import OutsideSection, SpoolSection
from viska_assets.store.supervised.credentials import address_of
from viska_assets.store.supervised.incidents import IncidentKind, Severity, add_incident
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.verdicts import Cause, approve, open_session, reject
from viska_assets.supervise import connect, pausing
from viska_assets.supervise.drill.ground import wait_until
from viska_assets.supervise.drill.slack_stand_in import SlackServer, slack_server
from viska_assets.supervise.governance.cycle import run_cycle
from viska_assets.supervise.outside.delivering import Delivered, deliver
from viska_assets.supervise.outside.digest import write_digest
from viska_assets.supervise.outside.feeding import UnboundError, feed, is_anything_due
from viska_assets.supervise.outside.health import check_outside
from viska_assets.supervise.outside.listening import keep_looking
from viska_assets.supervise.outside.ntfy import send_word
from viska_assets.supervise.outside.slack_api import Slack
from viska_assets.supervise.spool.files import Spool
from viska_assets.supervise.spool.writing import Became

pytestmark = pytest.mark.database
POLICY = OutsideSection(doubt_seconds=0, timeout_seconds=5)


@pytest.fixture
def workspace() -> Iterator[SlackServer]:
    with slack_server() as server:
        yield server


def slack(workspace: SlackServer) -> Slack:
    return Slack(OutsideSettings(slack_token=SecretStr("xoxb-test"), slack_api=workspace.url), POLICY)


def approved(desk: Desk, headline: str, **columns: object) -> int:
    artifact = desk.candidate(headline, **columns)
    desk.checked(artifact)
    with desk.as_writer(Writer.PLUTUS) as connection:
        approve(connection, artifact, SESSION, "holds")
    return artifact.artifact_id


def send(desk: Desk, workspace: SlackServer, policy: OutsideSection = POLICY) -> Delivered:
    mastra = connect("mastra", desk.settings)
    feed(mastra, "C1", policy)
    return deliver(mastra, slack(workspace), policy)


def digest(desk: Desk) -> Became:
    return write_digest(
        lambda: connect("plutus", desk.settings),
        Spool(desk.settings.spool_path, Writer.PLUTUS),
        datetime.now(tz=UTC).date(),
        SpoolSection(),
    )


def incident(desk: Desk, severity: Severity, key: str = "k") -> None:
    with desk.as_writer(Writer.PLUTUS) as connection:
        add_incident(
            connection, IncidentKind.RISK_BREACH, severity, detector="d", detail="over the limit", evidence={}, key=key
        )


def test_g077_high_signals_are_pushed_and_the_rest_goes_into_the_digest(desk: Desk, workspace: SlackServer) -> None:
    high = approved(desk, "Margin fell", severity="high")
    approved(desk, "Margin held", severity="low")
    assert send(desk, workspace).posted == 1
    assert workspace.texts[0].startswith(f"*High signal {high}: Margin fell*")
    assert digest(desk) is Became.WRITTEN
    assert digest(desk) is Became.STOOD
    assert send(desk, workspace).posted == 1
    assert "low signal" in workspace.texts[1]
    assert "Reviewed 2, approved 2, rejected 0" in workspace.texts[1]


def test_g077_only_high_incidents_are_pushed(desk: Desk, workspace: SlackServer) -> None:
    incident(desk, Severity.MEDIUM, "a")
    incident(desk, Severity.HIGH, "b")
    assert send(desk, workspace).posted == 1
    assert "risk_breach" in workspace.texts[0]


def test_a_digest_names_causes_and_incidents(desk: Desk) -> None:
    artifact = desk.candidate()
    with desk.as_writer(Writer.PLUTUS) as connection:
        open_session(connection, SESSION, "rules 1")
        reject(connection, artifact, SESSION, Cause.RISK, "no", "no")
    incident(desk, Severity.HIGH)
    digest(desk)
    [(body,)] = desk.owner("SELECT body FROM reports.report")
    assert body.splitlines() == [
        "Reviewed 1, approved 0, rejected 1 (risk 1), expired 0; 0 wait.",
        "Nothing was approved.",
        "Incidents: 1 (risk_breach 1).",
    ]


def test_g076_the_same_row_is_posted_once_whoever_looks_and_however_often(desk: Desk, workspace: SlackServer) -> None:
    approved(desk, "Margin fell")
    lookers = [threading.Thread(target=send, args=(desk, workspace, OutsideSection())) for _ in range(4)]
    for looker in lookers:
        looker.start()
    for looker in lookers:
        looker.join()
    send(desk, workspace)
    assert len(workspace.messages) == 1
    assert desk.owner("SELECT count(*) FROM slack.delivery WHERE delivered") == [(1,)]
    assert not is_anything_due(connect("mastra", desk.settings), POLICY)


def test_g076_a_hint_is_followed_at_once_and_what_came_before_is_caught_up_with(
    desk: Desk, workspace: SlackServer
) -> None:
    approved(desk, "before anybody listened")
    arrived, stop, seen = threading.Semaphore(0), threading.Event(), 0

    def look() -> None:
        nonlocal seen
        send(desk, workspace)
        for _ in range(len(workspace.messages) - seen):
            arrived.release()
        seen = len(workspace.messages)

    url = address_of(desk.settings, desk.database.url, Writer.MASTRA)
    listener = threading.Thread(
        target=keep_looking, args=(lambda: url, look), kwargs={"poll_seconds": 3600, "stop": stop}
    )
    listener.start()
    try:
        assert arrived.acquire(timeout=60)
        approved(desk, "while somebody listens")
        assert arrived.acquire(timeout=60), "the poll alone would come in an hour"
    finally:
        stop.set()
        listener.join()
    assert len(workspace.messages) == 2


def test_a_paused_mastra_sends_nothing_and_its_listener_outlives_the_pause(desk: Desk, workspace: SlackServer) -> None:
    approved(desk, "Margin fell")
    pausing.pause(desk.settings, desk.database, Writer.MASTRA, reason="r", requested_by="w")
    looked, stop = threading.Semaphore(0), threading.Event()

    def look() -> None:
        looked.release()
        send(desk, workspace)

    url = address_of(desk.settings, desk.database.url, Writer.MASTRA)
    listener = threading.Thread(
        target=keep_looking, args=(lambda: url, look), kwargs={"poll_seconds": 0.1, "stop": stop}
    )
    listener.start()
    try:
        for _ in range(2):
            assert looked.acquire(timeout=60)
        assert workspace.messages == []
        assert not is_anything_due(connect("mastra", desk.settings), POLICY)
        pausing.resume(desk.settings, desk.database, Writer.MASTRA, reason="r", requested_by="w")
        assert wait_until(lambda: workspace.messages, patience=60)
    finally:
        stop.set()
        listener.join()


def test_g076_a_false_hint_posts_nothing(desk: Desk, workspace: SlackServer) -> None:
    with desk.as_writer(Writer.NOUS) as connection:
        connection.execute("SELECT pg_notify('viska_new', 'signals.approved:99')")
    assert send(desk, workspace) == Delivered()


def test_a_rate_limit_is_waited_out_and_a_long_one_ends_the_try(desk: Desk, workspace: SlackServer) -> None:
    approved(desk, "Margin fell")
    workspace.faults["chat.postMessage"] = [(429, {"Retry-After": "0"}, '{"ok": false, "error": "ratelimited"}')]
    assert send(desk, workspace).posted == 1
    assert workspace.calls.count("chat.postMessage") == 2
    approved(desk, "Margin rose")
    workspace.faults["chat.postMessage"] = [(429, {"Retry-After": "3600"}, '{"ok": false, "error": "ratelimited"}')]
    assert send(desk, workspace).away == "rate limited"
    assert send(desk, workspace).posted == 1


def test_g076_a_post_whose_answer_was_lost_is_found_and_not_repeated(desk: Desk, workspace: SlackServer) -> None:
    approved(desk, "Margin fell")
    workspace.faults["chat.postMessage"] = ["drop"]
    assert send(desk, workspace).away
    assert send(desk, workspace) == Delivered(found=1)
    assert len(workspace.messages) == 1


def test_what_slack_refuses_is_tried_so_often_and_then_left(desk: Desk, workspace: SlackServer) -> None:
    approved(desk, "Margin fell")
    policy = OutsideSection(most_attempts=2)
    for _ in range(3):
        workspace.faults["chat.postMessage"] = [(200, {}, '{"ok": false, "error": "channel_not_found"}')]
        send(desk, workspace, policy)
    assert workspace.calls.count("chat.postMessage") == 2
    details = desk.owner("SELECT detail FROM slack.delivery ORDER BY delivery_id")
    assert details == [("posting",), ("refused: channel_not_found",)] * 2


@pytest.mark.parametrize(
    "fault",
    [
        (500, {}, "oops"),
        (200, {"Content-Type": "text/html"}, "<html>"),
        (200, {}, '{"ok": false, "error": "token_revoked"}'),
    ],
)
def test_g085_an_outage_is_an_incident_once_reports_go_on_and_the_queue_drains(
    desk: Desk, workspace: SlackServer, fault: tuple[int, dict[str, str], str]
) -> None:
    plutus = connect("plutus", desk.settings)
    assert check_outside(plutus, slack(workspace)) == ""
    approved(desk, "Margin fell")
    for _ in range(2):
        workspace.faults["auth.test"] = [fault, fault]
        assert check_outside(plutus, slack(workspace))
        assert send(desk, workspace).away
    assert desk.owner("SELECT kind, detector FROM governance.incident") == [("mastra_outage", "plutus:healthcheck")]
    assert desk.owner("SELECT count(*) FROM slack.delivery") == [(0,)], "no try is spent on a Slack that is out"
    assert digest(desk) is Became.WRITTEN
    workspace.faults.clear()
    assert check_outside(plutus, slack(workspace)) == ""
    assert send(desk, workspace).posted == 3, "the signal, the digest, and the incident itself"
    values = desk.owner("SELECT value FROM governance.metric WHERE name = 'slack_up' ORDER BY metric_id")
    assert [value for (value,) in values] == [1.0, 0.0, 1.0]


def test_g085_a_slack_that_breaks_the_connection_is_an_outage_too(desk: Desk, workspace: SlackServer) -> None:
    workspace.is_down = True
    assert check_outside(connect("plutus", desk.settings), slack(workspace))


def test_g099_a_watchdog_incident_reaches_the_operator_through_the_database_alone(
    desk: Desk, workspace: SlackServer
) -> None:
    with desk.as_writer(Writer.NOUS) as connection:
        connection.execute("INSERT INTO nous.trace (engine, token_budget) VALUES ('e', 1)")
    policy = Policy.model_validate({"governance": {"run_seconds": 0}})
    run_cycle(connect("governance", desk.settings), policy, desk.settings.spool_path)
    send(desk, workspace)
    assert len(workspace.texts) == 1
    assert "loop" in workspace.texts[0]
    assert "governance:trace_watchdog" in workspace.texts[0]


def test_text_of_a_model_can_mention_nobody_and_link_nowhere(desk: Desk, workspace: SlackServer) -> None:
    approved(desk, "<!channel> <https://evil.example|see> a & b", rationale="hid\u200b\U000e0041den <@U1>")
    send(desk, workspace)
    [text] = workspace.texts
    assert "<" not in text
    assert "&lt;!channel&gt;" in text
    assert "hidden &lt;@U1&gt;" in text
    [message] = workspace.messages
    assert (message["unfurl_links"], message["unfurl_media"]) in ((False, False), ("0", "0"), ("False", "False"))
    assert all(block["text"]["verbatim"] for block in message["blocks"])


def test_an_approved_row_that_was_altered_is_not_sent(desk: Desk, workspace: SlackServer) -> None:
    approved(desk, "Margin fell")
    desk.owner("ALTER TABLE signals.approved DROP CONSTRAINT candidate_check")
    desk.owner("SET LOCAL session_replication_role = replica; UPDATE signals.approved SET headline = 'Margin rose'")
    with pytest.raises(UnboundError, match="not what was reviewed"):
        send(desk, workspace)
    assert workspace.messages == []


def test_word_by_another_way_says_no_more_than_that_something_is_wrong(workspace: SlackServer) -> None:
    settings = OutsideSettings(ntfy_url=f"{workspace.url}topic", ntfy_token=SecretStr("tk"))
    assert send_word(settings, "incident 4")
    headers, text = workspace.words[0]
    assert (text, headers["Title"], headers["Priority"]) == ("incident 4", "Viska", "high")
    assert headers["Authorization"] == "Bearer tk"
    assert not send_word(OutsideSettings(ntfy_url="http://127.0.0.1:1/topic"), "incident 4")
    assert not send_word(OutsideSettings(), "incident 4")
