"""What nous reads and writes: its claim, the cleaned text and figures of a document, its trace, what it proposes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from psycopg.types.json import Jsonb

from viska_assets.model.evidence import Evidence
from viska_assets.store.codec import from_json
from viska_assets.store.database import Connection


@dataclass(frozen=True)
class Run:
    """A claimed row of the queue."""

    queue_id: int
    kind: str
    subject: str
    request: Mapping[str, Any]
    attempts: int


@dataclass(frozen=True)
class ChunkRead:
    """A chunk's cleaned text and the figures in it; ``start`` is its place in the document's text."""

    chunk_id: str
    ordinal: int
    start: int
    text: str
    figures: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class DocumentRead:
    """A document as nous may see it: cleaned, public, standing."""

    document_id: str
    name: str
    entity: str | None
    source_domain: str
    known_at: datetime | None
    chunks: tuple[ChunkRead, ...] = ()


@dataclass(frozen=True)
class Candidate:
    """A signal to be proposed."""

    kind: str
    concept_id: str
    direction: str
    severity: str
    headline: str
    rationale: str
    citations: Sequence[Mapping[str, Any]]
    confidence: Decimal | None = None
    horizon_days: int | None = None
    payload: Mapping[str, Any] = field(default_factory=dict)
    source_domain: str = ""


@dataclass(frozen=True)
class StrategyDraft:
    """A strategy to be proposed, with the backtest that it asks for, where it does."""

    title: str
    thesis: str
    legs: Sequence[Mapping[str, Any]]
    risk: Mapping[str, Any]
    risk_class: str
    citations: Sequence[Mapping[str, Any]]
    source_domain: str = ""
    family: str = ""
    spec: Mapping[str, Any] | None = None


def claim_run(connection: Connection, lease: timedelta) -> Run | None:
    """Claims a row of the queue, else a flagged document, for the length of the lease; None where there is neither."""
    row = connection.execute(
        "SELECT queue_id, kind, subject, request, attempts FROM nous.claim_run(%s)", (lease,)
    ).fetchone()
    return Run(*row) if row else None


def finish_run(connection: Connection, run: Run, *, done: bool, said: str, most_attempts: int) -> str:
    """Ends a claim: ``done``, ``waiting`` for another try, or ``dead``."""
    row = connection.execute(
        "SELECT nous.finish_run(%s, %s, %s, %s)", (run.queue_id, done, said[:500], most_attempts)
    ).fetchone()
    return str(row[0]) if row else ""


def is_cancelled(connection: Connection, queue_id: int) -> bool:
    """Whether governance called the run off."""
    row = connection.execute("SELECT 1 FROM nous.cancellation WHERE queue_id = %s", (queue_id,)).fetchone()
    return row is not None


def read_documents(connection: Connection, subject: str, limit: int = 3) -> list[DocumentRead]:
    """The document of this id, or the newest documents about the concept of this id, with chunks and figures."""
    rows = connection.execute(
        """
        SELECT document_id, name, entity, source_domain, known_at FROM nous.document
        WHERE document_id = %(subject)s OR entity = %(subject)s
        ORDER BY known_at DESC NULLS LAST, document_id LIMIT %(limit)s
        """,
        {"subject": subject, "limit": limit},
    ).fetchall()
    return [
        DocumentRead(document_id, name, entity, domain, known_at, _chunks(connection, document_id))
        for document_id, name, entity, domain, known_at in rows
    ]


def _chunks(connection: Connection, document_id: str) -> tuple[ChunkRead, ...]:
    figures: dict[str, list[Any]] = {}
    for chunk_id, record in connection.execute(
        "SELECT chunk_id, record FROM nous.evidence WHERE document_id = %s ORDER BY start_char", (document_id,)
    ):
        figures.setdefault(chunk_id, []).append(record)
    rows = connection.execute(
        "SELECT chunk_id, ordinal, start_char, text FROM nous.chunk WHERE document_id = %s ORDER BY ordinal",
        (document_id,),
    )
    return tuple(
        ChunkRead(chunk_id, ordinal, start, text, from_json(tuple[Evidence, ...], figures.get(chunk_id, [])))
        for chunk_id, ordinal, start, text in rows
    )


def begin_trace(connection: Connection, run: Run, *, engine: str, pin: str, run_id: str, budget: int) -> int:
    """Opens the trace of a run and returns its number."""
    row = connection.execute(
        """
        INSERT INTO nous.trace (queue_id, engine, model_pinned, run_id, token_budget) VALUES (%s, %s, %s, %s, %s)
        RETURNING trace_id
        """,
        (run.queue_id, engine, pin, run_id, budget),
    ).fetchone()
    assert row is not None
    return int(row[0])


def end_trace(
    connection: Connection,
    trace_id: int,
    outcome: str,
    *,
    model: str = "",
    tokens: tuple[int, int] = (0, 0),
    reasoning: str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Ends a trace: completed, over_budget, timed_out, cancelled, failed or drifted; ``tokens``: read, written."""
    connection.execute(
        """
        INSERT INTO nous.trace_end (trace_id, outcome, model_answered, prompt_tokens, completion_tokens, reasoning,
            detail) VALUES (%s, %s, %s, %s, %s, %s, %s)
        """,
        (trace_id, outcome, model, *tokens, reasoning.replace("\x00", ""), Jsonb(dict(detail or {}))),
    )


def add_candidate(connection: Connection, candidate: Candidate, run: Run, trace_id: int) -> int:
    """Proposes a signal and returns its number."""
    row = connection.execute(
        """
        INSERT INTO signals.candidate (kind, concept_id, direction, severity, headline, rationale, confidence,
            horizon_days, payload, citations, source_domain, queue_id, trace_id)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING artifact_id
        """,
        (
            *(candidate.kind, candidate.concept_id, candidate.direction, candidate.severity, candidate.headline),
            *(candidate.rationale, candidate.confidence, candidate.horizon_days, Jsonb(dict(candidate.payload))),
            *(Jsonb(list(candidate.citations)), candidate.source_domain, run.queue_id, trace_id),
        ),
    ).fetchone()
    assert row is not None
    return int(row[0])


def add_draft(
    connection: Connection, draft: StrategyDraft, run: Run, trace_id: int, signals: Sequence[int]
) -> tuple[int, int | None]:
    """Proposes a strategy; returns its number and that of its request for a backtest, where it asks for one."""
    row = connection.execute(
        """
        INSERT INTO strategies.draft (title, thesis, legs, risk, risk_class, signals, citations, source_domain,
            queue_id, trace_id) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING artifact_id
        """,
        (
            *(draft.title, draft.thesis, Jsonb(list(draft.legs)), Jsonb(dict(draft.risk)), draft.risk_class),
            *(Jsonb(list(signals)), Jsonb(list(draft.citations)), draft.source_domain, run.queue_id, trace_id),
        ),
    ).fetchone()
    assert row is not None
    if draft.spec is None:
        return int(row[0]), None
    asked = connection.execute(
        """
        INSERT INTO backtests.requested (artifact_id, family, spec, trace_id) VALUES (%s, %s, %s, %s)
        RETURNING request_id
        """,
        (row[0], draft.family, Jsonb(dict(draft.spec)), trace_id),
    ).fetchone()
    assert asked is not None
    return int(row[0]), int(asked[0])
