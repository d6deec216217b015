"""What a review reads: candidates and drafts whole, with their trace, their backtests and an operator's word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from viska_assets.store.database import Connection
from viska_assets.store.supervised.verdicts import ArtifactKind, Pending


@dataclass(frozen=True)
class TraceSeen:
    """A run of nous as the reviewer sees it; ``outcome`` is empty while it has not ended."""

    trace_id: int
    engine: str
    model_pinned: str
    token_budget: int
    outcome: str = ""
    model_answered: str = ""
    tokens: int = 0
    reasoning: str = ""


@dataclass(frozen=True)
class BacktestSeen:
    """A backtest of a draft; ``accepted`` is None where it was asked for and has no result yet."""

    request_id: int
    asked_at: datetime
    accepted: bool | None = None
    contaminated: bool = False
    reason: str = ""
    drawdown: float | None = None
    failed: bool = False


@dataclass(frozen=True)
class Artifact:
    """A candidate or draft with all that a check may look at.

    ``title`` and ``body`` are headline and rationale, or title and thesis. ``rest`` holds the other fields by name.
    """

    pending: Pending
    title: str
    body: str
    citations: Sequence[Mapping[str, Any]]
    rest: Mapping[str, Any]
    trace: TraceSeen | None = None
    same_before: int | None = None
    backtests: tuple[BacktestSeen, ...] = ()
    signed_off: bool = False
    waited: bool = False
    confidence: Decimal | None = None
    legs: Sequence[Mapping[str, Any]] = field(default=())

    @property
    def artifact_id(self) -> int:
        """Its number."""
        return self.pending.artifact_id

    @property
    def kind(self) -> ArtifactKind:
        """Signal or strategy."""
        return self.pending.kind


_TRACE = """
    t.trace_id, t.engine, t.model_pinned, t.token_budget, coalesce(e.outcome, ''), coalesce(e.model_answered, ''),
    coalesce(e.prompt_tokens + e.completion_tokens, 0), coalesce(e.reasoning, '')
"""
_TRACED = "LEFT JOIN nous.trace t ON t.trace_id = c.trace_id LEFT JOIN nous.trace_end e ON e.trace_id = c.trace_id"
_SIGNAL = """
    SELECT c.headline, c.rationale, c.citations, c.confidence, '[]'::jsonb,
        jsonb_build_object('kind', c.kind, 'concept_id', c.concept_id, 'direction', c.direction, 'severity', c.severity,
            'horizon_days', c.horizon_days, 'payload', c.payload),
        (SELECT min(o.artifact_id) FROM signals.candidate o LEFT JOIN review.verdict v USING (artifact_id)
            WHERE o.artifact_id < c.artifact_id AND o.concept_id = c.concept_id AND o.direction = c.direction
            AND lower(o.headline) = lower(c.headline) AND o.rationale = c.rationale
            AND o.recorded_at > c.recorded_at - make_interval(days => %(days)s)
            AND coalesce(v.outcome, 'approved') = 'approved'),
        false, false, TRACE_COLUMNS
    FROM signals.candidate c TRACE_JOINS WHERE c.artifact_id = %(id)s
"""
_STRATEGY = """
    SELECT c.title, c.thesis, c.citations, NULL::numeric, c.legs,
        jsonb_build_object('risk', c.risk, 'risk_class', c.risk_class, 'signals', c.signals, 'payload', c.payload),
        (SELECT min(o.artifact_id) FROM strategies.draft o LEFT JOIN review.verdict v USING (artifact_id)
            WHERE o.artifact_id < c.artifact_id AND lower(o.title) = lower(c.title) AND o.legs = c.legs
            AND o.thesis = c.thesis AND o.recorded_at > c.recorded_at - make_interval(days => %(days)s)
            AND coalesce(v.outcome, 'approved') = 'approved'),
        EXISTS (SELECT 1 FROM review.sign_off s
            WHERE s.artifact_id = c.artifact_id AND s.content_sha256 = c.content_sha256),
        EXISTS (SELECT 1 FROM review.check_result r WHERE r.artifact_id = c.artifact_id), TRACE_COLUMNS
    FROM strategies.draft c TRACE_JOINS WHERE c.artifact_id = %(id)s
"""


def read_artifact(connection: Connection, pending: Pending, duplicate_days: int) -> Artifact:
    """An artifact whole. An earlier one that says the same counts where it is approved or not judged yet."""
    statement = _SIGNAL if pending.kind is ArtifactKind.SIGNAL else _STRATEGY
    statement = statement.replace("TRACE_COLUMNS", _TRACE).replace("TRACE_JOINS", _TRACED)
    row = connection.execute(statement, {"id": pending.artifact_id, "days": duplicate_days}).fetchone()
    assert row is not None
    title, body, citations, confidence, legs, rest, same, signed, waited, *trace = row
    seen = TraceSeen(*trace) if trace[0] is not None else None
    tests = _backtests(connection, pending.artifact_id) if pending.kind is ArtifactKind.STRATEGY else ()
    return Artifact(pending, title, body, citations, rest, seen, same, tests, signed, waited, confidence, legs)


def _backtests(connection: Connection, artifact_id: int) -> tuple[BacktestSeen, ...]:
    rows = connection.execute(
        """
        SELECT r.request_id, r.recorded_at, s.accepted, coalesce(s.contaminated, false), coalesce(s.reason, ''),
            (s.metrics ->> 'max_drawdown')::float8,
            s.result_id IS NULL AND EXISTS (SELECT 1 FROM backtests.trial t
                WHERE t.request_id = r.request_id AND t.outcome <> 'completed')
        FROM backtests.requested r LEFT JOIN backtests.result s USING (request_id)
        WHERE r.artifact_id = %s ORDER BY r.request_id, s.result_id
        """,
        (artifact_id,),
    )
    return tuple(BacktestSeen(*row) for row in rows)


def add_sign_off(connection: Connection, artifact_id: int, signed_by: str, reason: str) -> bool:
    """Records an operator's word on the content as it stands; False where it stands already. Run as governance."""
    added = connection.execute(
        """
        INSERT INTO review.sign_off (artifact_id, content_sha256, signed_by, reason)
        SELECT a.artifact_id, a.content_sha256, %s, %s FROM review.artifact a WHERE a.artifact_id = %s
        ON CONFLICT (artifact_id) DO NOTHING
        """,
        (signed_by, reason, artifact_id),
    )
    return added.rowcount == 1


def artifact_exists(connection: Connection, artifact_id: int) -> bool:
    """Whether there is an artifact of this number."""
    row = connection.execute("SELECT 1 FROM review.artifact WHERE artifact_id = %s", (artifact_id,)).fetchone()
    return row is not None


def database_now(connection: Connection) -> datetime:
    """The database's clock."""
    row = connection.execute("SELECT clock_timestamp()").fetchone()
    assert row is not None
    now = row[0]
    assert isinstance(now, datetime)
    return now
