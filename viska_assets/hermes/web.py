"""The web through a SearXNG server's JSON: off unless an address is configured, and never scraped."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode, urlsplit

from viska_assets.store.policy import ResearchSection

LARGEST = 2_000_000


class WebError(RuntimeError):
    """The search server did not answer, or not in its form; the message names the mend."""


@dataclass(frozen=True, slots=True)
class WebPage:
    """A result: where, what the server says it is, its snippet, and when it was published, where that is told."""

    url: str
    title: str
    snippet: str
    published: datetime | None

    @property
    def domain(self) -> str:
        """The host, without a leading ``www.``."""
        return (urlsplit(self.url).hostname or "").removeprefix("www.")


def search_web(address: str, question: str, limit: int, seconds: float) -> list[WebPage]:
    """The first results of ``GET {address}/search?format=json`` (docs.searxng.org, Search API).

    Args:
        address: of the server, without the path.
        question: what is searched for.
        limit: how many results at most.
        seconds: how long each step of the connection may take.

    Raises:
        WebError: where the server is out, answers with another status than 200, or with what is no such JSON.
    """
    # Imported here, so that nothing that opens sockets is loaded while the web is off.
    from http.client import HTTPConnection, HTTPException, HTTPSConnection

    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise WebError(f"{address!r} is no address of a search server: it begins with http:// or https://")
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=seconds)
    query = urlencode({"q": question[:500], "format": "json"})
    try:
        connection.request("GET", f"{parts.path.rstrip('/')}/search?{query}", headers={"Accept": "application/json"})
        answer = connection.getresponse()
        data = answer.read(LARGEST + 1)
    except (OSError, HTTPException) as error:
        raise WebError(f"the search server did not answer ({error}): see `research.searxng` in the policy") from error
    finally:
        connection.close()
    if answer.status != 200 or len(data) > LARGEST:
        raise WebError(f"the search server answered {answer.status} with {len(data)} bytes: is its JSON form enabled?")
    try:
        results = json.loads(data)["results"]
        return [_page(found) for found in results if str(found["url"]).startswith(("http://", "https://"))][:limit]
    except (ValueError, KeyError, TypeError) as error:
        raise WebError(f"the search server's answer is not SearXNG's JSON ({error!r})") from error


def _page(found: dict[str, object]) -> WebPage:
    return WebPage(
        str(found["url"]),
        str(found.get("title") or ""),
        str(found.get("content") or "")[:2_000],
        _day(str(found.get("publishedDate") or "")),
    )


def _day(text: str) -> datetime | None:
    try:
        day = datetime.fromisoformat(text)
    except ValueError:
        return None
    return day if day.tzinfo else day.replace(tzinfo=UTC)


def authority_of(url: str, research: ResearchSection) -> tuple[float, str]:
    """How much a page counts, and the signal on which that rests: a primary domain, or none."""
    host = (urlsplit(url).hostname or "").lower()
    for domain in research.primary_domains:
        if host == domain or host.endswith(f".{domain}"):
            return research.primary_authority, f"primary source ({domain})"
    if host.endswith((".gov", ".edu")):
        return research.primary_authority, "official or academic domain"
    return research.web_authority, "no sign of a primary source"
