"""Rows of ``parity.run``: what the parity eval found, each run a row. Lint's nights are in ``lint_rows``."""

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
