"""HTTP for feeds: paced, bounded, polite, and never led to another host than the feed's policy allows."""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from threading import Lock
from urllib.parse import urljoin, urlsplit

import httpx

DEFAULT_AGENT = "Viska/0.1 (name yourself with user_agent in feeds.yaml)"
_MOST_REDIRECTS = 5
_LONGEST_WAIT = timedelta(days=1)
_REDIRECTS = (301, 302, 303, 307, 308)


class WebError(Exception):
    """A request brought nothing usable; ``retry_at`` is when the far side says to try again."""

    def __init__(self, message: str, retry_at: datetime | None = None) -> None:
        super().__init__(message)
        self.retry_at = retry_at


@dataclass(frozen=True)
class Answer:
    """A response read in full; ``body`` is empty for 304.

    ``delimited`` says that the far side told where the body ends, so that a cut would have been noticed.
    """

    status: int
    body: bytes
    etag: str
    modified: str
    media_type: str
    delimited: bool


@dataclass(frozen=True)
class Request:
    """What to ask for and within which limits."""

    url: str
    hosts: Collection[str]
    headers: Mapping[str, str] = field(default_factory=dict)
    per_second: float = 2.0
    timeout: float = 20.0
    max_bytes: int = 32 << 20


class Pace:
    """Keeps requests to a host apart in time, over all feeds of a process."""

    def __init__(self, sleep: Callable[[float], None] = time.sleep, now: Callable[[], float] = time.monotonic) -> None:
        self._sleep, self._now = sleep, now
        self._free: dict[str, float] = {}
        self._lock = Lock()

    def wait(self, host: str, per_second: float) -> None:
        """Returns when the host may be asked again."""
        with self._lock:
            now = self._now()
            turn = max(now, self._free.get(host, now))
            self._free[host] = turn + 1 / per_second
        if turn > now:
            self._sleep(turn - now)


class Web:
    """A client for GET requests.

    Args:
        pace: shared by all feeds, so that two feeds on one host count together.
        clock: the present instant, for ``Retry-After``.
    """

    def __init__(self, pace: Pace, clock: Callable[[], datetime]) -> None:
        self._pace, self._clock = pace, clock

    def get(self, request: Request) -> Answer:
        """One GET, redirects followed within the allowed hosts.

        Raises:
            WebError: for any status but 200 and 304, a redirect elsewhere, a body too large or cut off, or no answer.
        """
        url = request.url
        deadline = time.monotonic() + request.timeout
        with httpx.Client(timeout=request.timeout, follow_redirects=False) as client:
            for _ in range(_MOST_REDIRECTS + 1):
                _check_place(url, request)
                self._pace.wait(urlsplit(url).hostname or "", request.per_second)
                found = self._once(client, url, request, deadline)
                if isinstance(found, Answer):
                    return found
                url = _joined(url, found)
        raise WebError(f"{_shown(request.url)}: more than {_MOST_REDIRECTS} redirects")

    def _once(self, client: httpx.Client, url: str, request: Request, deadline: float) -> Answer | str:
        try:
            headers = {"User-Agent": DEFAULT_AGENT, **request.headers}
            with client.stream("GET", url, headers=headers) as response:
                if response.status_code in _REDIRECTS and "location" in response.headers:
                    return str(response.headers["location"])
                if response.status_code not in (200, 304):
                    raise self._refusal(url, response)
                return Answer(
                    response.status_code,
                    _read(url, response, request.max_bytes, deadline),
                    response.headers.get("etag", ""),
                    response.headers.get("last-modified", ""),
                    response.headers.get("content-type", "").partition(";")[0].strip().lower(),
                    "content-length" in response.headers or "transfer-encoding" in response.headers,
                )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise WebError(f"{_shown(url)}: no whole answer ({error or type(error).__name__})") from error

    def _refusal(self, url: str, response: httpx.Response) -> WebError:
        retry_at = _retry_at(response.headers.get("retry-after", ""), self._clock())
        if response.status_code == 429 and retry_at is None:
            retry_at = self._clock() + timedelta(minutes=10)  # EDGAR blocks for ten minutes and sends no header
        later = f"; asked to wait until {retry_at.isoformat(timespec='seconds')}" if retry_at else ""
        return WebError(f"{_shown(url)}: status {response.status_code}{later}", retry_at)


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError as error:
        raise WebError(f"{_shown(url)}: redirects to an address that cannot be read ({error})") from error


def _check_place(url: str, request: Request) -> None:
    try:
        place, first = urlsplit(url), urlsplit(request.url)
    except ValueError as error:
        raise WebError(f"an address that cannot be read ({error})") from error
    if place.hostname not in request.hosts:
        raise WebError(f"{_shown(url)}: {place.hostname} is not among the feed's hosts; name it in allow_hosts")
    if place.scheme not in ("https", first.scheme) or place.scheme not in ("http", "https"):
        raise WebError(f"{_shown(url)}: leads from {first.scheme} to {place.scheme}")
    if "authorization" in {name.lower() for name in request.headers} and place.netloc != first.netloc:
        raise WebError(f"{_shown(url)}: the feed's token is not sent to another host")


def _read(url: str, response: httpx.Response, most: int, deadline: float) -> bytes:
    parts, size = [], 0
    # Decoded bytes are counted, so that a small compressed body cannot unpack without bound.
    for part in response.iter_bytes(65536):
        size += len(part)
        if size > most:
            raise WebError(
                f"{_shown(url)}: the body is over the limit of {most:,} bytes; raise max_bytes if it is right"
            )
        if time.monotonic() > deadline:
            raise WebError(f"{_shown(url)}: the body did not come within the time limit")
        parts.append(part)
    return b"".join(parts)


def _retry_at(header: str, now: datetime) -> datetime | None:
    text = header.strip()
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return now + min(timedelta(seconds=int(text[:9])), _LONGEST_WAIT)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return min(max(moment, now), now + _LONGEST_WAIT)


def _shown(url: str) -> str:
    """An address without its query, which may hold what should not stand in a log."""
    place = urlsplit(url)
    return f"{place.scheme}://{place.netloc.rpartition('@')[2]}{place.path}"
