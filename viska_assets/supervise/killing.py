"""The hard stop: a writer's role is disabled, that is committed, and its sessions are ended until none is left.

Both in one transaction would leave a gap: a login between them is checked against the state before, and would live on.
"""

import time
from dataclasses import dataclass

import psycopg

from viska_assets.store.database import Database
from viska_assets.store.settings import Settings
from viska_assets.store.supervised.credentials import address_of
from viska_assets.store.supervised.matrix import Writer

BOUND_SECONDS = 10.0
PAUSE_SECONDS = 0.005
# A backend that passed its login just before shows itself a moment later; so long nothing may be seen.
SETTLING_SECONDS = 0.1


class KillError(RuntimeError):
    """A writer's sessions did not all end within the bound; its role is disabled all the same."""


@dataclass(frozen=True)
class Killed:
    """How many sessions were ended and in how many milliseconds, from the first statement to none being left."""

    writer: Writer
    sessions: int
    milliseconds: int


def kill(
    settings: Settings,
    database: Database,
    writer: Writer,
    *,
    reason: str,
    requested_by: str,
    bound_seconds: float = BOUND_SECONDS,
) -> Killed:
    """Disables a writer and ends its sessions; what they had not committed is gone as a whole.

    Raises:
        KillError: where sessions are left when the bound is reached.
        RolesError: where hades' password is not known.
    """
    url = address_of(settings, database.url, Writer.HADES)
    with psycopg.connect(url, autocommit=True) as connection:
        started = time.monotonic()
        connection.execute("SELECT governance.disable_writer(%s, %s, %s)", (writer.value, reason, requested_by))
        seen: set[int] = set()
        last = empty = 0.0
        while True:
            left = _end(connection, writer)
            seen |= left
            elapsed = time.monotonic() - started
            if left:
                last, empty = elapsed, 0.0
            elif not empty:
                last, empty = elapsed, elapsed
            elif elapsed - empty > SETTLING_SECONDS:
                break
            if left and elapsed > bound_seconds:
                raise KillError(f"{len(left)} sessions of {writer.value} still stand after {elapsed:.1f} s")
            time.sleep(PAUSE_SECONDS)
        killed = Killed(writer, len(seen), round(last * 1000))
        connection.execute("SELECT audit.write_kill(%s, %s, %s)", (writer.value, killed.sessions, killed.milliseconds))
    return killed


def revive(settings: Settings, database: Database, writer: Writer, *, reason: str, requested_by: str) -> None:
    """Lets a disabled writer log in again."""
    with psycopg.connect(address_of(settings, database.url, Writer.HADES), autocommit=True) as connection:
        connection.execute("SELECT governance.enable_writer(%s, %s, %s)", (writer.value, reason, requested_by))


def _end(connection: psycopg.Connection, writer: Writer) -> set[int]:
    return {row[0] for row in connection.execute("SELECT governance.end_sessions(%s)", (writer.value,))}
