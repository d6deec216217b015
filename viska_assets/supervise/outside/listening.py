"""The feed's heartbeat: a look at each hint from the database, and at the latest after the poll's interval.

Hints are only hints: none is queued for a listener that was away, and any role may send a false one. What is due is
always read from the tables.
"""

import logging
import threading
from collections.abc import Callable

import psycopg

CHANNEL = "viska_new"
# Many hints at once make one look.
GATHER_SECONDS = 0.1
log = logging.getLogger(__name__)


def keep_looking(
    url: Callable[[], str], look: Callable[[], None], *, poll_seconds: float, stop: threading.Event
) -> None:
    """Looks until it is stopped; where the database is away or mastra paused, again after the poll's interval.

    Args:
        url: gives mastra's address.
        look: makes and delivers what is due.
        poll_seconds: the longest time between two looks.
        stop: ends the looking.
    """
    while not stop.is_set():
        try:
            with psycopg.connect(url(), autocommit=True) as connection:
                connection.execute(f"LISTEN {CHANNEL}")
                while not stop.is_set():
                    # After LISTEN, before waiting: what came while nobody listened is seen now.
                    look()
                    _wait_for_hint(connection, poll_seconds, stop)
        except (psycopg.Error, RuntimeError) as error:
            log.error("the feed rests for %s s: %s", poll_seconds, error)
            stop.wait(poll_seconds)


def _wait_for_hint(connection: psycopg.Connection, seconds: float, stop: threading.Event) -> None:
    waited = 0.0
    while waited < seconds and not stop.is_set():
        step = min(1.0, seconds - waited)
        if list(connection.notifies(timeout=step, stop_after=1)):
            list(connection.notifies(timeout=GATHER_SECONDS))
            return
        waited += step
