"""The soft stop: a writer's flag is lowered and raised again, each with a reason and on somebody's word."""

import psycopg

from viska_assets.store.database import Database
from viska_assets.store.settings import Settings
from viska_assets.store.supervised.credentials import address_of
from viska_assets.store.supervised.errors import RolesError
from viska_assets.store.supervised.flags import flag_of, set_flag
from viska_assets.store.supervised.matrix import Writer


def pause(settings: Settings, database: Database, writer: Writer, *, reason: str, requested_by: str) -> int:
    """Pauses a writer: nothing it has not committed yet will be, from now on. Returns the number of the log's row."""
    return _set(settings, database, writer, False, reason, requested_by)


def resume(settings: Settings, database: Database, writer: Writer, *, reason: str, requested_by: str) -> int:
    """Lets a paused writer write again. Returns the number of the log's row."""
    return _set(settings, database, writer, True, reason, requested_by)


def _set(settings: Settings, database: Database, writer: Writer, value: bool, reason: str, who: str) -> int:
    """As governance; as the owner where governance cannot log in, since a pause must not wait for a credential."""
    flag = flag_of(writer)
    try:
        with psycopg.connect(address_of(settings, database.url, Writer.GOVERNANCE)) as connection:
            return set_flag(connection, flag, value, reason=reason, requested_by=who)
    except (RolesError, psycopg.OperationalError):
        with database.transaction() as connection:
            return set_flag(connection, flag, value, reason=reason, requested_by=who)
