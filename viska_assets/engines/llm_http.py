"""A thin client of any OpenAI-compatible chat endpoint: bounded in time, size, tries and tokens."""

import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from viska_assets.engines.llm import (
    BodyTooLarge,
    Completion,
    EndpointFailure,
    LlmError,
    Message,
    NotAnApi,
    Prices,
    RateLimited,
    RequestRefused,
    ServerFailed,
    TimedOut,
    TokenBudget,
    Unreachable,
    estimated_tokens,
)
from viska_assets.engines.llm_response import checked_completion, read_response

FIRST_BACKOFF = 1.0
LONGEST_BACKOFF = 30.0


@dataclass(frozen=True)
class Limits:
    """Bounds of one answer. ``seconds`` holds over all its tries together, waiting between them included.

    ``request_seconds`` bounds a silence of the server: a body that drips may go on for one more of these at the end.
    """

    seconds: float = 120.0
    request_seconds: float = 60.0
    attempts: int = 4
    body_bytes: int = 4 * 1024 * 1024
    answer_tokens: int = 8192


@dataclass
class Clock:
    """Monotonic seconds and sleep, injected so that tests take no time."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    today: Callable[[], datetime] = field(default=lambda: datetime.now(tz=UTC))


class HttpChatModel:
    """A model behind ``{url}/chat/completions``.

    Args:
        url: the API's base, such as ``https://host/v1``.
        model: the exact id that responses must carry.
        key: sent as bearer token where not empty.
        limits: time, size and tries of one answer.
        prices: per million tokens.
        budget: the tokens of the run, shared by all answers.
        clock: injected.
        jitter: a number in [0, 1) that spreads retries.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str = "",
        limits: Limits | None = None,
        prices: Prices | None = None,
        budget: TokenBudget | None = None,
        clock: Clock | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._endpoint = f"{url.rstrip('/')}/chat/completions"
        self._model = model
        self._limits, self._prices = limits or Limits(), prices or Prices()
        self._budget, self._clock, self._jitter = budget or TokenBudget(), clock or Clock(), jitter
        # An encoded body could grow beyond the size limit in one step of decoding.
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        self._headers = headers | ({"Authorization": f"Bearer {key}"} if key else {})

    @property
    def model(self) -> str:
        """The id that every response must carry."""
        return self._model

    def complete(
        self, messages: Sequence[Message], schema: Mapping[str, Any], *, within: float | None = None
    ) -> Completion:
        """The answer, tried again after 429, 5xx and broken connections until tries or time are used up.

        Raises:
            EndpointFailure: there was no answer.
            AnswerFailure: there was one, and it must not be used.
        """
        sent = list(messages)
        self._budget.require(sum(estimated_tokens(m.content) for m in sent))
        payload = self._payload(sent, schema)
        seconds = self._limits.seconds if within is None else min(within, self._limits.seconds)
        deadline = self._clock.now() + seconds
        with httpx.Client(headers=self._headers, follow_redirects=False) as client:
            body, calls = self._try_until(client, payload, deadline)
        try:
            response = read_response(body, self._endpoint)
        except LlmError as error:
            error.calls = calls
            raise
        return checked_completion(
            response,
            wanted=self._model,
            place=self._endpoint,
            messages=sent,
            prices=self._prices,
            budget=self._budget,
            calls=calls,
        )

    def _payload(self, messages: list[Message], schema: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "model": self._model,
            "messages": [{"role": m.role.value, "content": m.content} for m in messages],
            "temperature": 0,
            "max_tokens": self._limits.answer_tokens,
            "stream": False,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)},
            },
        }

    def _try_until(self, client: httpx.Client, payload: dict[str, Any], deadline: float) -> tuple[bytes, int]:
        """The body of the first success and the number of tries it took."""
        for calls in range(1, self._limits.attempts + 1):
            remaining = deadline - self._clock.now()
            if remaining <= 0:
                raise TimedOut(self._too_slow(), calls=calls - 1)
            try:
                return self._request(client, payload, remaining, deadline), calls
            except LlmError as error:
                error.calls = calls
                raise
            except _Again as again:
                again.failure.calls = calls
                if calls == self._limits.attempts:
                    raise again.failure from again
                self._wait(again, calls, deadline)
        raise Unreachable(f"{self._endpoint}: not tried: set VISKA_LLM_ATTEMPTS to 1 or more", calls=0)

    def _wait(self, again: "_Again", calls: int, deadline: float) -> None:
        backoff = min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** (calls - 1)) * (1 + self._jitter() / 4)
        seconds = backoff if again.after is None else max(again.after, 0.0)
        if self._clock.now() + seconds >= deadline:
            raise again.failure from again
        self._clock.sleep(seconds)

    def _request(self, client: httpx.Client, payload: dict[str, Any], remaining: float, deadline: float) -> bytes:
        timeout = httpx.Timeout(min(remaining, self._limits.request_seconds))
        try:
            with client.stream("POST", self._endpoint, json=payload, timeout=timeout) as response:
                self._check_status(response)
                return self._read(response, deadline)
        except httpx.TimeoutException as error:
            if self._clock.now() >= deadline:
                raise TimedOut(self._too_slow()) from error
            raise _Again(TimedOut(f"{self._endpoint}: no answer in {timeout.read:g} s: {_MEND_TIME}")) from error
        except httpx.TransportError as error:
            mend = "see that the endpoint runs and that VISKA_LLM_URL names it"
            raise _Again(Unreachable(f"{self._endpoint}: {error or type(error).__name__}: {mend}")) from error
        except httpx.InvalidURL as error:
            raise RequestRefused(f"{self._endpoint}: {error}: set VISKA_LLM_URL to an http(s) address") from error

    def _check_status(self, response: httpx.Response) -> None:
        status = response.status_code
        if status == 429:
            after = _retry_after(response.headers.get("Retry-After", ""), self._clock.today())
            wait = f", Retry-After {after:g} s" if after is not None else ""
            message = f"{self._endpoint}: 429 too many requests{wait}: lower the load or raise VISKA_LLM_SECONDS"
            raise _Again(RateLimited(message), after)
        if status >= 500:
            raise _Again(ServerFailed(f"{self._endpoint}: the server failed with {status}: see its log"))
        if status != 200:
            mend = "check VISKA_LLM_URL, VISKA_LLM_MODEL and VISKA_LLM_KEY"
            raise RequestRefused(f"{self._endpoint}: the request was refused with {status}: {mend}")

    def _read(self, response: httpx.Response, deadline: float) -> bytes:
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise NotAnApi(f"{self._endpoint}: the body is encoded though it must not be: take the proxy out")
        parts: list[bytes] = []
        size = 0
        for part in response.iter_raw():
            size += len(part)
            if size > self._limits.body_bytes:
                mend = "the model runs away; use another one or raise VISKA_LLM_BODY_BYTES"
                raise BodyTooLarge(f"{self._endpoint}: the body exceeds {self._limits.body_bytes} bytes: {mend}")
            if self._clock.now() >= deadline:
                raise TimedOut(self._too_slow())
            parts.append(part)
        return b"".join(parts)

    def _too_slow(self) -> str:
        return f"{self._endpoint}: no whole answer in {self._limits.seconds:g} s over all tries: {_MEND_TIME}"


_MEND_TIME = "raise VISKA_LLM_SECONDS or use a faster model"


class _Again(Exception):
    """A failure after which another try is worth it, and how long the server asks to wait."""

    def __init__(self, failure: EndpointFailure, after: float | None = None) -> None:
        super().__init__(str(failure))
        self.failure = failure
        self.after = after


def _retry_after(value: str, today: datetime) -> float | None:
    """Seconds of a Retry-After header, given as a number or as a date (RFC 9110 §10.2.3); None where it is neither."""
    if re.fullmatch(r"\s*[0-9]{1,9}\s*", value):
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (moment - today).total_seconds()) if moment.tzinfo else None
