"""Who answers questions of synthesis shape: the reading of the parity gate, and the flips that change it.

The gate is open while the newest flip hands these questions to synthesis and the newest parity run of the engine
version in force is a PASS. Either alone is not enough, so a change of the engine closes it by itself.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from viska_assets.store.database import Connection

PASSED = "PASS"


class Tier(StrEnum):
    """What answers questions of synthesis shape."""

    RETRIEVAL = "retrieval"
    SYNTHESIS = "synthesis"


class FlipAction(StrEnum):
    """``demote`` takes these questions from the retrieval tier, ``rollback`` gives them back."""

    DEMOTE = "demote"
    ROLLBACK = "rollback"


@dataclass(frozen=True)
class Gate:
    """Whether synthesis may answer, why or why not, and the run it rests on with the bundle commit that run saw."""

    open: bool
    reason: str
    run_id: int | None = None
    bundle_commit: str = ""


@dataclass(frozen=True)
class StoredVerdict:
    """The verdict of one run, without its answers."""

    run_id: int
    engine: str
    verdict: str
    bundle_commit: str
    recorded_at: datetime

    @property
    def passed(self) -> bool:
        """Whether the run is a PASS."""
        return self.verdict == PASSED


@dataclass(frozen=True)
class Flip:
    """One change of the flag."""

    flip_no: int
    action: FlipAction
    from_tier: Tier
    to_tier: Tier
    engine: str
    run_id: int | None
    actor: str
    reason: str
    recorded_at: datetime


def synthesis_is_open(connection: Connection, engine: str) -> Gate:
    """Whether questions of synthesis shape go to the synthesis tier under an engine version.

    Args:
        connection: read access.
        engine: the version in force, from ``maintain.engine_version.answering_engine_of``.
    """
    newest = newest_verdict(connection, engine)
    if tier_in_force(connection) is Tier.RETRIEVAL:
        return Gate(False, "retrieval answers: it has not been demoted, or was rolled back", _id_of(newest))
    if newest is None:
        other = newest_verdict(connection)
        known = f"; run {other.run_id} is of engine {other.engine}" if other else ""
        return Gate(False, f"retrieval answers: engine {engine} has no parity run{known}")
    if not newest.passed:
        reason = f"retrieval answers: parity run {newest.run_id} of engine {engine} is {newest.verdict}"
        return Gate(False, reason, newest.run_id, newest.bundle_commit)
    reason = f"synthesis answers: parity run {newest.run_id} of engine {engine} is a PASS"
    return Gate(True, reason, newest.run_id, newest.bundle_commit)


def _id_of(verdict: StoredVerdict | None) -> int | None:
    return verdict.run_id if verdict else None


def tier_in_force(connection: Connection) -> Tier:
    """Who answers questions of synthesis shape as far as the flag goes, whatever the verdict says."""
    row = connection.execute("SELECT tier FROM parity.router").fetchone()
    assert row is not None
    return Tier(row[0])


def newest_verdict(connection: Connection, engine: str | None = None) -> StoredVerdict | None:
    """The verdict of the newest run, of one engine version where it is named."""
    row = connection.execute(
        """
        SELECT run_id, engine, verdict, bundle_commit, recorded_at FROM parity.run
        WHERE %(engine)s::text IS NULL OR engine = %(engine)s ORDER BY run_id DESC LIMIT 1
        """,
        {"engine": engine},
    ).fetchone()
    return StoredVerdict(*row) if row else None


def add_flip(
    connection: Connection, action: FlipAction, *, engine: str, run_id: int | None, actor: str, reason: str
) -> Flip:
    """Flips the flag and leaves who, when, from, to, why and the run; the database refuses what has no PASS."""
    demotes = action is FlipAction.DEMOTE
    tiers = (Tier.RETRIEVAL, Tier.SYNTHESIS) if demotes else (Tier.SYNTHESIS, Tier.RETRIEVAL)
    row = connection.execute(
        """
        INSERT INTO parity.flip (action, from_tier, to_tier, engine, run_id, actor, reason)
        VALUES (%s, %s, %s, %s, %s, %s, %s)
        RETURNING flip_no, action, from_tier, to_tier, engine, run_id, actor, reason, recorded_at
        """,
        (action, *tiers, engine, run_id, actor, reason),
    ).fetchone()
    assert row is not None
    return _flip(row)


def flips(connection: Connection, limit: int = 100) -> list[Flip]:
    """The last changes of the flag, newest first."""
    rows = connection.execute(
        """
        SELECT flip_no, action, from_tier, to_tier, engine, run_id, actor, reason, recorded_at
        FROM parity.flip ORDER BY flip_no DESC LIMIT %s
        """,
        (limit,),
    )
    return [_flip(row) for row in rows]


def _flip(row: tuple[object, ...]) -> Flip:
    number, action, from_tier, to_tier, *rest = row
    return Flip(number, FlipAction(action), Tier(from_tier), Tier(to_tier), *rest)  # type: ignore[arg-type]
