"""How a review writes: a session, its transcript, the four checks, and one verdict on an artifact. Run as plutus."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from psycopg import sql
from psycopg.types.json import Jsonb

from viska_assets.store.database import Connection


class ArtifactKind(StrEnum):
    """What can be judged."""

    SIGNAL = "signal"
    STRATEGY = "strategy"


class CheckName(StrEnum):
    """The four parts of the checklist."""

    SANITY = "sanity"
    RISK = "risk"
    PROVENANCE = "provenance"
    INJECTION = "injection"


class Cause(StrEnum):
    """Why an artifact was turned away."""

    SANITY = "sanity"
    RISK = "risk"
    PROVENANCE = "provenance"
    INJECTION = "injection"
    MISSING_TRACE = "missing_trace"
    MODEL_DRIFT = "model_drift"
    OVER_BUDGET = "over_budget"
    DUPLICATE = "duplicate"
    OPERATOR = "operator"
    AGE = "age"


@dataclass(frozen=True)
class Pending:
    """A candidate or draft without a verdict. The hash is that of the content that a verdict will be about."""

    artifact_id: int
    kind: ArtifactKind
    content_sha256: str
    source_domain: str
    recorded_at: datetime


SCHEMAS: Mapping[ArtifactKind, str] = {ArtifactKind.SIGNAL: "signals", ArtifactKind.STRATEGY: "strategies"}


def pending(connection: Connection, limit: int = 1000) -> list[Pending]:
    """What waits for a verdict, oldest first, of any age."""
    rows = connection.execute(
        """
        SELECT artifact_id, kind, content_sha256, source_domain, recorded_at FROM review.pending
        ORDER BY artifact_id LIMIT %s
        """,
        (limit,),
    )
    return [Pending(number, ArtifactKind(kind), *rest) for number, kind, *rest in rows]


def open_session(connection: Connection, review_session_id: str, reviewer: str) -> None:
    """Opens a review session; one that is open already is gone on with."""
    connection.execute(
        "INSERT INTO review.session (review_session_id, reviewer) VALUES (%s, %s) ON CONFLICT DO NOTHING",
        (review_session_id, reviewer),
    )


def say(connection: Connection, review_session_id: str, said: str, artifact_id: int | None = None) -> None:
    """Adds a line to the session's transcript."""
    connection.execute(
        "INSERT INTO review.transcript (review_session_id, artifact_id, said) VALUES (%s, %s, %s)",
        (review_session_id, artifact_id, said),
    )


def transcript(connection: Connection, review_session_id: str) -> list[str]:
    """The session's transcript, line by line."""
    rows = connection.execute(
        "SELECT said FROM review.transcript WHERE review_session_id = %s ORDER BY transcript_id", (review_session_id,)
    )
    return [row[0] for row in rows]


def record_check(
    connection: Connection,
    artifact: Pending,
    check: CheckName,
    review_session_id: str,
    *,
    passed: bool,
    detail: Mapping[str, Any],
) -> None:
    """Records one of the four checks of an artifact; the same check again in a session is not recorded again."""
    connection.execute(
        """
        INSERT INTO review.check_result (artifact_id, check_name, review_session_id, passed, content_sha256, detail)
        VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (artifact_id, check_name, review_session_id) DO NOTHING
        """,
        (artifact.artifact_id, check.value, review_session_id, passed, artifact.content_sha256, Jsonb(dict(detail))),
    )


def approve(connection: Connection, artifact: Pending, review_session_id: str, excerpt: str) -> None:
    """Approves what was reviewed. The database copies the content and refuses without trace and four passed checks.

    Raises:
        psycopg.errors.UniqueViolation: where there is a verdict already.
        psycopg.errors.ForeignKeyViolation: where the artifact is unknown or has other content than the hash says.
        psycopg.Error: with ``sqlstate`` VK003 where trace or checks are missing.
    """
    connection.execute(
        sql.SQL(
            "INSERT INTO {} (artifact_id, content_sha256, review_session_id, verdict_excerpt) VALUES (%s, %s, %s, %s)"
        ).format(sql.Identifier(SCHEMAS[artifact.kind], "approved")),
        (artifact.artifact_id, artifact.content_sha256, review_session_id, excerpt),
    )


def reject(
    connection: Connection, artifact: Pending, review_session_id: str, cause: Cause, reason: str, excerpt: str
) -> None:
    """Rejects an artifact, with its cause and reason (see ``approve`` for what is raised)."""
    _refuse(
        connection,
        sql.Identifier(SCHEMAS[artifact.kind], "rejected"),
        artifact,
        review_session_id,
        cause,
        reason,
        excerpt,
    )


def expire(connection: Connection, artifact: Pending, review_session_id: str, reason: str) -> None:
    """Ends the wait of an artifact that was never reviewed; it is not dropped in silence."""
    _refuse(connection, sql.Identifier("review", "expired"), artifact, review_session_id, Cause.AGE, reason, reason)


def _refuse(
    connection: Connection,
    table: sql.Identifier,
    artifact: Pending,
    review_session_id: str,
    cause: Cause,
    reason: str,
    excerpt: str,
) -> None:
    connection.execute(
        sql.SQL(
            "INSERT INTO {} (artifact_id, content_sha256, cause, reason, review_session_id, verdict_excerpt) "
            "VALUES (%s, %s, %s, %s, %s, %s)"
        ).format(table),
        (artifact.artifact_id, artifact.content_sha256, cause.value, reason, review_session_id, excerpt),
    )
