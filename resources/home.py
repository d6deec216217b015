"""Viska's home as a Dagster resource: opened on first use in a process and shared by its assets."""

from datetime import UTC, datetime
from functools import cache

import dagster as dg

from viska_assets.engines.catalogue import load_embedder
from viska_assets.engines.protocols import Embedder
from viska_assets.ingest.feeds.web import Pace, Web
from viska_assets.retrieval.embedding import searching_engine
from viska_assets.store.home import Home
from viska_assets.store.settings import Settings


@cache
def _home_of(settings: Settings) -> Home:
    return Home(settings)


@cache
def _embedder_of(name: str) -> Embedder:
    return load_embedder(name)


@cache
def _pace() -> Pace:
    return Pace()


class HomeResource(dg.ConfigurableResource):
    """All state of one Viska. ``home`` overrides ``VISKA_HOME``; everything else is read from the environment."""

    home: str = ""

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return Settings(home=self.home) if self.home else Settings()  # type: ignore[arg-type]

    def open(self) -> Home:
        """The home, one per process and settings."""
        return _home_of(self.settings)

    def load(self, engine: str) -> Embedder:
        """An embedder by the name of its engine, loaded once a process."""
        return _embedder_of(engine)

    def embedder(self) -> Embedder:
        """The embedder of the model that answers searches."""
        return self.load(searching_engine(self.open().database, self.settings.embedder))

    def web(self) -> Web:
        """The web for feeds; requests to one host are paced over all feeds of a process."""
        return Web(_pace(), lambda: datetime.now(tz=UTC))
