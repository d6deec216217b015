"""A run of nous from outside: what it claims, proposes and leaves behind, with figures alone and with a model."""

import json
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any

import pytest

from tests.engines.stream_server import StreamServer, stream_server
from tests.supervise.desk import Desk
from tests.supervise.filing import CONCEPT, add_filing
from viska_assets.engines.llm_stream import StreamingChat
from viska_assets.store.policy_loop import LoopSection, NousSection
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.nous_rows import DocumentRead, Run
from viska_assets.supervise import connect
from viska_assets.supervise.nous.anomalies import AnomalyReasoner
from viska_assets.supervise.nous.model_reasoner import ModelReasoner
from viska_assets.supervise.nous.price_moves import Closes, last_move
from viska_assets.supervise.nous.reasoning import Bounds, Reasoner, Thought, TraceOutcome
from viska_assets.supervise.nous.ticking import NO_QUEUE, PAUSED, Tick, tick
from viska_assets.supervise.review.reviewing import Became, review

pytestmark = pytest.mark.database
POLICY = NousSection(seconds=20)


def ask(desk: Desk, subject: str = CONCEPT) -> None:
    with desk.as_writer(Writer.PLUTUS) as connection:
        connection.execute(
            "INSERT INTO nous.run_queue (request_key, kind, subject, requested_by) VALUES (%s, 'research', %s, 't')",
            (f"r:{subject}", subject),
        )


def work(desk: Desk, reasoner: Reasoner | None = None, policy: NousSection = POLICY, **more: Any) -> Tick:
    return tick(connect("nous", desk.settings), reasoner or AnomalyReasoner(policy), policy, **more)


def proposals(desk: Desk) -> int:
    return int(desk.owner("SELECT count(*) FROM review.artifact")[0][0])


def test_g071_no_queue_no_loop(desk: Desk) -> None:
    assert work(desk).skipped == NO_QUEUE
    assert desk.owner("SELECT count(*) FROM nous.trace")[0][0] == 0


def test_g071_a_flagged_document_is_looked_at_where_nobody_asked(desk: Desk) -> None:
    document, _ = add_filing(desk, flag=True)
    done = work(desk)
    assert (done.subject, done.outcome, done.became, len(done.candidates)) == (document, "completed", "done", 1)
    assert work(desk).skipped == NO_QUEUE


def test_g050_a_paused_nous_claims_nothing_and_says_so(desk: Desk) -> None:
    ask(desk)
    desk.owner("SELECT governance.set_flag('nous_active', false, 'test', 'human:t')")
    assert work(desk).skipped == PAUSED
    assert desk.owner("SELECT status FROM nous.run_queue") == [("waiting",)]
    assert desk.owner("SELECT count(*) FROM audit.entry WHERE action = 'said:skip'")[0][0] == 1


def test_what_is_far_from_the_year_before_is_proposed_and_passes_the_review(desk: Desk) -> None:
    add_filing(desk)
    ask(desk)
    done = work(desk, run_id="dagster-1")
    assert desk.owner("SELECT headline, direction, payload ->> 'change' FROM signals.candidate") == [
        ("Revenue: far from the year before", "long", "0.5000")
    ]
    assert desk.owner("SELECT run_id, outcome FROM nous.trace JOIN nous.trace_end USING (trace_id)") == [
        ("dagster-1", "completed")
    ]
    found = review(connect("plutus", desk.settings), LoopSection(), "s1")
    assert [judged.became for judged in found.judged] == [Became.APPROVED], found.judged
    assert done.candidates == (found.judged[0].artifact_id,)


def closes(last: float) -> Closes:
    days = [date(2026, 1, 1) + timedelta(days=n) for n in range(80)]
    return Closes("ACME", days, [100 + (n % 3) * 0.2 for n in range(79)] + [last], "ab" * 32)


def test_a_price_far_outside_its_range_is_an_anomaly_beside_a_cited_document(desk: Desk) -> None:
    add_filing(desk)
    ask(desk)
    policy = NousSection(least_change=9)
    done = work(desk, AnomalyReasoner(policy, {"ACME": closes(80.0)}), policy)
    assert len(done.candidates) == len(done.drafts) == len(done.requests) == 1
    assert desk.owner("SELECT kind, direction, payload ->> 'asset' FROM signals.candidate") == [
        ("price_anomaly", "short", "ACME")
    ]
    assert desk.owner("SELECT spec ->> 'signal' FROM backtests.requested") == [("equal_weight",)]
    found = review(connect("plutus", desk.settings), LoopSection(), "s1")
    assert [judged.became for judged in found.judged] == [Became.APPROVED, Became.WAITS], found.judged


def test_prices_that_rest_or_are_few_make_no_move() -> None:
    assert last_move(Closes("A", [], [1.0] * 80, ""), 60) is None
    assert last_move(Closes("A", [], [1.0, 2.0], ""), 60) is None


class Glutton:
    """Uses more than it may and proposes all the same."""

    engine, pin = "glutton/1", ""

    def reason(self, run: Run, documents: Sequence[DocumentRead], bounds: Bounds) -> Thought:
        honest = AnomalyReasoner(POLICY).reason(run, documents, bounds)
        return Thought(honest.candidates, tokens=(bounds.tokens, 1))


