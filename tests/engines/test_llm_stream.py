"""A streamed answer, watched over real HTTP: each fault closes the stream, and what was used is known."""

import json
from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engines.stream_server import StreamServer, stream_server
from viska_assets.engines.json_prefix import JsonPrefix
from viska_assets.engines.llm import (
    LlmError,
    Message,
    NoContent,
    NotAnApi,
    RateLimited,
    Role,
    ServerFailed,
    TimedOut,
    Truncated,
    Unreachable,
    WrongModel,
)
from viska_assets.engines.llm_stream import Cancelled, NoSignOfLife, OverBudget, StreamingChat, StreamLimits

ASK = [Message(Role.USER, "What?")]
WHOLE = ['{"a":', " [1, 2,", ' "x"]}']
ENDLESS = ['{"a": "', *["and so on "] * 4000]


@pytest.fixture
def server() -> Iterator[StreamServer]:
    with stream_server() as served:
        yield served


def ask(server: StreamServer, tokens: int = 1000, seconds: float = 20.0, silence: float = 10.0, **more: object) -> str:
    chat = StreamingChat(server.url, "acme-1", key="k")
    limits = StreamLimits(tokens, seconds, silence)
    return chat.answer(ASK, {"type": "object"}, limits, **more).text  # type: ignore[arg-type]


def failed(server: StreamServer, kind: type[LlmError], **more: object) -> LlmError:
    with pytest.raises(kind) as caught:
        ask(server, **more)  # type: ignore[arg-type]
    return caught.value


def test_a_whole_answer_is_given_with_the_endpoints_own_count(server: StreamServer) -> None:
    server.pieces, server.usage = WHOLE, {"prompt_tokens": 7, "completion_tokens": 9}
    got = StreamingChat(server.url, "acme-1").answer(ASK, {}, StreamLimits(100))
    assert json.loads(got.text) == {"a": [1, 2, "x"]}
    assert (got.model, got.spent.prompt_tokens, got.spent.completion_tokens) == ("acme-1", 7, 9)
    assert server.requests[0]["stream"] is True


@pytest.mark.parametrize("models", [["acme-2"], ["acme-1", "acme-2"], [None]])
def test_g088_a_piece_of_another_model_or_of_none_ends_it(server: StreamServer, models: list[str | None]) -> None:
    server.pieces, server.models = WHOLE, models
    error = failed(server, WrongModel)
    assert error.model_answered == (models[-1] or "")


def test_g073_a_runaway_answer_is_cut_off_at_the_budget(server: StreamServer) -> None:
    server.pieces, server.pause = ENDLESS, 0.001
    error = failed(server, OverBudget, tokens=60)
    assert 60 < error.spent.prompt_tokens + error.spent.completion_tokens < 80
    assert server.left.wait(10)
    assert server.sent < len(ENDLESS)


def test_a_prompt_over_the_budget_is_not_sent(server: StreamServer) -> None:
    failed(server, OverBudget, tokens=2)
    assert server.requests == []


def test_g081_a_word_to_stop_closes_the_stream(server: StreamServer) -> None:
    server.pieces, server.pause = ENDLESS, 0.001
    asked = count()
    failed(server, Cancelled, tokens=100_000, is_cancelled=lambda: next(asked) > 2)
    assert server.left.wait(10)


@pytest.mark.parametrize("pieces", [["I think"], ['{"a": 1} and'], ['{"a": }'], ["<think>"], ['["a"]'], ['{"a": tru1']])
def test_g082_what_is_no_json_is_no_sign_of_life(server: StreamServer, pieces: list[str]) -> None:
    server.pieces = [*pieces, *ENDLESS]
    failed(server, NoSignOfLife)


def test_g082_silence_is_no_sign_of_life(server: StreamServer) -> None:
    server.pieces, server.hang, server.finish = WHOLE[:1], True, None
    failed(server, NoSignOfLife, silence=0.3)


def test_the_wall_clock_holds_over_a_dripping_stream(server: StreamServer) -> None:
    server.pieces, server.pause = ENDLESS, 0.01
    failed(server, TimedOut, seconds=0.2, tokens=100_000)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"finish": None}, Truncated),
        ({"finish": "length"}, Truncated),
        ({"pieces": ['{"a": 1']}, NoContent),
        ({"pieces": []}, NoContent),
        ({"raw": ["<html>"]}, NotAnApi),
        ({"raw": ['{"model": "acme-1", "choices": [{"delta": {"refusal": "no"}}]}']}, NoContent),
        ({"status": 429}, RateLimited),
        ({"status": 503}, ServerFailed),
    ],
)
def test_each_fault_has_its_kind(server: StreamServer, change: dict[str, object], kind: type[LlmError]) -> None:
    server.pieces = WHOLE
    for name, value in change.items():
        setattr(server, name, value)
    failed(server, kind)


def test_nobody_there_is_unreachable() -> None:
    with pytest.raises(Unreachable):
        StreamingChat("http://127.0.0.1:9/v1", "acme-1").answer(ASK, {}, StreamLimits(100, 5, 5))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), VALUES), st.booleans(), st.integers(0, 200))
def test_every_beginning_of_an_object_lives_and_only_the_end_is_whole(
    value: dict[str, object], ascii_only: bool, cut: int
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    part = JsonPrefix()
    assert part.feed(text[:cut])
    assert part.is_whole == (cut >= len(text))
    assert part.feed(text[cut:])
    assert part.is_whole
    assert not part.feed("x")
