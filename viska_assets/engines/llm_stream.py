"""A streamed chat completion, watched while it comes: model id, tokens, time, sign of life, and a word to stop."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from viska_assets.engines.json_prefix import JsonPrefix
from viska_assets.engines.llm import (
    BodyTooLarge,
    LlmError,
    Message,
    NoContent,
    NotAnApi,
    RateLimited,
    RequestRefused,
    ServerFailed,
    Spent,
    TimedOut,
    Truncated,
    Unreachable,
    WrongModel,
    estimated_tokens,
)


class OverBudget(LlmError):
    """The answer went over the tokens that were left; the stream was closed there."""


class Cancelled(LlmError):
    """Somebody said stop while the answer came; the stream was closed there."""


class NoSignOfLife(LlmError):
    """What came is no beginning of the asked-for JSON, or nothing came for too long."""


@dataclass(frozen=True)
class StreamLimits:
    """Bounds of one streamed answer: ``tokens`` read and written together, ``seconds`` in all, ``silence`` between.

    ``look_every`` is after how many pieces the word to stop is asked for.
    """

    tokens: int
    seconds: float = 120.0
    silence: float = 30.0
    look_every: int = 16
    line_bytes: int = 1024 * 1024


@dataclass(frozen=True)
class Streamed:
    """A whole answer and what it used."""

    text: str
    model: str
    spent: Spent


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Delta(_Lenient):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[Any] | None = None


class _Choice(_Lenient):
    delta: _Delta = _Delta()
    finish_reason: str | None = None


class _Usage(_Lenient):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Chunk(_Lenient):
    model: str | None = None
    choices: list[_Choice] = []
    usage: _Usage | None = None


class StreamingChat:
    """A model behind ``{url}/chat/completions`` that streams one JSON object.

    Args:
        url: the API's base.
        model: the exact id that each piece must carry.
        key: sent as bearer token where not empty.
        clock: monotonic seconds.
    """

    def __init__(self, url: str, model: str, *, key: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        self._endpoint, self.model, self._clock = f"{url.rstrip('/')}/chat/completions", model, clock
        self._headers = {"Accept": "text/event-stream", "Accept-Encoding": "identity"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"

    def answer(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any],
        limits: StreamLimits,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> Streamed:
        """The answer, asked for once. A failure carries what was used and what had come.

        Raises:
            WrongModel: a piece names another model, or none.
            OverBudget, TimedOut, Cancelled, NoSignOfLife: the stream was closed in the middle.
            LlmError: any other way in which there is no answer to use.
        """
        prompt = estimated_tokens("".join(m.content for m in messages))
        watch = _Watch(self._endpoint, self.model, limits, prompt, self._clock() + limits.seconds, self._clock)
        if prompt >= limits.tokens:
            raise OverBudget(f"{self._endpoint}: the prompt alone needs {prompt} of {limits.tokens} tokens", calls=0)
        payload = {
            "model": self.model,
            "messages": [{"role": m.role.value, "content": m.content} for m in messages],
            "temperature": 0,
            "max_tokens": limits.tokens - prompt,
            "stream": True,
            "stream_options": {"include_usage": True},
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)},
            },
        }
        timeout = httpx.Timeout(min(limits.seconds, limits.silence))
        try:
            with (
                httpx.Client(headers=self._headers, follow_redirects=False) as client,
                client.stream("POST", self._endpoint, json=payload, timeout=timeout) as response,
            ):
                self._check_status(response)
                for place, data in enumerate(_events(response, limits.line_bytes, self._endpoint)):
                    watch.take(data)
                    if place % limits.look_every == 0 and is_cancelled():
                        raise watch.fail(Cancelled, "called off while the answer came")
        except httpx.TimeoutException as error:
            raise watch.fail(NoSignOfLife, f"nothing came for {timeout.read:g} s") from error
        except httpx.TransportError as error:
            raise watch.fail(Unreachable, str(error) or type(error).__name__) from error
        return watch.whole()

    def _check_status(self, response: httpx.Response) -> None:
        status = response.status_code
        if status == 429:
            raise RateLimited(f"{self._endpoint}: 429 too many requests: the run is tried again later")
        if status >= 500:
            raise ServerFailed(f"{self._endpoint}: the server failed with {status}")
        if status != 200:
            raise RequestRefused(f"{self._endpoint}: {status}: check VISKA_LLM_URL, VISKA_LLM_MODEL and VISKA_LLM_KEY")


def _events(response: httpx.Response, most: int, place: str) -> Iterator[str]:
    """The data of server-sent events until ``[DONE]``; a stream that ends without it is left to the finish reason."""
    held = ""
    for text in response.iter_text():
        held += text
        if len(held) > most:
            raise BodyTooLarge(f"{place}: a line of the stream exceeds {most} characters")
        *lines, held = held.split("\n")
        for line in lines:
            if line.startswith("data:"):
                data = line[5:].strip()
                if data == "[DONE]":
                    return
                yield data


class _Watch:
    """What has come of one answer, judged piece by piece."""

    def __init__(
        self, place: str, model: str, limits: StreamLimits, prompt: int, until: float, clock: Callable[[], float]
    ) -> None:
        self._place, self._model, self._limits, self._prompt = place, model, limits, prompt
        self._until, self._clock = until, clock
        self._parts: list[str] = []
        self._characters = self._pieces = 0
        self._life, self._finish, self._usage = JsonPrefix(), "", _Usage()

    def take(self, data: str) -> None:
        """Judges one event."""
        try:
            chunk = _Chunk.model_validate(json.loads(data))
        except (json.JSONDecodeError, ValidationError) as error:
            raise self.fail(NotAnApi, f"an event is no chunk of a completion: {data[:60]!r}") from error
        if chunk.model != self._model:
            raise self.fail(WrongModel, f"{chunk.model!r} answers, pinned is {self._model!r}", answered=chunk.model)
        if chunk.usage is not None:
            self._usage = chunk.usage
        for choice in chunk.choices[:1]:
            self._choice(choice)
        if self._tokens() > self._limits.tokens:
            raise self.fail(OverBudget, f"{self._tokens()} tokens, the budget is {self._limits.tokens}")
        if self._clock() > self._until:
            raise self.fail(TimedOut, f"no whole answer in {self._limits.seconds:g} s")

    def _choice(self, choice: _Choice) -> None:
        if choice.delta.refusal or choice.delta.tool_calls:
            raise self.fail(NoContent, "a refusal or a tool call; no tool was offered")
        piece = choice.delta.content or ""
        if piece:
            self._parts.append(piece)
            self._characters += len(piece)
            self._pieces += 1
            if not self._life.feed(piece):
                raise self.fail(NoSignOfLife, "what comes is no JSON object")
        self._finish = choice.finish_reason or self._finish

    def _tokens(self) -> int:
        """Tokens so far: the endpoint's count where it gives one, else pieces or a third of the characters."""
        written = max(self._pieces, self._characters // 3, self._usage.completion_tokens)
        return max(self._prompt if not self._usage.prompt_tokens else 0, self._usage.prompt_tokens) + written

    def _spent(self) -> Spent:
        read = self._usage.prompt_tokens or self._prompt
        return Spent(read, max(0, self._tokens() - read))

    def fail(self, kind: type[LlmError], why: str, answered: str | None = None) -> LlmError:
        """The failure with all that is known; ``model_answered`` holds the id that came in place of the pinned one."""
        error = kind(f"{self._place}: {why}", spent=self._spent(), answer="".join(self._parts))
        error.model_answered = answered or ""
        return error

    def whole(self) -> Streamed:
        """The answer, where it ended well."""
        if self._finish != "stop":
            raise self.fail(Truncated, f"the stream ended with finish_reason {self._finish or None!r}, not 'stop'")
        if not self._life.is_whole:
            raise self.fail(NoContent, "the answer is no whole JSON object")
        return Streamed("".join(self._parts), self._model, self._spent())
