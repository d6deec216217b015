"""The chat client against a server on the loopback that fails in each of the ways endpoints fail."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from itertools import count
from typing import Any

import pytest

from bench.llm_server import MODEL, ChatServer, Reply, completion
from viska_assets.engines.llm import (
    BodyTooLarge,
    BudgetSpent,
    LlmError,
    Message,
    NoContent,
    NotAnApi,
    Prices,
    RateLimited,
    RequestRefused,
    Role,
    ServerFailed,
    TimedOut,
    TokenBudget,
    Truncated,
    Unreachable,
    WrongModel,
)
from viska_assets.engines.llm_http import Clock, HttpChatModel, Limits

ASKED = [Message(Role.SYSTEM, "Answer."), Message(Role.USER, "What?")]
SCHEMA = {"type": "object"}
TODAY = datetime(2026, 1, 1, tzinfo=UTC)


class FakeTime:
    """Seconds that pass only where somebody sleeps or a server says that it took its time."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    @property
    def passed(self) -> float:
        return self.now - 1000.0


@contextmanager
def serving(
    *replies: Reply | Callable[[], Reply], budget: TokenBudget | None = None, **limits: Any
) -> Iterator[tuple[HttpChatModel, ChatServer, FakeTime]]:
    """A client of a server that gives the replies one after another, the last one for ever."""
    time, numbers = FakeTime(), count()

    def behave(_: dict[str, Any]) -> Reply:
        reply = replies[min(next(numbers), len(replies) - 1)]
        return reply() if callable(reply) else reply

    with ChatServer(behave) as server:
        clock = Clock(lambda: time.now, time.sleep, lambda: TODAY)
        model = HttpChatModel(
            server.url,
            MODEL,
            key="k",
            limits=Limits(**({"seconds": 60.0, "request_seconds": 20.0} | limits)),
            prices=Prices(Decimal(3), Decimal(15)),
            budget=budget,
            clock=clock,
            jitter=lambda: 0.0,
        )
        yield model, server, time


def test_an_answer_comes_with_its_tokens_and_cost() -> None:
    with serving(completion('{"a": 1}')) as (model, server, time):
        answer = model.complete(ASKED, SCHEMA)
    assert (answer.text, answer.model, answer.finish_reason, answer.calls) == ('{"a": 1}', MODEL, "stop", 1)
    assert answer.cost == Decimal("0.006")
    assert time.passed == 0
    sent = server.requests[0]
    assert [m["role"] for m in sent["messages"]] == ["system", "user"]
    assert (sent["model"], sent["stream"], sent["temperature"]) == (MODEL, False, 0)
    assert sent["response_format"]["json_schema"]["schema"] == SCHEMA
    assert not {"tools", "tool_choice", "functions"} & sent.keys()
    assert server.headers[0]["Authorization"] == "Bearer k"


def test_a_busy_server_is_asked_again_when_it_says() -> None:
    busy = Reply(429, headers={"Retry-After": "7"})
    with serving(busy, busy, completion("x")) as (model, server, time):
        assert model.complete(ASKED, SCHEMA).calls == 3
    assert (len(server.requests), time.slept) == (3, [7.0, 7.0])


def test_a_retry_after_may_be_a_date() -> None:
    busy = Reply(429, headers={"Retry-After": "Thu, 01 Jan 2026 00:00:09 GMT"})
    with serving(busy, completion("x")) as (model, _, time):
        model.complete(ASKED, SCHEMA)
    assert time.slept == [9.0]


@pytest.mark.parametrize("after", ["3600", "Fri, 02 Jan 2026 00:00:00 GMT", "9" * 9])
def test_a_retry_after_beyond_the_limit_ends_at_once(after: str) -> None:
    error, calls, time = failure(Reply(429, headers={"Retry-After": after}))
    assert (type(error), calls, time.slept) == (RateLimited, 1, [])


@pytest.mark.parametrize("after", ["", "soon", "-5", "1e9", "²"])
def test_a_retry_after_that_is_none_leaves_the_backoff(after: str) -> None:
    reply = Reply(429, headers={"Retry-After": after.encode().decode("latin-1")})
    error, calls, time = failure(reply)
    assert (type(error), calls, time.slept) == (RateLimited, 4, [1.0, 2.0, 4.0])


def test_a_failing_server_is_asked_again_with_backoff() -> None:
    with serving(Reply(500), Reply(503), completion("x")) as (model, server, time):
        assert model.complete(ASKED, SCHEMA).calls == 3
    assert (len(server.requests), time.slept) == (3, [1.0, 2.0])


def test_tries_are_counted() -> None:
    error, calls, time = failure(Reply(500))
    assert (type(error), error.calls, calls) == (ServerFailed, 4, 4)
    assert time.passed == 7


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 302])
def test_a_refused_request_is_never_sent_again(status: int) -> None:
    error, calls, _ = failure(Reply(status, headers={"Location": "http://127.0.0.1:1/v1/chat/completions"}))
    assert (type(error), calls) == (RequestRefused, 1)
    assert "VISKA_LLM_URL" in str(error)


def test_a_page_in_place_of_the_answer_is_named() -> None:
    error, calls, _ = failure(Reply(body=b"<html>Sign in</html>", headers={"Content-Type": "text/html"}))
    assert (type(error), calls) == (NotAnApi, 1)
    assert "<html>Sign in" in str(error)


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b'{"choices": 1}', b'{"model": "test-', b"\xff\xfe"])
def test_a_body_that_is_no_completion_is_refused(body: bytes) -> None:
    error, calls, _ = failure(Reply(body=body))
    assert (type(error), calls) == (NotAnApi, 1)