def test_g073_a_run_over_its_budget_proposes_nothing_and_goes_back_until_it_is_dead(desk: Desk) -> None:
    add_filing(desk)
    ask(desk)
    done = [work(desk, Glutton()) for _ in range(POLICY.most_attempts)]
    assert [run.outcome for run in done] == ["over_budget"] * 3
    assert [run.became for run in done] == ["waiting", "waiting", "dead"]
    assert proposals(desk) == 0
    assert work(desk).skipped == NO_QUEUE


def test_g073_a_run_over_its_time_proposes_nothing(desk: Desk) -> None:
    add_filing(desk)
    ask(desk)
    ticks = iter([0.0, 21.0])
    assert work(desk, clock=lambda: next(ticks)).outcome == "timed_out"
    assert proposals(desk) == 0


class Interrupted:
    """Is called off while it thinks."""

    engine, pin = "interrupted/1", ""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def reason(self, run: Run, documents: Sequence[DocumentRead], bounds: Bounds) -> Thought:
        with self.desk.as_writer(Writer.GOVERNANCE) as connection:
            connection.execute("SELECT nous.cancel_run(%s, 'runs for ever')", (run.queue_id,))
        return AnomalyReasoner(POLICY).reason(run, documents, bounds)


def test_g081_a_run_that_is_called_off_proposes_nothing_and_stays_cancelled(desk: Desk) -> None:
    add_filing(desk)
    ask(desk)
    assert work(desk, Interrupted(desk)).outcome == "cancelled"
    assert proposals(desk) == 0
    assert desk.owner("SELECT status FROM nous.run_queue") == [("cancelled",)]


@pytest.fixture
def server() -> Iterator[StreamServer]:
    with stream_server() as served:
        yield served


def model(server: StreamServer) -> ModelReasoner:
    return ModelReasoner(StreamingChat(server.url, "acme-1"), POLICY, silence=5)


def answer(quote: str = "| Revenue | $1,500 | $1,000 |", figure: str = "$1,500") -> list[str]:
    said = {
        "reasoning": "Revenue is half as high again.",
        "signals": [
            {
                "direction": "long",
                "severity": "high",
                "headline": "Revenue is far above the year before",
                "rationale": f"Revenue was {figure}.",
                "confidence": 0.7,
                "horizon_days": 90,
                "quotes": [{"passage": 1, "quote": quote}],
            }
        ],
    }
    text = json.dumps(said)
    return [text[at : at + 9] for at in range(0, len(text), 9)]


def test_a_models_signal_with_a_true_quote_is_approved_and_with_a_false_figure_rejected(
    desk: Desk, server: StreamServer
) -> None:
    add_filing(desk)
    for subject, figure in ((CONCEPT, "$1,500"), ("issuers/other", "$1,700")):
        ask(desk, subject)
        server.pieces = answer(figure=figure)
        if subject != CONCEPT:
            add_filing(desk, "other.html", subject)
        done = work(desk, model(server))
        assert (done.outcome, len(done.candidates)) == ("completed", 1), done.said
    found = review(connect("plutus", desk.settings), LoopSection(), "s1", pin="acme-1")
    assert [(j.became, j.cause) for j in found.judged] == [
        (Became.APPROVED, None),
        (Became.REJECTED, "provenance"),
    ], found.judged
    sent = server.requests[0]["messages"]
    assert sent[1]["content"].startswith("DOCUMENT-")
    assert "<table" not in sent[1]["content"]
    assert (
        desk.owner("SELECT model_pinned, model_answered FROM nous.trace JOIN nous.trace_end USING (trace_id)")
        == [("acme-1", "acme-1")] * 2
    )


def test_a_quote_that_stands_nowhere_makes_no_candidate(desk: Desk, server: StreamServer) -> None:
    add_filing(desk)
    ask(desk)
    server.pieces = answer("Revenue tripled in a day")
    assert work(desk, model(server)).candidates == ()


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        ({"models": ["acme-2"]}, TraceOutcome.DRIFTED),
        ({"pieces": ['{"reasoning": "', *["more "] * 30_000]}, TraceOutcome.OVER_BUDGET),
        ({"pieces": ["I would rather talk"]}, TraceOutcome.FAILED),
        ({"pieces": ["{}"]}, TraceOutcome.FAILED),
        ({"status": 503}, TraceOutcome.FAILED),
    ],
)
def test_g082_each_bad_end_of_a_model_is_in_the_trace_and_proposes_nothing(
    desk: Desk, server: StreamServer, change: dict[str, Any], outcome: TraceOutcome
) -> None:
    add_filing(desk)
    ask(desk)
    server.pieces = answer()
    for name, value in change.items():
        setattr(server, name, value)
    done = work(desk, model(server))
    assert (done.outcome, done.became) == (outcome, "waiting"), done.said
    assert proposals(desk) == 0
    assert desk.owner("SELECT outcome FROM nous.trace_end") == [(outcome.value,)]
    if outcome is TraceOutcome.DRIFTED:
        assert desk.owner("SELECT model_answered FROM nous.trace_end") == [("acme-2",)]
