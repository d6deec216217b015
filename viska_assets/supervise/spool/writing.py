"""A write that goes to the database, tried again after growing waits, and to the spool where that does not help."""

import logging
import time
from collections.abc import Callable
from enum import StrEnum

import psycopg

from viska_assets.store.database import Database
from viska_assets.store.policy_governance import SpoolSection
from viska_assets.store.server import ServerError
from viska_assets.store.supervised.spooled_rows import Write, add_row
from viska_assets.supervise.spool.files import Spool

log = logging.getLogger(__name__)


class Became(StrEnum):
    """What became of a write."""

    WRITTEN = "written"
    STOOD = "stood already"
    SPOOLED = "spooled"


def is_away(error: Exception) -> bool:
    """Whether an error means that the database may take the same write later.

    A login that is refused is none of these: a writer who was stopped must not come back through the spool.
    """
    if isinstance(error, ServerError):
        return True
    if not isinstance(error, psycopg.OperationalError):
        return False
    said = str(error)
    return "not permitted to log in" not in said and "authentication failed" not in said


def write_or_spool(
    open_database: Callable[[], Database],
    spool: Spool,
    write: Write,
    policy: SpoolSection,
    *,
    alert: Callable[[], None] = lambda: None,
    sleep: Callable[[float], None] = time.sleep,
) -> Became:
    """Writes a row, or keeps it for later.

    Args:
        open_database: gives the writer's database.
        spool: where it is kept while the database is away.
        write: the row.
        policy: how often it is tried, and how long is waited.
        alert: tells the operator by another way than the database; called where the spool was empty before.
        sleep: waits for so many seconds.

    Raises:
        psycopg.Error: where the database refuses the row; it is not kept then.
        SpoolError: where it could not be kept either.
    """
    for attempt in range(policy.attempts):
        try:
            with open_database().transaction() as connection:
                return Became.WRITTEN if add_row(connection, write) else Became.STOOD
        except (psycopg.Error, ServerError) as error:
            if not is_away(error):
                raise
            log.warning("%s: try %d of %d: %s", write.table, attempt + 1, policy.attempts, str(error).strip())
        if attempt + 1 < policy.attempts:
            sleep(policy.first_wait_seconds * 2**attempt)
    was_empty = not spool.waiting()
    spool.put(write)
    if was_empty:
        alert()
    return Became.SPOOLED
