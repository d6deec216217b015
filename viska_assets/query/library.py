"""A home opened for reading: engines loaded once and on demand, a reader with a connection of its own per question."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

from viska_assets.engines.protocols import Embedder, EngineError, Reranker
from viska_assets.query.access import Caller, Wanted, admitted
from viska_assets.query.weights import Ranking
from viska_assets.store.database import Connection
from viska_assets.store.embeddings import active_model
from viska_assets.store.home import Home
from viska_assets.store.namespaces import Notice, add_notices
from viska_assets.store.parity_gate import Gate, synthesis_is_open
from viska_assets.store.policy import Policy
from viska_assets.store.settings import Settings

if TYPE_CHECKING:
    from viska_assets.query.answerer import Answerer

# The desk's documents and the six public vaults; private vaults are seen by none who does not name them.
DEFAULT_NAMESPACES = ("default", "strategic", "technical", "creative", "operational", "wisdom", "horizon")
ANYBODY, ALL_PUBLIC = Caller(), Wanted()


@dataclass(frozen=True)
class Reader:
    """What one question may use: a connection, the engines, the clock, and the namespaces that its asker may see.

    ``embedder`` and ``gate`` are asked for only where they are needed; ``embedder`` returns None where no model can be
    loaded, which makes the dense leg degraded. ``private`` are those of the namespaces that a logged scope has opened;
    whoever takes something out of them names it in ``shown``. ``notify`` adds notices in a transaction of its own.
    """

    connection: Connection
    embedder: Callable[[], Embedder | None]
    gate: Callable[[], Gate]
    now: datetime
    namespaces: tuple[str, ...] = DEFAULT_NAMESPACES
    reranker: Reranker | None = None
    ranking: Ranking = field(default_factory=Ranking)
    answerer: "Answerer | None" = None
    blobs_url: str = ""
    engine: Callable[[], str] = lambda: ""
    private: tuple[str, ...] = ()
    shown: list[str] = field(default_factory=list)
    policy: Policy = field(default_factory=Policy)
    notify: Callable[[Sequence[Notice]], None] = lambda notices: None

    @property
    def announcement(self) -> str:
        """What a result says of private namespaces, where some were opened for it."""
        return (
            f"private namespaces were opened for this, and that is logged: {', '.join(self.private)}"
            if self.private
            else ""
        )

    def show(self, namespace: str, identity: str) -> None:
        """Notes what leaves a private namespace, for the log without which it does not leave."""
        if namespace in self.private:
            self.shown.append(identity)


class Library:
    """A home for those who ask. It is shared by threads; each question gets a connection from the pool.

    Args:
        home: the home that is read.
        answerer: who writes answers; the one that the settings name where not given.
    """

    def __init__(self, home: Home, *, answerer: "Answerer | None" = None) -> None:
        self.home = home
        self._answerer = answerer
        self._embedders: dict[str, Embedder] = {}
        self._loading = Lock()

    @contextmanager
    def reader(self, caller: Caller = ANYBODY, wanted: Wanted = ALL_PUBLIC) -> Iterator[Reader]:
        """A reader for one question: its transaction is read only, and the database hides what it may not see.

        Args:
            caller: who asks, and what it was granted.
            wanted: what it asks to see; every public namespace where nothing is named.

        Raises:
            QueryError: see ``access.admitted``. It may be raised on leaving; what was found must not be used then.
        """
        with admitted(self.home.reading, caller, wanted) as seen:
            connection = seen.connection
            yield Reader(
                connection=connection,
                embedder=lambda: self._embedder(connection),
                gate=lambda: synthesis_is_open(connection, self.engine),
                now=self.settings.clock(),
                namespaces=seen.namespaces,
                reranker=self._reranker,
                ranking=Ranking(**self.home.policy.ranking.model_dump()),
                answerer=self._answerer or self._settings_answerer,
                blobs_url=self.settings.raw_blob_url,
                engine=lambda: self.engine,
                private=seen.private,
                shown=seen.shown,
                policy=self.home.policy,
                notify=lambda notices: add_notices(self.home.reading, notices),
            )

    @property
    def settings(self) -> Settings:
        """The settings of the home."""
        return self.home.settings

    @cached_property
    def _settings_answerer(self) -> "Answerer | None":
        from viska_assets.query.choosing import answerer_of

        return answerer_of(self.settings)

    @property
    def engine(self) -> str:
        """The engine version on which a parity verdict must rest, of the files as they are now."""
        from viska_assets.maintain.engine_version import answering_engine_of

        return answering_engine_of(self.settings)

    @cached_property
    def _reranker(self) -> Reranker | None:
        if self.settings.reranker == "none":
            return None
        from viska_assets.engines.catalogue import load_reranker

        return load_reranker(self.settings.reranker)

    def _embedder(self, connection: Connection) -> Embedder | None:
        """The embedder whose vectors answer searches; None where it cannot be loaded.

        Raises:
            EngineError: where nothing was embedded yet and the settings name an engine that cannot be had.
        """
        active = active_model(connection)
        name = active.engine if active and active.engine else self.settings.embedder
        with self._loading:
            if name not in self._embedders:
                from viska_assets.engines.catalogue import load_embedder

                try:
                    self._embedders[name] = load_embedder(name)
                except EngineError:
                    if active is None:
                        raise
                    return None
            return self._embedders[name]
