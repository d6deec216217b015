"""Rows of ``parity.run`` and ``lint.report``: what the nightly jobs found, each night a row."""

from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from viska_assets.store.database import Connection


def add_parity_run(
    connection: Connection,
    *,
    engine: str,
    bundle_commit: str,
    eval_set: str,
    verdict: str,
    summary: dict[str, Any],
    answers: list[dict[str, Any]],
) -> int:
    """Stores a run and returns its number."""
    row = connection.execute(
        """
        INSERT INTO parity.run (engine, bundle_commit, eval_set, verdict, summary, answers)
        VALUES (%s, %s, %s, %s, %s, %s) RETURNING run_id
        """,
        (engine, bundle_commit, eval_set, verdict, Jsonb(summary), Jsonb(answers)),
    ).fetchone()
    assert row is not None
    return int(row[0])


def add_lint_report(
    connection: Connection, *, engine: str, bundle_commit: str, as_of: datetime, pages: int, findings: list[Any]
) -> int:
    """Stores a report and returns its number."""
    row = connection.execute(
        """
        INSERT INTO lint.report (bundle_commit, engine, as_of, pages, findings) VALUES (%s, %s, %s, %s, %s)
        RETURNING report_id
        """,
        (bundle_commit, engine, as_of, pages, Jsonb(findings)),
    ).fetchone()
    assert row is not None
    return int(row[0])
