"""How a writer connects: by its name, to a pool of its own, as its own role; and how a refusal reads."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import psycopg
from psycopg_pool import PoolTimeout

from viska_assets.store.database import Connection, Database
from viska_assets.store.server import EmbeddedServer
from viska_assets.store.settings import Settings
from viska_assets.store.supervised.credentials import address_of
from viska_assets.store.supervised.errors import RolesError
from viska_assets.store.supervised.matrix import Writer

PAUSED = "VK001"
STRANGER = "VK002"
UNCHECKED = "VK003"
ONLY_ADDED = "VK004"
NOT_CLAIMED = "VK005"


class WriterDatabase(Database):
    """A writer's pool. Where no connection can be had, the server's own words say why: disabled, wrong password."""

    def __init__(self, url: str) -> None:
        super().__init__(url, patience=3)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A connection in a transaction, as ``Database.transaction``."""
        try:
            with super().transaction() as connection:
                yield connection
        except PoolTimeout:
            psycopg.connect(self.url).close()
            raise


def connect(writer: Writer | str, settings: Settings | None = None) -> Database:
    """A writer's pool; the same one for the same writer and settings in a process.

    A process of one writer needs that writer's address alone (``VISKA_NOUS_URL`` …). Where it is not set, the
    database's own address and the password kept in the home make it.

    Raises:
        RolesError: where the writer's password is not known.
    """
    settings = settings or Settings()
    return _pool(address_of(settings, _database_url(settings, Writer(writer)), Writer(writer)))


def is_paused(error: psycopg.Error) -> bool:
    """Whether a write was refused because its writer is paused."""
    return error.sqlstate == PAUSED


def is_disabled(error: Exception) -> bool:
    """Whether a connection was refused because the writer's role was disabled, or its session was ended."""
    said = str(error)
    return "not permitted to log in" in said or "terminating connection due to administrator command" in said


def close_all() -> None:
    """Closes every writer's pool of this process."""
    for pool in _opened:
        pool.close()
    _opened.clear()
    _pool.cache_clear()


_opened: list[Database] = []


@cache
def _pool(url: str) -> Database:
    _opened.append(WriterDatabase(url))
    return _opened[-1]


def _database_url(settings: Settings, writer: Writer) -> str:
    if settings.writers.url_of(writer):
        return ""
    if settings.database_url:
        return settings.database_url.replace("postgres://", "postgresql://", 1)
    return EmbeddedServer(settings.home_path).ensure_running()


__all__ = ["RolesError", "close_all", "connect", "is_disabled", "is_paused"]
