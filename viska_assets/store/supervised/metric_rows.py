"""Measured values as they stand in ``governance.metric``: the latest of a name, and a series for a picture."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from viska_assets.store.database import Connection
from viska_assets.store.supervised.incidents import add_metric


@dataclass(frozen=True)
class Measured:
    """A value with its labels and when it was measured."""

    name: str
    value: float
    labels: Mapping[str, Any]
    at: datetime


def latest(connection: Connection, name: str, written_by: str = "") -> Measured | None:
    """The newest value of a name, of one writer where it is named: the review measures the queue's depth as well."""
    row = connection.execute(
        """
        SELECT name, value, labels, recorded_at FROM governance.metric
        WHERE name = %(name)s AND %(writer)s IN ('', written_by) ORDER BY recorded_at DESC LIMIT 1
        """,
        {"name": name, "writer": written_by},
    ).fetchone()
    return Measured(*row) if row else None


def names(connection: Connection) -> list[str]:
    """Every name that was measured."""
    return [row[0] for row in connection.execute("SELECT DISTINCT name FROM governance.metric ORDER BY 1")]


def series(connection: Connection, name: str, most: int = 1000) -> list[Measured]:
    """The newest values of a name, oldest first."""
    rows = connection.execute(
        """
        SELECT name, value, labels, recorded_at FROM governance.metric WHERE name = %s
        ORDER BY recorded_at DESC LIMIT %s
        """,
        (name, most),
    ).fetchall()
    return [Measured(*row) for row in reversed(rows)]


def keep_metrics(
    connection: Connection, found: Iterable[Measured], *, always: frozenset[str], at_least: timedelta
) -> int:
    """Adds values once, and returns how many: those named always, others where they changed or are old.

    Every row of the loop is audited, so that a value that stands still is not written each minute.

    Args:
        connection: as governance or plutus.
        found: the values; ``at`` is part of their key.
        always: names that are added each time.
        at_least: how old the last value of a name may be that is not added again.
    """
    added = 0
    for measured in found:
        last = latest(connection, measured.name)
        same = last is not None and last.value == measured.value and last.labels == measured.labels
        if measured.name not in always and last is not None and same and measured.at - last.at < at_least:
            continue
        key = f"metric:{measured.name}:{measured.at.isoformat()}"
        add_metric(connection, measured.name, measured.value, measured.labels, key=key)
        added += 1
    return added
