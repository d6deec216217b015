"""Incidents of the loop as they stand, for operators."""

from typing import Any

from viska_assets.store.database import Connection

COLUMNS = ("incident_id", "at", "kind", "severity", "detector", "detail", "evidence", "written_by")


def newest_incidents(connection: Connection, most: int = 100, kind: str = "") -> list[dict[str, Any]]:
    """The newest incidents, of one kind where it is named."""
    rows = connection.execute(
        """
        SELECT incident_id, recorded_at, kind, severity, detector, detail, evidence, written_by
        FROM governance.incident WHERE %(kind)s IN ('', kind) ORDER BY incident_id DESC LIMIT %(most)s
        """,
        {"kind": kind, "most": most},
    )
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def incident_number(connection: Connection, op_id: object) -> int:
    """The number of an incident by the id of its write; 0 where there is none."""
    row = connection.execute("SELECT incident_id FROM governance.incident WHERE op_id = %s", (op_id,)).fetchone()
    return int(row[0]) if row else 0


def incident_counts(connection: Connection) -> dict[str, int]:
    """How many incidents there are of each kind."""
    return dict(connection.execute("SELECT kind, count(*) FROM governance.incident GROUP BY 1 ORDER BY 1").fetchall())
