"""Rows of ``backtests``: what was asked for, every try, the results, and who has read a holdout. Run as plutus."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from viska_assets.store.database import Connection


@dataclass(frozen=True)
class Requested:
    """A backtest that was asked for: of which draft, as one of which family, and the strategy's description."""

    request_id: int
    artifact_id: int
    family: str
    spec: dict[str, Any]


@dataclass(frozen=True)
class TrialRow:
    """One try as it is kept; ``returns`` are little-endian doubles, None where it did not end."""

    family: str
    params_sha256: str
    data_sha256: str
    outcome: str
    returns: bytes | None


@dataclass(frozen=True)
class ResultRow:
    """A result as it is shown to operators."""

    result_id: int
    request_id: int
    artifact_id: int
    family: str
    accepted: bool
    reason: str
    trials: int
    deflated_sharpe: float | None
    pbo: float | None
    contaminated: bool
    metrics: dict[str, Any]
    manifest: dict[str, Any]
    recorded_at: datetime


def open_requests(connection: Connection, limit: int = 100) -> list[Requested]:
    """What was asked for and not tried yet, oldest first."""
    rows = connection.execute(
        """
        SELECT r.request_id, r.artifact_id, r.family, r.spec FROM backtests.requested r
        WHERE NOT EXISTS (SELECT 1 FROM backtests.trial t WHERE t.request_id = r.request_id)
        ORDER BY r.request_id LIMIT %s
        """,
        (limit,),
    )
    return [Requested(*row) for row in rows]


def results_of_family(connection: Connection, family: str) -> int:
    """How many results of a family are shown."""
    row = connection.execute(
        "SELECT count(*) FROM backtests.result s JOIN backtests.requested r USING (request_id) WHERE r.family = %s",
        (family,),
    ).fetchone()
    return int(row[0]) if row else 0


def add_trial(connection: Connection, request_id: int, trial: TrialRow, sharpe: float | None) -> int:
    """Appends a try and returns its number."""
    row = connection.execute(
        """
        INSERT INTO backtests.trial (request_id, family, params_sha256, data_sha256, outcome, sharpe, returns)
        VALUES (%s, %s, %s, %s, %s, %s, %s) RETURNING trial_id
        """,
        (request_id, trial.family, trial.params_sha256, trial.data_sha256, trial.outcome, sharpe, trial.returns),
    ).fetchone()
    assert row is not None
    return int(row[0])


def trials_of_family(connection: Connection, family: str) -> list[TrialRow]:
    """All tries of a family, oldest first."""
    rows = connection.execute(
        """
        SELECT family, params_sha256, data_sha256, outcome, returns FROM backtests.trial
        WHERE family = %s ORDER BY trial_id
        """,
        (family,),
    )
    return [TrialRow(*row) for row in rows]


def add_result(
    connection: Connection,
    *,
    request_id: int,
    trial_id: int,
    hashes: dict[str, str],
    manifest: dict[str, Any],
    metrics: dict[str, Any],
    trials: int,
    deflated_sharpe: float,
    pbo: float | None,
    contaminated: bool,
    accepted: bool,
    reason: str,
) -> int:
    """Stores a result and returns its number. ``hashes`` are those of data, code, params and result."""
    row = connection.execute(
        """
        INSERT INTO backtests.result (request_id, trial_id, data_sha256, code_sha256, params_sha256, result_sha256,
            manifest, metrics, trials, deflated_sharpe, pbo, contaminated, accepted, reason)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING result_id
        """,
        (
            request_id,
            trial_id,
            hashes["data"],
            hashes["code"],
            hashes["params"],
            hashes["result"],
            Jsonb(manifest),
            Jsonb(metrics),
            trials,
            deflated_sharpe,
            pbo,
            contaminated,
            accepted,
            reason,
        ),
    ).fetchone()
    assert row is not None
    return int(row[0])


def results(connection: Connection, limit: int = 50, ids: Sequence[int] | None = None) -> list[ResultRow]:
    """The newest results, or the named ones, newest first."""
    rows = connection.execute(
        """
        SELECT s.result_id, s.request_id, r.artifact_id, r.family, s.accepted, s.reason, s.trials, s.deflated_sharpe,
            s.pbo, s.contaminated, s.metrics, s.manifest, s.recorded_at
        FROM backtests.result s JOIN backtests.requested r USING (request_id)
        WHERE %(ids)s::bigint[] IS NULL OR s.result_id = ANY(%(ids)s)
        ORDER BY s.result_id DESC LIMIT %(limit)s
        """,
        {"ids": list(ids) if ids is not None else None, "limit": limit},
    )
    return [ResultRow(*row) for row in rows]


def read_holdout_once(connection: Connection, artifact_id: int, request_id: int, data_sha256: str) -> bool:
    """Records that a draft's holdout is read; False where it was read before."""
    added = connection.execute(
        """
        INSERT INTO backtests.holdout_read (artifact_id, request_id, data_sha256) VALUES (%s, %s, %s)
        ON CONFLICT DO NOTHING
        """,
        (artifact_id, request_id, data_sha256),
    )
    return added.rowcount == 1
