"""Viska's settings: where state lives and which engines are in use, from ``VISKA_*`` environment variables."""

import os
import time
from datetime import UTC, datetime
from pathlib import Path

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from viska_assets.store.llm_settings import LlmSettings
from viska_assets.store.outside_settings import OutsideSettings
from viska_assets.store.writer_settings import WriterSettings


class SettingError(ValueError):
    """A setting names something that does not exist; the message names the variable and the mend."""


class Settings(BaseSettings):
    """Everything an operator can set. Each field ``name`` is read from ``VISKA_NAME``.

    ``home`` holds all state unless a more specific setting moves a part of it elsewhere. ``now`` pins the clock
    (an ISO 8601 instant), so that the same inputs give the same bytes. ``graphify`` lets graphify's server put
    answers of the graph into words where it is installed.
    """

    model_config = SettingsConfigDict(env_prefix="VISKA_", frozen=True)

    home: Path = Path(".viska")
    database_url: str = ""
    role_prefix: str = Field(default="", pattern=r"^(?:[a-z][a-z0-9_]{0,40})?$")
    writers: WriterSettings = Field(default_factory=WriterSettings)
    outside: OutsideSettings = Field(default_factory=OutsideSettings)
    raw_url: str = ""
    bundle: Path | None = None
    drop: str = ""
    embedder: str = "minilm-int8"
    reranker: str = "none"
    drafter: str = "extractive"
    answerer: str = "extractive"
    judge: str = "none"
    llm: LlmSettings = Field(default_factory=LlmSettings)
    ocr: str = ""
    ocr_key: str = ""
    workers: int = Field(default_factory=lambda: min(4, os.cpu_count() or 1), ge=1)
    policy: Path | None = None
    feeds: Path | None = None
    vaults: Path | None = None
    graphify: bool = True
    prices: Path | None = None
    eval_sets: Path | None = None
    now: datetime | None = None
    max_document_bytes: int = Field(default=128 * 1024 * 1024, gt=0)
    stable_seconds: float = Field(default=2.0, ge=0)

    @field_validator("home", mode="before")
    @classmethod
    def _home_is_never_empty(cls, value: object) -> object:
        return value or ".viska"

    @field_validator("drafter")
    @classmethod
    def _drafter_is_known(cls, value: str) -> str:
        if value not in ("extractive", "llm"):
            raise ValueError("VISKA_DRAFTER is extractive or llm")
        return value

    @field_validator("answerer")
    @classmethod
    def _answerer_is_known(cls, value: str) -> str:
        if value not in ("extractive", "llm"):
            raise ValueError("VISKA_ANSWERER is extractive or llm")
        return value

    @field_validator("judge")
    @classmethod
    def _judge_is_known(cls, value: str) -> str:
        if value not in ("none", "llm"):
            raise ValueError("VISKA_JUDGE is none or llm")
        return value

    @field_validator("ocr")
    @classmethod
    def _ocr_is_known(cls, value: str) -> str:
        if value and value.partition(":")[0] not in ("tesseract", "http", "https"):
            raise ValueError("name tesseract, tesseract:LANGUAGES or the address of a parse vendor")
        return value

    @property
    def home_path(self) -> Path:
        """The home as an absolute path."""
        return self.home.expanduser().resolve()

    @property
    def bundle_path(self) -> Path:
        """The working tree of the live bundle's git repository."""
        return (self.bundle or self.home_path / "bundle").expanduser().resolve()

    @property
    def drop_path(self) -> Path:
        """The local drop folder that the ``new_documents`` sensor watches."""
        local = Path(self.drop.removeprefix("file://")) if self.drop and not self.drop_url else self.home_path / "drop"
        return local.expanduser().resolve()

    @property
    def drop_url(self) -> str:
        """The drop folder's address where it is no local folder (``s3://``, ``memory://`` …), otherwise empty."""
        return self.drop if "://" in self.drop and not self.drop.startswith("file://") else ""

    @property
    def dns_path(self) -> Path:
        """Where the recorded DNS answers for mail stand."""
        return self.home_path / "dns.json"

    @property
    def feeds_path(self) -> Path:
        """Where the feeds are described."""
        return (self.feeds or self.home_path / "feeds.yaml").expanduser().resolve()

    def graph_path(self, namespace: str = "default") -> Path:
        """Where the graph of a namespace's pages stands, in graphify's form."""
        return self.home_path / "graph" / f"{namespace}.json"

    @property
    def vaults_path(self) -> Path:
        """The folder of the vaults: each folder in it is a namespace of markdown notes."""
        return (self.vaults or self.home_path / "vaults").expanduser().resolve()

    @property
    def prices_path(self) -> Path:
        """The folder of frozen prices for backtests: a CSV file an asset, with the columns Date and Adj Close."""
        return (self.prices or self.home_path / "prices").expanduser().resolve()

    @property
    def eval_sets_path(self) -> Path:
        """The folder of the desk's own labelled questions: a JSON-lines file a set."""
        return (self.eval_sets or self.home_path / "eval_sets").expanduser().resolve()

    @property
    def spool_path(self) -> Path:
        """Where writes wait while the database is away: a folder for each writer."""
        return self.home_path / "spool"

    @property
    def raw_blob_url(self) -> str:
        """The fsspec URL under which raw documents are stored by content hash."""
        return self.raw_url or self.home_path.joinpath("raw").as_uri()

    def policy_text(self) -> str:
        """The text of the policy file, or an empty string where none is set.

        Raises:
            FileNotFoundError: where ``VISKA_POLICY`` names a file that does not exist.
        """
        return self.policy.read_text(encoding="utf-8") if self.policy else ""

    def clock(self) -> datetime:
        """The present instant, or the pinned one."""
        return self.now or datetime.now(tz=UTC)

    def wall_clock(self) -> float:
        """Seconds since the epoch, never pinned: for the age of files."""
        return time.time()
