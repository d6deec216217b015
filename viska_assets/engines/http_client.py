"""JSON over HTTP to a model server that may be slow, busy, cut off or not what its address promises."""

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from viska_assets.engines.protocols import EngineError

if TYPE_CHECKING:
    import httpx

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
TOO_LARGE = frozenset({413, 422})
_LARGEST_ANSWER = 256 * 1024 * 1024


class RequestTooLargeError(EngineError):
    """The server takes fewer texts, or shorter ones, in one request."""


class _PassingFault(Exception):
    """A fault that may be gone at the next attempt; ``wait`` is what the server asked for, in seconds."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass(frozen=True)
class ModelServer:
    """One model server.

    ``timeout`` bounds one attempt from its first byte to its last, in seconds, and ``patience`` all attempts with the
    waits between them. ``pause`` waits; a test passes its own.
    """

    url: str
    key: str = field(default="", repr=False)
    timeout: float = 30.0
    patience: float = 120.0
    attempts: int = 5
    longest_wait: float = 30.0
    pause: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic

    def get(self, path: str) -> Any:
        """The JSON value at a path.

        Raises:
            EngineError: naming the address and the fault.
        """
        return self._ask("GET", path, None)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The JSON value with which the server answers a JSON body.

        Raises:
            RequestTooLargeError: where the server refuses the size of the request.
            EngineError: naming the address and the fault.
        """
        return self._ask("POST", path, body)

    @cached_property
    def _client(self) -> "httpx.Client":
        import httpx

        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        # No redirects: a key must not follow one to another host.
        return httpx.Client(headers=headers, timeout=self.timeout, follow_redirects=False)

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        last = self.monotonic() + self.patience
        attempt = 1
        while True:
            try:
                return self._attempt(method, path, body)
            except _PassingFault as fault:
                wait = min(max(fault.wait, 0.5 * 2 ** (attempt - 1)), self.longest_wait)
                if attempt >= self.attempts or self.monotonic() + wait > last:
                    raise EngineError(f"{self.url} did not answer in {attempt} attempts: {fault}") from fault
                self.pause(wait)
                attempt += 1

    def _attempt(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        import httpx

        try:
            with self._client.stream(method, self.url.rstrip("/") + path, json=body) as answer:
                data = self._read(answer)
        except httpx.InvalidURL as error:
            raise EngineError(f"{self.url} is no address of a model server: {error}") from error
        except httpx.UnsupportedProtocol as error:
            raise EngineError(f"{self.url} is no http or https address") from error
        except httpx.HTTPError as error:
            raise _PassingFault(f"{type(error).__name__} ({error})") from error
        status = answer.status_code
        if status in _PASSING:
            raise _PassingFault(f"status {status}", _asked_wait(answer.headers.get("retry-after", "")))
        if status in TOO_LARGE:
            raise RequestTooLargeError(f"{self.url} refuses the request with status {status}: {_excerpt(data)}")
        if status != 200:
            raise EngineError(f"{self.url} answers {path} with status {status}: {_excerpt(data)}")
        try:
            return json.loads(data)
        except ValueError as error:
            raise EngineError(f"{self.url} answers {path} with something that is not JSON: {_excerpt(data)}") from error

    def _read(self, answer: "httpx.Response") -> bytes:
        """The whole body, in bounded time and size: httpx bounds only the wait between two pieces."""
        last = self.monotonic() + self.timeout
        data = bytearray()
        for piece in answer.iter_bytes():
            data += piece
            if len(data) > _LARGEST_ANSWER:
                raise EngineError(f"{self.url} answers with more than {_LARGEST_ANSWER // 2**20} MiB")
            if self.monotonic() > last:
                raise _PassingFault(f"the answer was not whole after {self.timeout:g} s")
        return bytes(data)


def _asked_wait(header: str) -> float:
    """The seconds of a Retry-After header (RFC 9110 §10.2.3), a number or a date; 0 where it says neither."""
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(header) - datetime.now(tz=UTC)).total_seconds()
        except (TypeError, ValueError):
            return 0.0
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0


def _excerpt(data: bytes) -> str:
    text = " ".join(data[:400].decode("utf-8", "replace").split())
    return repr(text[:120]) if text else "an empty body"
