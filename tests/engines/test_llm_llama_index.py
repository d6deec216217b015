"""LLMs of llama-index-core under the same checks as the HTTP client."""

from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.llms.mock import MockLLM

from viska_assets.engines.llm import Message, NoContent, NotAnApi, Role, TimedOut, Truncated, Unreachable, WrongModel
from viska_assets.engines.llm_llama_index import LlamaIndexChatModel

ASKED = [Message(Role.SYSTEM, "Answer."), Message(Role.USER, "What?")]


class Keeping:
    """An integration that keeps the provider's response, as llama-index's own for OpenAI does."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self.asked: list[Any] = []

    def chat(self, messages: Any, **kwargs: Any) -> ChatResponse:
        self.asked.append((messages, kwargs))
        if isinstance(self.raw, Exception):
            raise self.raw
        return ChatResponse(message=ChatMessage(role="assistant", content="{}"), raw=self.raw)


def raw(**changes: Any) -> dict[str, Any]:
    choice = {"message": {"content": "{}"}, "finish_reason": changes.pop("finish_reason", "stop")}
    return {"model": "m-1", "choices": [choice], "usage": {"prompt_tokens": 5, "completion_tokens": 2}} | changes


def test_an_answer_is_taken_from_the_providers_response() -> None:
    llm = Keeping(raw())
    answer = LlamaIndexChatModel(llm, "m-1").complete(ASKED, {"type": "object"})
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens, answer.calls) == ("{}", 5, 2, 1)
    messages, kwargs = llm.asked[0]
    assert [str(m.role.value) for m in messages] == ["system", "user"]
    assert kwargs["response_format"]["json_schema"]["schema"] == {"type": "object"}


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (raw(model="m-2"), WrongModel),
        (raw(model=None), WrongModel),
        (raw(finish_reason="length"), Truncated),
        (raw(choices=[]), NoContent),
        ({"choices": "x"}, NotAnApi),
        (ValueError("no key"), Unreachable),
    ],
)
def test_what_the_http_client_refuses_is_refused(given: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        LlamaIndexChatModel(Keeping(given), "m-1").complete(ASKED, {})


def test_an_integration_that_keeps_no_response_cannot_be_used() -> None:
    with pytest.raises(WrongModel, match="no model"):
        LlamaIndexChatModel(MockLLM(), "m-1").complete(ASKED, {})


def test_no_time_left_asks_nothing() -> None:
    llm = Keeping(raw())
    with pytest.raises(TimedOut):
        LlamaIndexChatModel(llm, "m-1").complete(ASKED, {}, within=0)
    assert llm.asked == []
