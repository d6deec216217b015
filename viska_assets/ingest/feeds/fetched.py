"""What fetching brings: items, the cursor for the next time, and remarks; and what it needs from outside."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import cached_property

from viska_assets.ingest.feeds.web import Web

# Dagster gives a sensor 60 seconds; a check that was cut off would deliver nothing, for ever.
CHECK_BUDGET = timedelta(seconds=25)


class FeedError(Exception):
    """A feed could not be checked; the message names the place and the mend. ``retry_at`` is the earliest next try."""

    def __init__(self, message: str, retry_at: datetime | None = None) -> None:
        super().__init__(message)
        self.retry_at = retry_at


@dataclass(frozen=True)
class Cursor:
    """A hint of where to go on. Losing it costs a longer check and nothing else: deliveries are the truth."""

    etag: str = ""
    modified: str = ""
    uid_validity: int = 0
    uid: int = 0
    not_before: str = ""

    def to_text(self) -> str:
        """The cursor as a sensor keeps it."""
        return json.dumps({name: value for name, value in asdict(self).items() if value}, sort_keys=True)


def read_cursor(text: str | None) -> Cursor:
    """The cursor of a text; one that cannot be read means to start over."""
    try:
        found = json.loads(text or "{}")
    except json.JSONDecodeError:
        return Cursor()
    defaults = asdict(Cursor())
    if not isinstance(found, dict) or any(type(defaults.get(name)) is not type(value) for name, value in found.items()):
        return Cursor()
    return Cursor(**found) if _is_instant(found.get("not_before", "")) else Cursor()


def _is_instant(text: str) -> bool:
    try:
        return not text or datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


@dataclass(frozen=True)
class Known:
    """What a feed has delivered, each as its path and fingerprint."""

    deliveries: frozenset[tuple[str, str]] = frozenset()

    def has(self, path: str, fingerprint: str) -> bool:
        """Whether this content was delivered from this place."""
        return (path, fingerprint) in self.deliveries

    @cached_property
    def _contents(self) -> frozenset[str]:
        return frozenset(fingerprint for _, fingerprint in self.deliveries)

    def has_content(self, fingerprint: str) -> bool:
        """Whether this content was delivered from any place of the feed."""
        return fingerprint in self._contents


@dataclass(frozen=True)
class Client:
    """What fetching needs from outside: the web, the clock, the secrets, and what was delivered before."""

    web: Web
    clock: Callable[[], datetime]
    secret: Callable[[str], str]
    known: Known = Known()

    def out_of_time(self, started: datetime) -> bool:
        """Whether a check that began then should begin nothing more; the rest comes with the next check."""
        return self.clock() - started > CHECK_BUDGET


@dataclass(frozen=True)
class Item:
    """One document of a feed: its place within the feed, a file name, its bytes, and what it is known again by."""

    path: str
    name: str
    data: bytes
    fingerprint: str


@dataclass(frozen=True)
class Remark:
    """Something that an operator should see: the kind of an incident, its place in the feed and the words."""

    kind: str
    path: str
    detail: str


@dataclass(frozen=True)
class Fetched:
    """The outcome of one check. ``unchanged`` says that the far side reported nothing new.

    ``failure`` says why a check ended early; what came before that counts.
    """

    items: tuple[Item, ...]
    cursor: Cursor
    remarks: tuple[Remark, ...] = ()
    unchanged: bool = False
    failure: str = ""
