"""What Viska asks of a language model: one answer to a few messages, and a kind of failure for each way to fail."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, Protocol

from viska_assets.engines.protocols import EngineError


class Role(StrEnum):
    """Who speaks in a message; documents are never in the system's."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True)
class Message:
    """One turn of the conversation that is sent."""

    role: Role
    content: str


@dataclass(frozen=True)
class Completion:
    """A model's whole answer. ``cost`` is in the currency of the prices, ``calls`` counts requests with retries."""

    text: str
    model: str
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int
    cost: Decimal
    calls: int = 1


class ChatModel(Protocol):
    """Answers messages with JSON of a schema. It has no tools and sees nothing but the messages."""

    @property
    def model(self) -> str:
        """The id that every response must carry."""
        ...

    def complete(
        self, messages: Sequence[Message], schema: Mapping[str, Any], *, within: float | None = None
    ) -> Completion:
        """The answer.

        Args:
            messages: instructions first, the document in a message of its own.
            schema: the JSON schema of the answer.
            within: seconds that are left for it; None for the model's own limit.

        Raises:
            EndpointFailure: there was no answer; the same document may be asked about again later.
            AnswerFailure: there was an answer, and it must not be used.
        """
        ...


class LlmError(EngineError):
    """A call that brought nothing. ``spent`` is what it cost all the same, ``calls`` how many requests it took.

    ``answer`` is the text that came and must not be used, for the record; ``model_answered`` the id that a wrong model
    gave.
    """

    def __init__(self, message: str, *, calls: int = 1, spent: "Spent | None" = None, answer: str = "") -> None:
        super().__init__(message)
        self.answer = answer
        self.calls = calls
        self.spent = spent or Spent()
        self.model_answered = ""

    @property
    def kind(self) -> str:
        """The name of this kind of failure, for incidents."""
        return type(self).__name__


@dataclass(frozen=True)
class Spent:
    """Tokens and money that a call used."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: Decimal = Decimal(0)


class EndpointFailure(LlmError):
    """The endpoint gave no answer: nothing is known of the document, and it is asked about again later."""


class Unreachable(EndpointFailure):
    """No connection, or one that broke before the whole body had come."""


class TimedOut(EndpointFailure):
    """The wall-clock limit over all tries of one answer was reached."""


class RateLimited(EndpointFailure):
    """429 until the tries or the time were used up, or a Retry-After beyond the time."""


class ServerFailed(EndpointFailure):
    """5xx until the tries were used up."""


class RequestRefused(EndpointFailure):
    """4xx or a redirection: the settings are wrong, and trying again would not help."""


class NotAnApi(EndpointFailure):
    """A success whose body is not what the API promises: a proxy's page, broken JSON, missing fields."""


class BodyTooLarge(EndpointFailure):
    """A body beyond the size limit; reading stopped there."""


class WrongModel(EndpointFailure):
    """The response names another model than was asked for, or none: what it says is not used."""


class BudgetSpent(EndpointFailure):
    """The run's token budget is used up; no request was made."""


class AnswerFailure(LlmError):
    """The model answered, and the answer must not be used."""


class Truncated(AnswerFailure):
    """``finish_reason`` is not ``stop``: the answer was cut off or filtered."""


class NoContent(AnswerFailure):
    """A refusal, a tool call or null in place of the answer."""


@dataclass(frozen=True)
class Prices:
    """What a million tokens cost."""

    prompt: Decimal = Decimal(0)
    completion: Decimal = Decimal(0)

    def spent(self, prompt_tokens: int, completion_tokens: int) -> Spent:
        """The cost of one call."""
        million = Decimal(1_000_000)
        cost = (self.prompt * prompt_tokens + self.completion * completion_tokens) / million
        return Spent(prompt_tokens, completion_tokens, cost)


class TokenBudget:
    """The tokens one run may use, counted as they are spent.

    Args:
        limit: prompt and answer tokens together; 0 is no limit.
    """

    def __init__(self, limit: int = 0) -> None:
        self.limit = limit
        self.used = 0

    def require(self, expected: int) -> None:
        """Passes where ``expected`` more tokens fit.

        Raises:
            BudgetSpent: where they do not.
        """
        if self.limit and self.used + expected > self.limit:
            raise BudgetSpent(
                f"the run's budget of {self.limit} tokens is spent ({self.used} used, {expected} more expected): "
                "raise VISKA_LLM_TOKEN_BUDGET or let the next run go on",
                calls=0,
            )

    def add(self, spent: Spent) -> None:
        """Counts what a call used."""
        self.used += spent.prompt_tokens + spent.completion_tokens


def estimated_tokens(text: str) -> int:
    """A careful guess at the tokens of a text whose tokenizer is not known: one for three characters."""
    return len(text) // 3 + 1