def test_an_encoded_body_is_not_decoded() -> None:
    error, calls, _ = failure(Reply(body=b"\x1f\x8b", headers={"Content-Encoding": "gzip"}))
    assert (type(error), calls) == (NotAnApi, 1)


def test_a_body_cut_short_is_asked_for_again() -> None:
    cut = completion("x")
    cut.cut = True
    with serving(cut, completion("whole")) as (model, server, _):
        assert model.complete(ASKED, SCHEMA).text == "whole"
    assert len(server.requests) == 2
    error, calls, _ = failure(cut)
    assert (type(error), calls) == (Unreachable, 4)


def test_a_stream_cut_short_is_no_answer_though_what_came_is_whole_json() -> None:
    error, calls, _ = failure(lambda: Reply(pieces=[completion("x").body], cut=True))
    assert (type(error), calls) == (Unreachable, 4)


def test_a_hanging_server_costs_no_more_than_the_limit() -> None:
    def hang() -> Reply:
        time.now += 20
        return Reply(hang=True)

    with serving(hang, request_seconds=0.2) as (model, server, time), pytest.raises(TimedOut) as caught:
        model.complete(ASKED, SCHEMA)
    assert time.passed <= 60 + 20
    assert len(server.requests) == caught.value.calls == 3


def test_a_body_that_drips_ends_with_the_limit() -> None:
    def drip() -> Iterator[bytes]:
        while True:
            time.now += 1
            yield b" "

    with serving(lambda: Reply(pieces=drip())) as (model, server, time), pytest.raises(TimedOut):
        model.complete(ASKED, SCHEMA)
    assert len(server.requests) == 1


def test_a_body_that_runs_away_is_left_at_the_size_limit() -> None:
    sent = count()

    def run() -> Iterator[bytes]:
        for _ in range(100_000):
            next(sent)
            yield b"x" * 10_000

    error, calls, _ = failure(lambda: Reply(pieces=run()), body_bytes=100_000)
    assert (type(error), calls) == (BodyTooLarge, 1)
    assert next(sent) < 100_000


@pytest.mark.parametrize("model", ["another-model", "", None, ...])
def test_another_model_or_none_is_a_mismatch(model: Any) -> None:
    error, calls, _ = failure(completion("x", model=model))
    assert (type(error), calls) == (WrongModel, 1)
    assert error.spent.cost == Decimal("0.006")


@pytest.mark.parametrize("reason", ["length", "content_filter", "tool_calls", None])
def test_an_answer_that_was_cut_off_is_refused(reason: str | None) -> None:
    error, calls, _ = failure(completion('{"a": 1}', finish_reason=reason))
    assert (type(error), calls, error.answer) == (Truncated, 1, '{"a": 1}')


@pytest.mark.parametrize(
    "reply",
    [
        completion(None),
        completion("  "),
        completion("x", choices=[]),
        completion(None, message={"refusal": "I cannot"}),
        completion("x", message={"tool_calls": [{"id": "1"}]}),
    ],
)
def test_a_refusal_or_nothing_is_no_answer(reply: Reply) -> None:
    error, calls, _ = failure(reply)
    assert (type(error), calls) == (NoContent, 1)


def test_no_connection_names_the_address() -> None:
    with ChatServer(lambda _: Reply()) as server:
        url = server.url
    time = FakeTime()
    model = HttpChatModel(url, MODEL, clock=Clock(lambda: time.now, time.sleep), jitter=lambda: 0.0)
    with pytest.raises(Unreachable, match="VISKA_LLM_URL"):
        model.complete(ASKED, SCHEMA)
    assert time.slept == [1.0, 2.0, 4.0]


def test_a_spent_budget_sends_nothing() -> None:
    budget = TokenBudget(1200)
    with serving(completion("x"), budget=budget) as (model, server, _):
        model.complete(ASKED, SCHEMA)
        with pytest.raises(BudgetSpent, match="VISKA_LLM_TOKEN_BUDGET"):
            model.complete(ASKED, SCHEMA)
    assert (len(server.requests), budget.used) == (1, 1200)


def test_tokens_are_guessed_where_the_endpoint_does_not_count() -> None:
    budget = TokenBudget()
    with serving(completion("x" * 300, usage=None), budget=budget) as (model, _, _):
        answer = model.complete(ASKED, SCHEMA)
    assert answer.completion_tokens == 101
    assert budget.used == answer.prompt_tokens + 101 > 101


def test_the_time_left_of_a_document_bounds_an_answer() -> None:
    with serving(completion("x")) as (model, server, _), pytest.raises(TimedOut):
        model.complete(ASKED, SCHEMA, within=0)
    assert server.requests == []


def failure(reply: Reply | Callable[[], Reply], **limits: Any) -> tuple[LlmError, int, FakeTime]:
    """The error that a server with only this reply leads to, the calls made and the time passed."""
    with serving(reply, **limits) as (model, server, time), pytest.raises(LlmError) as caught:
        model.complete(ASKED, SCHEMA)
    assert time.passed <= 60
    assert caught.value.calls == len(server.requests)
    assert "127.0.0.1" in str(caught.value)
    return caught.value, len(server.requests), time
