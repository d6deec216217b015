"""Connections to Viska's Postgres: one pool, transactions, advisory locks and the storage address for Dagster."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from functools import cached_property
from urllib.parse import quote

import psycopg
from pgvector.psycopg import register_vector
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from viska_assets.store.server import EmbeddedServer
from viska_assets.store.settings import SettingError, Settings

Connection = psycopg.Connection[TupleRow]


class Lock(IntEnum):
    """The advisory locks of Viska, by what they serialise."""

    MIGRATION = 7_411_001
    BUNDLE_WRITER = 7_411_002
    INGEST = 7_411_003


class Database:
    """A pool of connections to one Postgres.

    Args:
        url: a ``postgresql://`` address of a Postgres 15 or later with pgvector 0.8 or later.
        patience: for how many seconds a connection is waited for.
    """

    def __init__(self, url: str, *, patience: float = 30) -> None:
        self.url = url
        self.patience = patience

    @cached_property
    def _pool(self) -> ConnectionPool[Connection]:
        return ConnectionPool(
            self.url,
            min_size=0,
            max_size=8,
            timeout=self.patience,
            kwargs={"options": "-c timezone=UTC"},
            configure=self.configure,
            check=ConnectionPool.check_connection,
            open=True,
        )

    def configure(self, connection: Connection) -> None:
        """Prepares a new connection of the pool."""
        register_vector(connection)
        connection.commit()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A connection in a transaction that commits on leaving and rolls back on an exception."""
        with self._pool.connection() as connection:
            yield connection

    @contextmanager
    def locked(self, lock: Lock) -> Iterator[None]:
        """Holds a session-level advisory lock, waiting for whoever has it; freed if the process dies."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("SELECT pg_advisory_lock(%s)", (int(lock),))
            yield

    def close(self) -> None:
        """Closes the pool; a later use opens a new one."""
        if "_pool" in self.__dict__:
            self._pool.close()
            del self.__dict__["_pool"]


def open_database(settings: Settings) -> Database:
    """The database of the settings: the external one if named, otherwise the home's embedded server, started."""
    url = settings.database_url
    if url and not url.startswith(("postgresql://", "postgres://")):
        raise SettingError(f"VISKA_DATABASE_URL must begin with postgresql://, not {url.split(':')[0]!r}")
    return Database(
        url.replace("postgres://", "postgresql://", 1) or EmbeddedServer(settings.home_path).ensure_running()
    )


def dagster_storage_url(url: str) -> str:
    """The same server for Dagster's own storage: schema ``dagster``, through the driver its storage is built for.

    ``psycopg2`` is named because SQLAlchemy 2.1 would otherwise choose psycopg 3, which refuses Dagster's NOTIFY.
    """
    scheme, rest = url.split("://", 1)
    if scheme.split("+")[0] not in ("postgresql", "postgres"):
        raise ValueError(f"VISKA_DATABASE_URL must begin with postgresql://, not {scheme}://")
    joiner = "&" if "?" in rest else "?"
    return f"postgresql+psycopg2://{rest}{joiner}options={quote('-c search_path=dagster')}"
