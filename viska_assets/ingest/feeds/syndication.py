"""RSS and Atom: the entries of a feed, or the pages that they link to, as documents."""

import calendar
import hashlib
import html
import io
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urljoin, urlsplit

import feedparser

from viska_assets.ingest.feeds.conditional import get, get_if_changed
from viska_assets.ingest.feeds.configuration import Feed
from viska_assets.ingest.feeds.fetched import Client, Cursor, FeedError, Fetched, Item, Remark
from viska_assets.store.blobs import content_hash

_SKEW = timedelta(hours=1)
_EXTENSIONS = {"application/pdf": "pdf", "text/plain": "txt", "text/csv": "csv", "text/html": "html"}


@dataclass(frozen=True)
class Entry:
    """One entry as published; ``place`` is its id, its link, or a hash of its words."""

    place: str
    title: str
    link: str
    body: str
    published: datetime | None
    updated: str

    @property
    def fingerprint(self) -> str:
        """A hash of what the entry says, its id left out: some publishers mint new ids for old entries."""
        said = "\x1f".join((self.title, self.link, self.body, self.updated))
        return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()


def fetch_syndication(feed: Feed, cursor: Cursor, client: Client) -> Fetched:
    """The entries that were not delivered yet, oldest first, within the feed's limits.

    What is new is decided by what was delivered and never by an entry's date, which the publisher may get wrong. The
    marks for the next conditional request are kept only when nothing is left over.

    Raises:
        FeedError: where no whole feed came.
    """
    answer = get_if_changed(feed, cursor, client)
    if answer.status == 304:
        return Fetched((), cursor, unchanged=True)
    entries = parse_entries(answer.body, feed)
    fresh: dict[str, Entry] = {}
    for entry in reversed(entries):
        if not client.known.has_content(entry.fingerprint):
            fresh.setdefault(entry.fingerprint, entry)
    waiting = list(fresh.values())
    items: list[Item] = []
    remarks: list[Remark] = []
    failure = ""
    retry_at: datetime | None = None
    started = client.clock()
    left_over = len(waiting) > feed.max_items
    for entry in waiting[: feed.max_items]:
        if client.out_of_time(started):
            left_over = True
            break
        if entry.published and entry.published > client.clock() + _SKEW:
            remarks.append(
                Remark("feed_clock_skew", entry.place, f"dated {entry.published.isoformat()}, in the future")
            )
            entry = replace(entry, published=None)
        try:
            items.append(_linked(feed, entry, client) if feed.linked else _written(entry))
        except FeedError as error:
            failure, retry_at = str(error), error.retry_at
            remarks.append(Remark("feed_entry_failed", entry.place, str(error)))
            if retry_at is not None:
                break
    whole = not failure and not left_over
    following = Cursor(answer.etag, answer.modified) if whole else Cursor()
    if retry_at is not None:
        following = replace(following, not_before=retry_at.isoformat())
    return Fetched(tuple(items), following, tuple(remarks), unchanged=not waiting, failure=failure)


def parse_entries(body: bytes, feed: Feed) -> list[Entry]:
    """The entries of a feed's document, in its order.

    Raises:
        FeedError: for a page instead of a feed, and for a feed that was cut off or is not well-formed.
    """
    parsed = feedparser.parse(io.BytesIO(body), sanitize_html=True, resolve_relative_uris=False)
    if not parsed.get("version"):
        raise FeedError(f"{feed.name}: what came is no RSS or Atom; check the address")
    wrong = parsed.get("bozo_exception")
    if parsed.bozo and not isinstance(wrong, feedparser.CharacterEncodingOverride | feedparser.NonXMLContentType):
        raise FeedError(f"{feed.name}: the feed is cut off or not well-formed ({wrong})")
    return [_entry(found, feed.url) for found in parsed.entries]


def _entry(found: feedparser.FeedParserDict, base: str) -> Entry:
    title, link = str(found.get("title", "")), str(found.get("link", ""))
    contents = [str(part.get("value", "")) for part in found.get("content", [])]
    body = "\n".join(contents) or str(found.get("summary", ""))
    # Asked by name: feedparser lets a missing ``updated`` read as ``published``, and warns.
    changed = "updated" if "updated" in found else "published"
    moment = found.get("published_parsed") or found.get(f"{changed}_parsed")
    published = datetime.fromtimestamp(calendar.timegm(moment), tz=UTC) if moment else None
    words = hashlib.sha256(f"{title}\x1f{body}".encode("utf-8", "replace")).hexdigest()
    updated = str(found.get(changed, ""))
    return Entry(str(found.get("id", "")) or link or words, title, _absolute(base, link), body, published, updated)


def _absolute(base: str, link: str) -> str:
    try:
        return urlsplit(urljoin(base, link)).geturl() if link else ""
    except ValueError:
        return ""  # no address; the entry's own words are still worth having


def _written(entry: Entry) -> Item:
    """An entry as a small HTML page; its words are escaped or were sanitized, and its id is left out."""
    said = f"<p>Published: {entry.published.isoformat()}</p>" if entry.published else ""
    source = f"<p>Source: {html.escape(entry.link)}</p>" if urlsplit(entry.link).scheme in ("http", "https") else ""
    page = (
        f'<!doctype html><html><head><meta charset="utf-8"><title>{html.escape(entry.title)}</title></head>'
        f"<body><h1>{html.escape(entry.title)}</h1>{said}{source}<div>{entry.body}</div></body></html>"
    )
    data = page.encode("utf-8", "replace")
    return Item(entry.place, f"{content_hash(data)[:16]}.html", data, entry.fingerprint)


def _linked(feed: Feed, entry: Entry, client: Client) -> Item:
    if not entry.link:
        raise FeedError(f"{feed.name}: the entry {entry.place!r} links to nothing; set linked: false")
    answer = get(feed, entry.link, client, {})
    if not answer.body:
        raise FeedError(f"{feed.name}: the page {entry.place!r} is empty")
    name = urlsplit(entry.link).path.rsplit("/", 1)[-1]
    extension = _EXTENSIONS.get(answer.media_type, "html")
    return Item(entry.place, name if "." in name else f"{name or 'page'}.{extension}", answer.body, entry.fingerprint)
