"""What a day's digest is made of, and the reports as they stand; read and written as plutus."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from viska_assets.store.database import Connection


@dataclass(frozen=True)
class ApprovedSignal:
    """An approved signal, as a digest names it."""

    artifact_id: int
    concept_id: str
    direction: str
    severity: str
    headline: str


@dataclass(frozen=True)
class ApprovedStrategy:
    """An approved strategy, as a digest names it."""

    artifact_id: int
    title: str
    risk_class: str


@dataclass(frozen=True)
class Day:
    """What happened on a day (UTC): approvals, verdicts by outcome, rejections by cause, incidents by kind."""

    day: date
    signals: tuple[ApprovedSignal, ...]
    strategies: tuple[ApprovedStrategy, ...]
    outcomes: Mapping[str, int]
    causes: Mapping[str, int]
    incidents: Mapping[str, int]
    pending: int


_OF_DAY = "recorded_at >= %(day)s::date AND recorded_at < %(day)s::date + 1"


def read_day(connection: Connection, day: date) -> Day:
    """Reads a day; the connection's time zone is UTC."""

    def rows(query: str) -> list[tuple[Any, ...]]:
        return connection.execute(query.format(of_day=_OF_DAY).encode(), {"day": day}).fetchall()

    return Day(
        day,
        tuple(
            ApprovedSignal(*row)
            for row in rows(
                "SELECT artifact_id, concept_id, direction, severity, headline FROM signals.approved "
                "WHERE {of_day} ORDER BY array_position('{{high,medium,low}}', severity), artifact_id"
            )
        ),
        tuple(
            ApprovedStrategy(*row)
            for row in rows(
                "SELECT artifact_id, title, risk_class FROM strategies.approved WHERE {of_day} ORDER BY artifact_id"
            )
        ),
        dict(rows("SELECT outcome, count(*) FROM review.verdict WHERE {of_day} GROUP BY 1 ORDER BY 1")),
        dict(
            rows(
                "SELECT cause, count(*) FROM review.verdict WHERE {of_day} AND outcome = 'rejected' "
                "GROUP BY 1 ORDER BY 2 DESC, 1"
            )
        ),
        dict(rows("SELECT kind, count(*) FROM governance.incident WHERE {of_day} GROUP BY 1 ORDER BY 2 DESC, 1")),
        int(rows("SELECT count(*) FROM review.pending")[0][0]),
    )


@dataclass(frozen=True)
class Report:
    """A report as it stands."""

    report_id: int
    kind: str
    day: date
    title: str
    body: str
    recorded_at: datetime


def reports(connection: Connection, most: int = 100) -> list[Report]:
    """The newest reports."""
    rows = connection.execute(
        "SELECT report_id, kind, day, title, body, recorded_at FROM reports.report ORDER BY report_id DESC LIMIT %s",
        (most,),
    )
    return [Report(*row) for row in rows]
