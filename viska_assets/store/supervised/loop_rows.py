"""What is shown of the loop: the queue, traces, candidates and verdicts, and the counts that summaries are made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from psycopg.rows import dict_row

from viska_assets.store.database import Connection

Row = dict[str, Any]


@dataclass(frozen=True)
class VerdictSeen:
    """A verdict as a summary counts it."""

    artifact_id: int
    kind: str
    outcome: str
    cause: str
    excerpt: str
    at: datetime


def waits_for_nous(connection: Connection) -> bool:
    """Whether a run could be claimed: a waiting request, or a flagged document that nobody looked at."""
    row = connection.execute("SELECT nous.is_run_waiting()").fetchone()
    return bool(row and row[0])


def add_request(
    connection: Connection, *, key: str, subject: str, requested_by: str, priority: int = 0, reason: str = ""
) -> bool:
    """Files a request for research once; False where the key stands. Run as plutus or mastra."""
    added = connection.execute(
        """
        INSERT INTO nous.run_queue (request_key, kind, subject, request, requested_by, priority)
        VALUES (%s, 'research', %s, jsonb_build_object('reason', %s::text), %s, %s)
        ON CONFLICT (request_key) DO NOTHING
        """,
        (key, subject, reason, requested_by, priority),
    )
    return added.rowcount == 1


def queue_rows(connection: Connection, limit: int = 50) -> list[Row]:
    """The newest rows of the queue."""
    return _rows(
        connection,
        """
        SELECT queue_id, kind, subject, requested_by, priority, status, attempts, outcome FROM nous.run_queue
        ORDER BY queue_id DESC LIMIT %s
        """,
        (limit,),
    )


def trace_rows(connection: Connection, limit: int = 50, trace_id: int | None = None) -> list[Row]:
    """The newest traces, or one of them, with their ends."""
    return _rows(
        connection,
        """
        SELECT t.trace_id, t.queue_id, t.engine, t.model_pinned, coalesce(e.outcome, 'open') AS outcome,
            coalesce(e.model_answered, '') AS model_answered, t.token_budget,
            coalesce(e.prompt_tokens + e.completion_tokens, 0) AS tokens, t.recorded_at,
            coalesce(e.reasoning, '') AS reasoning
        FROM nous.trace t LEFT JOIN nous.trace_end e USING (trace_id)
        WHERE %(id)s::bigint IS NULL OR t.trace_id = %(id)s ORDER BY t.trace_id DESC LIMIT %(limit)s
        """,
        {"id": trace_id, "limit": limit},
    )


def proposed_signals(connection: Connection, limit: int = 100) -> list[Row]:
    """The newest candidates and what became of them."""
    return _rows(
        connection,
        """
        SELECT c.artifact_id, c.kind, c.concept_id, c.direction, c.severity, c.headline, c.confidence,
            coalesce(v.outcome, 'pending') AS outcome, coalesce(v.cause, '') AS cause, c.trace_id
        FROM signals.candidate c LEFT JOIN review.verdict v USING (artifact_id) ORDER BY c.artifact_id DESC LIMIT %s
        """,
        (limit,),
    )


def proposed_strategies(connection: Connection, limit: int = 100) -> list[Row]:
    """The newest drafts and what became of them."""
    return _rows(
        connection,
        """
        SELECT d.artifact_id, d.title, d.risk_class, jsonb_array_length(d.legs) AS legs,
            coalesce(v.outcome, 'pending') AS outcome, coalesce(v.cause, '') AS cause, d.trace_id
        FROM strategies.draft d LEFT JOIN review.verdict v USING (artifact_id) ORDER BY d.artifact_id DESC LIMIT %s
        """,
        (limit,),
    )


def judged_rows(connection: Connection, kind: str, outcome: str, limit: int = 100) -> list[Row]:
    """The newest verdicts on signals or strategies with an outcome."""
    return _rows(
        connection,
        """
        SELECT artifact_id, cause, reason, verdict_excerpt, reviewed_by, review_session_id, recorded_at
        FROM review.verdict WHERE kind = %s AND outcome = %s ORDER BY recorded_at DESC LIMIT %s
        """,
        (kind, outcome, limit),
    )


def checks_of_session(connection: Connection, review_session_id: str, kind: str) -> list[Row]:
    """What the four checks of a session said, for signals or strategies."""
    return _rows(
        connection,
        """
        SELECT r.artifact_id, r.check_name, r.passed, r.detail FROM review.check_result r JOIN review.artifact a
            USING (artifact_id) WHERE r.review_session_id = %s AND a.kind = %s ORDER BY r.check_no
        """,
        (review_session_id, kind),
    )


def sessions(connection: Connection, limit: int = 20) -> list[Row]:
    """The newest sessions with the number of verdicts in each."""
    return _rows(
        connection,
        """
        SELECT s.review_session_id, s.reviewer, s.recorded_at, count(v.artifact_id) AS verdicts
        FROM review.session s LEFT JOIN review.verdict v USING (review_session_id)
        GROUP BY s.review_session_id ORDER BY s.recorded_at DESC LIMIT %s
        """,
        (limit,),
    )


def pending_rows(connection: Connection, limit: int = 100) -> list[Row]:
    """What waits, oldest first, with its words."""
    return _rows(
        connection,
        """
        SELECT p.artifact_id, p.kind, coalesce(c.headline, d.title) AS title, coalesce(d.risk_class, '') AS risk_class,
            p.recorded_at, EXISTS (SELECT 1 FROM review.check_result r WHERE r.artifact_id = p.artifact_id) AS checked
        FROM review.pending p LEFT JOIN signals.candidate c USING (artifact_id)
        LEFT JOIN strategies.draft d USING (artifact_id) ORDER BY p.artifact_id LIMIT %s
        """,
        (limit,),
    )


def verdict_of(connection: Connection, artifact_id: int) -> Row | None:
    """The verdict on an artifact with its checks."""
    found = _rows(
        connection,
        """
        SELECT v.*, (SELECT jsonb_object_agg(r.check_name, r.passed) FROM review.check_result r
            WHERE r.artifact_id = v.artifact_id AND r.review_session_id = v.review_session_id) AS checks
        FROM review.verdict v WHERE v.artifact_id = %s
        """,
        (artifact_id,),
    )
    return found[0] if found else None


def verdicts_in_tables(connection: Connection, day: date | None = None) -> list[VerdictSeen]:
    """The verdicts of a day (UTC), or all, as the tables have them."""
    rows = connection.execute(
        """
        SELECT artifact_id, kind, outcome, cause, verdict_excerpt, recorded_at FROM review.verdict
        WHERE %(day)s::date IS NULL OR (recorded_at AT TIME ZONE 'UTC')::date = %(day)s ORDER BY artifact_id
        """,
        {"day": day},
    )
    return [VerdictSeen(*row) for row in rows]


def verdicts_in_audit(connection: Connection, day: date | None = None) -> list[VerdictSeen]:
    """The same from the audit trail alone."""
    rows = connection.execute(
        """
        SELECT substr(object, length('review.verdict:') + 1)::bigint, detail ->> 'kind', detail ->> 'outcome',
            detail ->> 'cause', detail ->> 'verdict_excerpt', at
        FROM audit.entry WHERE object LIKE 'review.verdict:%%' AND action = 'insert'
            AND (%(day)s::date IS NULL OR (at AT TIME ZONE 'UTC')::date = %(day)s) ORDER BY 1
        """,
        {"day": day},
    )
    return [VerdictSeen(*row) for row in rows]


def _rows(connection: Connection, statement: str, parameters: Sequence[Any] | dict[str, Any]) -> list[Row]:
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(statement, parameters).fetchall()
