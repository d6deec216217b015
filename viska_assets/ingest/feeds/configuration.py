"""The desk's feeds: ``feeds.yaml`` in the home, checked as a whole. Secrets are named here, never written here."""

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

import yaml
from pydantic import Field, StringConstraints, ValidationError, model_validator

from viska_assets.store.policy import Section
from viska_assets.store.settings import SettingError, Settings

FeedName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]*$")]
_RESERVED = ("drop", "cli", "calculation")
_CONTACT = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


class FeedKind(StrEnum):
    """What stands at a feed's address."""

    SYNDICATION = "rss"
    MAILBOX = "imap"
    MARKET_DATA = "csv"
    FOLDER = "folder"


SCHEMES = {
    FeedKind.SYNDICATION: ("https", "http"),
    FeedKind.MARKET_DATA: ("https", "http"),
    FeedKind.MAILBOX: ("imaps",),
}


class Feed(Section):
    """One feed. ``password_env`` and ``token_env`` name the environment variables that hold its secrets.

    ``linked`` delivers the page that an entry links to instead of the entry. ``allow_hosts`` are hosts beside the
    address's own to which links and redirects may lead. A feed that is ``paused`` is not checked and says so.
    """

    name: FeedName
    kind: FeedKind
    url: str
    interval_seconds: int = Field(default=300, ge=30)
    paused: bool = False
    pause_reason: str = ""
    user_agent: str = ""
    requests_per_second: float = Field(default=2.0, ge=0.1, le=10)
    timeout_seconds: float = Field(default=20.0, gt=0, le=30)
    max_bytes: int = Field(default=32 << 20, gt=0)
    max_items: int = Field(default=50, ge=1, le=1000)
    linked: bool = False
    allow_hosts: tuple[str, ...] = ()
    username: str = ""
    password_env: VariableName | None = None
    token_env: VariableName | None = None
    ca_file: Path | None = None

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        address = urlsplit(self.url)
        if address.username or address.password:
            raise ValueError("the address holds a name or password; use username and password_env or token_env")
        schemes = SCHEMES.get(self.kind)
        if schemes and address.scheme not in schemes:
            raise ValueError(f"a feed of kind {self.kind.value} needs an address that begins with {schemes[0]}://")
        if schemes and not address.hostname:
            raise ValueError("the address names no host")
        if self.kind is FeedKind.MAILBOX and not (self.username and self.password_env):
            raise ValueError("a mailbox needs username and password_env")
        if _is_edgar(address.hostname or "") and not _CONTACT.search(self.user_agent):
            raise ValueError("EDGAR's fair access asks for a user_agent with a name and an e-mail address")
        return self

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts that requests of this feed may go to."""
        return frozenset({urlsplit(self.url).hostname or "", *(host.lower() for host in self.allow_hosts)})


class Feeds(Section):
    """All feeds of a desk."""

    feeds: tuple[Feed, ...] = ()

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        names = [feed.name for feed in self.feeds]
        reserved = sorted(set(names) & set(_RESERVED))
        if reserved:
            raise ValueError(f"the name {reserved[0]!r} is Viska's own; choose another")
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two feeds are called {', '.join(twice)}")
        return self


def load_feeds(settings: Settings) -> tuple[Feed, ...]:
    """The feeds of ``feeds.yaml`` in the home, or of the file that ``VISKA_FEEDS`` names; none without a file.

    Raises:
        SettingError: naming the file, the place and the mend.
    """
    path = settings.feeds_path
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        if settings.feeds is None:
            return ()
        raise SettingError(f"VISKA_FEEDS: there is no file {path}") from error
    return parse_feeds(text, path)


def parse_feeds(text: str, path: Path) -> tuple[Feed, ...]:
    """The feeds of a policy text (see ``load_feeds``)."""
    try:
        return Feeds.model_validate(yaml.safe_load(text) or {}).feeds
    except yaml.YAMLError as error:
        raise SettingError(f"{path}: no YAML: {error}") from error
    except ValidationError as error:
        # The input is left out: a password written where a name belongs must not reach a log.
        places = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'feeds'}: {e['msg']}" for e in error.errors())
        raise SettingError(f"{path}: {places}") from error


def _is_edgar(host: str) -> bool:
    return host == "sec.gov" or host.endswith(".sec.gov")
