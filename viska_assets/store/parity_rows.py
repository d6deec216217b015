"""Rows of ``parity.run``: what each parity run found. The gate that rests on them is in ``parity_gate``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from viska_assets.store.database import Connection


@dataclass(frozen=True)
class StoredRun:
    """One run with its figures and every question's answers, as ``parity.report`` wrote them."""

    run_id: int
    engine: str
    bundle_commit: str
    eval_set: str
    verdict: str
    recorded_at: datetime
    summary: Mapping[str, Any]
    answers: Sequence[Mapping[str, Any]] = ()


def add_parity_run(
    connection: Connection,
    *,
    engine: str,
    bundle_commit: str,
    eval_set: str,
    verdict: str,
    summary: Mapping[str, object],
    answers: Sequence[Mapping[str, object]],
) -> int:
    """Stores a run and returns its number."""
    row = connection.execute(
        """
        INSERT INTO parity.run (engine, bundle_commit, eval_set, verdict, summary, answers)
        VALUES (%s, %s, %s, %s, %s, %s) RETURNING run_id
        """,
        (engine, bundle_commit, eval_set, verdict, Jsonb(dict(summary)), Jsonb(list(answers))),
    ).fetchone()
    assert row is not None
    return int(row[0])


def stored_run(connection: Connection, run_id: int | None = None) -> StoredRun | None:
    """A run by its number, or the newest one; None where there is no such run."""
    row = connection.execute(
        """
        SELECT run_id, engine, bundle_commit, eval_set, verdict, recorded_at, summary, answers FROM parity.run
        WHERE %(run)s::bigint IS NULL OR run_id = %(run)s ORDER BY run_id DESC LIMIT 1
        """,
        {"run": run_id},
    ).fetchone()
    return StoredRun(*row) if row else None


def stored_runs(connection: Connection, limit: int = 50) -> list[StoredRun]:
    """The newest runs, newest first, without their answers."""
    rows = connection.execute(
        """
        SELECT run_id, engine, bundle_commit, eval_set, verdict, recorded_at, summary FROM parity.run
        ORDER BY run_id DESC LIMIT %s
        """,
        (limit,),
    )
    return [StoredRun(*row) for row in rows]
