"""G054, G078: what is asked for in Slack: signed, done once, answered with who and when; and what is not done."""

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.signature import SignatureVerifier

from tests.supervise.desk import Desk
from viska_assets.store.database import Database
from viska_assets.store.policy import Policy
from viska_assets.store.policy_governance import OutsideSection
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.measures import resume_requests
from viska_assets.supervise import connect, pausing
from viska_assets.supervise.governance.cycle import run_cycle
from viska_assets.supervise.outside.command_server import PATH, CommandServer
from viska_assets.supervise.outside.signature import is_from_slack, sign

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
OPEN = OutsideSection()
TRACE = "INSERT INTO nous.trace (engine, token_budget) VALUES ('e', 1)"


class Caller:
    """Calls the server as Slack does."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.calls = 0

    def say(self, text: str, *, user: str = "U1", trigger: str = "") -> str:
        self.calls += 1
        form = {
            "command": "/viska",
            "text": text,
            "user_id": user,
            "team_id": "T1",
            "channel_id": "C1",
            "trigger_id": trigger or f"t{self.calls}",
        }
        status, content = self.post(urlencode(form).encode())
        assert status == 200
        return str(content["text"])

    def post(
        self, body: bytes, *, stamp: str | None = None, signature: str | None = None, path: str = PATH
    ) -> tuple[int, dict[str, object]]:
        stamp = stamp if stamp is not None else str(int(time.time()))
        headers = {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": signature or sign(SECRET, body, stamp)}
        request = urllib.request.Request(self.url + path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)


@contextmanager
def serving(database: Database, policy: OutsideSection = OPEN) -> Iterator[Caller]:
    server = CommandServer(("127.0.0.1", 0), SECRET, lambda: database, policy)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield Caller(server.server_port)
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def caller(desk: Desk) -> Iterator[Caller]:
    with serving(connect("mastra", desk.settings)) as found:
        yield found


@pytest.mark.database
def test_g054_and_g099_a_pause_from_slack_stops_nous_and_says_who_and_when(desk: Desk, caller: Caller) -> None:
    reply = caller.say("pause nous it  writes <nonsense>")
    assert reply.startswith("nous was paused by <@U1> at 20")
    assert reply.endswith(": it writes &lt;nonsense&gt;")
    assert desk.refused(Writer.NOUS, TRACE) == "VK001"
    assert caller.say("pause nous").startswith("nous is paused already, by slack:T1:U1 at 20")
    said = desk.owner("SELECT requested_by, reason FROM governance.flags_log WHERE NOT value AND flag = 'nous_active'")
    assert said == [("slack:T1:U1", "it writes <nonsense>")]


@pytest.mark.database
def test_g054_the_same_call_again_is_answered_and_not_done_again(desk: Desk, caller: Caller) -> None:
    first = caller.say("pause nous", trigger="same")
    pausing.resume(desk.settings, desk.database, Writer.NOUS, reason="r", requested_by="human:anna")
    assert caller.say("pause nous", trigger="same") == first
    with desk.as_writer(Writer.NOUS) as connection:
        connection.execute(TRACE)
    assert desk.owner("SELECT event_id, direction FROM slack.thread ORDER BY thread_id") == [
        ("command:same", "in"),
        ("reply:same", "out"),
    ]


@pytest.mark.database
def test_g054_a_resume_from_slack_raises_nothing_and_is_listed_for_the_operator(desk: Desk, caller: Caller) -> None:
    assert caller.say("resume nous") == "nous is not paused."
    caller.say("pause nous")
    assert "An operator decides" in caller.say("resume nous looks better", user="U2")
    assert desk.refused(Writer.NOUS, TRACE) == "VK001"
    with desk.as_writer(Writer.GOVERNANCE) as connection:
        [asked] = resume_requests(connection)
    assert (asked["flag"], asked["requested_by"], asked["paused_by"]) == ("nous_active", "slack:T1:U2", "slack:T1:U1")
    cycle = run_cycle(connect("governance", desk.settings), Policy(), desk.settings.spool_path)
    assert cycle.measures.resume_requests == 1
    pausing.resume(desk.settings, desk.database, Writer.NOUS, reason="r", requested_by="human:anna")
    with desk.as_writer(Writer.GOVERNANCE) as connection:
        assert resume_requests(connection) == []


@pytest.mark.database
def test_g054_a_pause_works_while_mastra_itself_is_paused(desk: Desk, caller: Caller) -> None:
    pausing.pause(desk.settings, desk.database, Writer.MASTRA, reason="r", requested_by="w")
    assert "mastra is paused" in caller.say("research the margin")
    assert caller.say("pause nous").startswith("nous was paused by <@U1>")
    assert desk.refused(Writer.NOUS, TRACE) == "VK001"


@pytest.mark.database
def test_g078_research_becomes_a_row_of_the_queue_with_its_requester(desk: Desk, caller: Caller) -> None:
    assert "asked at" in caller.say("research Why did the\u200b margin fall?", trigger="tr")
    rows = desk.owner("SELECT request_key, kind, subject, requested_by, written_by FROM nous.run_queue")
    assert rows == [("slack:tr", "research", "Why did the margin fall?", "slack:T1:U1", "mastra")]
    assert "Say what" in caller.say("research")


@pytest.mark.database
def test_g078_one_user_asks_for_so_many_runs_in_an_hour(desk: Desk) -> None:
    with serving(connect("mastra", desk.settings), OutsideSection(research_per_hour=2)) as caller:
        replies = [caller.say(f"research {number}") for number in range(3)]
        assert "all for now" in replies[2]
        assert "asked at" in caller.say("research x", user="U2")
    assert desk.owner("SELECT count(*) FROM nous.run_queue") == [(3,)]


@pytest.mark.database
def test_only_operators_may_command_where_they_are_named(desk: Desk) -> None:
    with serving(connect("mastra", desk.settings), OutsideSection(operators=("U2",))) as caller:
        for text in ("pause nous", "resume nous", "research x"):
            assert "is not among the operators" in caller.say(text)
        assert "nous is active" in caller.say("status")
        assert caller.say("pause nous", user="U2").startswith("nous was paused")


@pytest.mark.database
def test_status_says_who_paused_and_what_is_unknown_gets_help(desk: Desk, caller: Caller) -> None:
    pausing.pause(desk.settings, desk.database, Writer.PLUTUS, reason="a look", requested_by="human:anna")
    status = caller.say("status")
    assert "plutus is PAUSED" in status
    assert "by human:anna: a look" in status
    for text in ("", "stop", "pause mastra", "pause", "kill nous"):
        assert "/viska pause" in caller.say(text)


@pytest.mark.database
def test_g098_how_long_an_answer_took_is_measured(desk: Desk, caller: Caller) -> None:
    caller.say("status")
    run_cycle(connect("governance", desk.settings), Policy(), desk.settings.spool_path)
    assert desk.owner("SELECT count(*) FROM governance.metric WHERE name = 'chat_p95_milliseconds'") == [(1,)]


def test_with_the_database_away_the_reply_says_how_to_stop_a_writer() -> None:
    with serving(Database("postgresql://nobody@127.0.0.1:1/none", patience=0.1)) as caller:
        assert "cannot be reached; nothing was done" in caller.say("pause nous")


def test_what_is_not_signed_now_by_slack_is_turned_away() -> None:
    with serving(Database("postgresql://nobody@127.0.0.1:1/none", patience=0.1)) as caller:
        body = b"text=pause+nous&trigger_id=t&user_id=U1"
        now = int(time.time())
        for stamp in (str(now - 301), str(now + 301), "soon", "", "-1", "1e9", "\u0661"):
            assert caller.post(body, stamp=stamp.encode("ascii", "replace").decode())[0] == 401
        assert caller.post(body, signature="v0=00")[0] == 401
        assert caller.post(body + b"x", signature=sign(SECRET, body, str(now)), stamp=str(now))[0] == 401
        assert caller.post(b"x" * 70_000)[0] == 413
        assert caller.post(body, path="/")[0] == 404
        assert caller.post(b"text=status")[0] == 400


def test_a_server_without_a_secret_is_none() -> None:
    with pytest.raises(ValueError, match="VISKA_SLACK_SIGNING_SECRET"):
        CommandServer(("127.0.0.1", 0), "", lambda: Database(""), OutsideSection())


@given(st.text(max_size=80), st.integers(0, 10**10), st.integers(-400, 400))
def test_the_signature_is_the_one_that_slacks_own_library_makes(text: str, stamp: int, late: int) -> None:
    class Clock:
        def now(self) -> float:
            return stamp + late

    body = text.encode("utf-8", "replace")
    verifier = SignatureVerifier(SECRET, Clock())  # type: ignore[arg-type]
    signature = verifier.generate_signature(timestamp=str(stamp), body=body)
    assert signature == sign(SECRET, body, str(stamp))
    theirs = verifier.is_valid(body, str(stamp), signature)
    assert is_from_slack(SECRET, body, str(stamp), signature, stamp + late) is theirs
