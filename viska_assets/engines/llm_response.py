"""From the body of a chat completion to a checked answer: model id, finish reason, content and usage."""

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from viska_assets.engines.llm import (
    Completion,
    Message,
    NoContent,
    NotAnApi,
    Prices,
    Spent,
    TokenBudget,
    Truncated,
    WrongModel,
    estimated_tokens,
)


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class ReplyMessage(_Lenient):
    """The message of a choice; ``tool_calls`` must be absent, for none was offered."""

    content: str | None = None
    refusal: str | None = None
    tool_calls: list[Any] | None = None


class Choice(_Lenient):
    """One answer of a response."""

    message: ReplyMessage
    finish_reason: str | None = None


class Usage(_Lenient):
    """The endpoint's own count of tokens."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


class ChatResponse(_Lenient):
    """The part of an OpenAI-compatible chat completion that Viska reads."""

    model: str | None = None
    choices: list[Choice] = []
    usage: Usage | None = None


def read_response(body: bytes | str, place: str) -> ChatResponse:
    """The response of a success.

    Raises:
        NotAnApi: where the body is no chat completion.
    """
    try:
        return ChatResponse.model_validate_json(body)
    except ValidationError as error:
        shown = body[:80] if isinstance(body, str) else body[:80].decode(errors="replace")
        raise NotAnApi(
            f"{place}: the body is no chat completion ({error.error_count()} faults, begins {shown!r}): "
            "point VISKA_LLM_URL at the base of an OpenAI-compatible API, such as https://host/v1"
        ) from error


def checked_completion(
    response: ChatResponse,
    *,
    wanted: str,
    place: str,
    messages: list[Message],
    prices: Prices,
    budget: TokenBudget,
    calls: int,
) -> Completion:
    """The answer of a response, if it may be used; what it cost is counted in any case.

    Args:
        response: as received.
        wanted: the model id that was asked for.
        place: the endpoint, for messages.
        messages: what was sent, by which tokens are guessed where the endpoint does not count them.
        prices: per million tokens.
        budget: of the run.
        calls: how many requests it took.

    Raises:
        WrongModel: the response names another model or none.
        Truncated: the answer was cut off.
        NoContent: there is no answer.
    """
    choice = response.choices[0] if response.choices else None
    text = (choice.message.content if choice else None) or ""
    spent = _spent(response.usage, messages, text, prices)
    budget.add(spent)
    if response.model != wanted:
        named = repr(response.model) if response.model else "no model"
        raise WrongModel(
            f"{place}: the response names {named}, asked for was {wanted!r}: "
            "set VISKA_LLM_MODEL to the exact id that the endpoint answers with",
            calls=calls,
            spent=spent,
        )
    if choice is None or choice.message.refusal or choice.message.tool_calls:
        why = "holds no choice" if choice is None else "is a refusal or a tool call"
        raise NoContent(f"{place}: the answer {why}: the document needs an operator", calls=calls, spent=spent)
    if choice.finish_reason != "stop":
        raise Truncated(
            f"{place}: the answer ended with finish_reason {choice.finish_reason!r}, not 'stop': "
            "raise VISKA_LLM_MAX_TOKENS or lower VISKA_LLM_DOCUMENT_CHARACTERS",
            calls=calls,
            spent=spent,
            answer=text,
        )
    if not text.strip():
        raise NoContent(f"{place}: the answer has no content: ask another model", calls=calls, spent=spent)
    return Completion(
        text, wanted, choice.finish_reason, spent.prompt_tokens, spent.completion_tokens, spent.cost, calls
    )


def _spent(usage: Usage | None, messages: list[Message], text: str, prices: Prices) -> Spent:
    if usage is None or usage.prompt_tokens <= 0:
        return prices.spent(estimated_tokens("".join(m.content for m in messages)), estimated_tokens(text))
    return prices.spent(usage.prompt_tokens, max(0, usage.completion_tokens))
