"""One tick: claim, read, reason, propose, finish. Proposals are committed with their ended trace or not at all."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import psycopg

from viska_assets.store.database import Database
from viska_assets.store.policy_loop import NousSection
from viska_assets.store.supervised.flags import may_write
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.nous_rows import (
    Run,
    add_candidate,
    add_draft,
    begin_trace,
    claim_run,
    end_trace,
    finish_run,
    is_cancelled,
    read_documents,
)
from viska_assets.supervise.connecting import NOT_CLAIMED
from viska_assets.supervise.nous.reasoning import Bounds, Reasoner, ReasoningError, Thought, TraceOutcome

NO_QUEUE = "no queue, no loop: neither a request nor a flagged document waits"
PAUSED = "nous is paused"


@dataclass(frozen=True)
class Tick:
    """What a tick did. Without a run, ``skipped`` says why."""

    skipped: str = ""
    queue_id: int | None = None
    subject: str = ""
    trace_id: int | None = None
    outcome: TraceOutcome | None = None
    became: str = ""
    said: str = ""
    candidates: tuple[int, ...] = ()
    drafts: tuple[int, ...] = ()
    requests: tuple[int, ...] = ()
    tokens: int = 0


def tick(
    database: Database,
    reasoner: Reasoner,
    policy: NousSection,
    *,
    run_id: str = "",
    clock: Callable[[], float] = time.monotonic,
) -> Tick:
    """Claims at most one run and works it off.

    Args:
        database: nous's.
        reasoner: who thinks.
        policy: tokens, seconds, tries.
        run_id: the Dagster run, for the trace.
        clock: monotonic seconds.

    Returns:
        What was done; a run that went over its budget or time, was cancelled or drifted has proposed nothing and is
        given back, or dead after its last try.
    """
    with database.transaction() as connection:
        if not may_write(connection, Writer.NOUS, f"nous_tick:{run_id}"):
            return Tick(skipped=PAUSED)
        run = claim_run(connection, timedelta(seconds=2 * policy.seconds))
        if run is None:
            return Tick(skipped=NO_QUEUE)
        documents = read_documents(connection, run.subject)
        trace_id = begin_trace(
            connection, run, engine=reasoner.engine, pin=reasoner.pin, run_id=run_id, budget=policy.token_budget
        )
    bounds = Bounds(policy.token_budget, policy.seconds, lambda: _called_off(database, run))
    started = clock()
    try:
        thought, outcome, said = reasoner.reason(run, documents, bounds), TraceOutcome.COMPLETED, ""
        outcome, said = _against(thought, bounds, clock() - started)
    except ReasoningError as error:
        thought, outcome, said = error.thought, error.outcome, str(error)
    said = said or f"{len(thought.candidates)} candidates, {len(thought.drafts)} drafts of {len(documents)} documents"
    return _finish(database, run, trace_id, thought, outcome, said, policy)


def _against(thought: Thought, bounds: Bounds, seconds: float) -> tuple[TraceOutcome, str]:
    """The guard over every reasoner, whatever it says of itself."""
    used = sum(thought.tokens)
    if used > bounds.tokens:
        return TraceOutcome.OVER_BUDGET, f"{used} tokens were used, the budget is {bounds.tokens}"
    if seconds > bounds.seconds:
        return TraceOutcome.TIMED_OUT, f"it took {seconds:.1f} s, the limit is {bounds.seconds:g} s"
    if bounds.is_cancelled():
        return TraceOutcome.CANCELLED, "governance called it off"
    return TraceOutcome.COMPLETED, ""


def _called_off(database: Database, run: Run) -> bool:
    with database.transaction() as connection:
        return is_cancelled(connection, run.queue_id)


def _finish(
    database: Database,
    run: Run,
    trace_id: int,
    thought: Thought,
    outcome: TraceOutcome,
    said: str,
    policy: NousSection,
) -> Tick:
    done = outcome is TraceOutcome.COMPLETED
    try:
        return _propose(database, run, trace_id, thought, outcome, said, policy)
    except psycopg.Error as error:
        # Cancelled between the last look and the claim's end: the trace is ended, nothing is proposed.
        if not (done and error.sqlstate == NOT_CLAIMED):
            raise
        return _propose(database, run, trace_id, thought, TraceOutcome.CANCELLED, "governance called it off", policy)


def _propose(
    database: Database,
    run: Run,
    trace_id: int,
    thought: Thought,
    outcome: TraceOutcome,
    said: str,
    policy: NousSection,
) -> Tick:
    done = outcome is TraceOutcome.COMPLETED
    candidates: list[int] = []
    drafts: list[tuple[int, int | None]] = []
    became = "cancelled"
    with database.transaction() as connection:
        end_trace(
            connection,
            trace_id,
            outcome.value,
            model=thought.model,
            tokens=thought.tokens,
            reasoning=thought.reasoning,
            detail=thought.detail | {"said": said},
        )
        if done:
            chosen = thought.candidates[: policy.most_candidates]
            candidates = [add_candidate(connection, candidate, run, trace_id) for candidate in chosen]
            drafts = [add_draft(connection, draft, run, trace_id, candidates) for draft in thought.drafts]
        if outcome is not TraceOutcome.CANCELLED:
            became = finish_run(connection, run, done=done, said=said, most_attempts=policy.most_attempts)
    return Tick(
        queue_id=run.queue_id,
        subject=run.subject,
        trace_id=trace_id,
        outcome=outcome,
        became=became,
        said=said,
        candidates=tuple(candidates),
        drafts=tuple(number for number, _ in drafts),
        requests=tuple(request for _, request in drafts if request is not None),
        tokens=sum(thought.tokens),
    )
