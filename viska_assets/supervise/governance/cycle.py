"""One cycle of the daemon: look, decide, act; and where that fails, pause the writers before anything else."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import psycopg

from viska_assets.store.database import Connection, Database
from viska_assets.store.policy import Policy
from viska_assets.store.supervised.audit_rows import Head
from viska_assets.store.supervised.flags import Flag, flag_of, set_flag
from viska_assets.store.supervised.incidents import IncidentKind, Severity, add_incident
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.measures import DEPTH, Measures, read_measures
from viska_assets.store.supervised.metric_rows import Measured, keep_metrics
from viska_assets.store.supervised.policy_row import keep_policy
from viska_assets.supervise.connecting import NOT_CLAIMED
from viska_assets.supervise.governance.actions import ON_ITS_WORD, Action, Cancel, Pause, Tell, Throttle
from viska_assets.supervise.governance.chain_look import HEAD, look_at_chain
from viska_assets.supervise.governance.deciding import decide
from viska_assets.supervise.spool.files import aside_names, waiting_names
from viska_assets.supervise.spool.writing import is_away

# A value that stands still is measured anew after so long.
STILL = timedelta(hours=1)


class GovernanceError(RuntimeError):
    """A cycle failed; the message says which writers were paused for it."""


@dataclass(frozen=True)
class Cycle:
    """What a cycle saw and did: the actions that had an effect, and how many incidents were new."""

    measures: Measures
    actions: tuple[Action, ...]
    incidents: tuple[Tell, ...]
    requeued: int
    policy_sha256: str

    @property
    def is_quiet(self) -> bool:
        """Whether nothing was done that an operator would want to see."""
        return not self.incidents and not [action for action in self.actions if not isinstance(action, Tell)]


def run_cycle(database: Database, policy: Policy, spool: Path) -> Cycle:
    """Looks, decides and acts in one transaction, as governance.

    Args:
        database: governance's.
        policy: the desk's policy.
        spool: the folder of the writers' spools, which need not be there.
    """
    section = policy.governance
    with database.transaction() as connection:
        digest = keep_policy(connection, policy)
        head, faults = look_at_chain(connection, section.checked_links)
        measures = read_measures(
            connection,
            window=timedelta(seconds=section.window_seconds),
            domain_window=timedelta(seconds=section.domain_window_seconds),
            latency_window=timedelta(days=section.latency_days),
            calm_cycles=section.calm_cycles,
            spool=waiting_names(spool),
            spool_aside=aside_names(spool),
            chain_faults=faults,
        )
        actions = decide(measures, section)
        done = tuple(action for action in actions if _act(connection, action))
        expired = connection.execute("SELECT queue_id FROM nous.requeue_expired(%s)", (section.most_attempts,))
        requeued = len(expired.fetchall())
        keep_metrics(connection, _metrics(measures, head, digest, faults), always=frozenset({DEPTH}), at_least=STILL)
    incidents = tuple(action for action in done if isinstance(action, Tell))
    return Cycle(measures, done, incidents, requeued, digest)


def guarded_cycle(
    open_governance: Callable[[], Database],
    load_policy: Callable[[], Policy],
    owner: Database,
    spool: Path,
) -> Cycle:
    """A cycle that fails closed: whatever goes wrong, the writers are paused and that is told.

    Args:
        open_governance: gives governance's database.
        load_policy: reads the policy; one that cannot be read is a failure as any other.
        owner: by whom the writers are paused where governance cannot log in.
        spool: see ``run_cycle``.

    Raises:
        GovernanceError: the writers were paused.
        psycopg.OperationalError: the database is away, so that nobody writes and nobody can be paused.
    """
    for is_last in (False, True):
        policy, database = Policy(), None
        try:
            policy = load_policy()
            database = open_governance()
            return run_cycle(database, policy, spool)
        except Exception as error:
            if is_away(error) and not is_last:
                # Away for everybody, or for governance alone? The owner's failure leaves here; nobody writes then.
                with owner.transaction() as connection:
                    connection.execute("SELECT 1")
                if database:
                    # A pool that was refused waits longer and longer; a new one finds a server that is back at once.
                    database.close()
                continue
            why = f"the governance daemon cannot judge: {type(error).__name__}: {str(error).strip()[:300]}"
            paused = _stop(open_governance, owner, policy.governance.pauses_when_blind, why)
            raise GovernanceError(
                f"{why}; paused: {', '.join(paused) or 'nobody who was not paused already'}"
            ) from error
    raise AssertionError("the second try returns or raises")


def _stop(open_governance: Callable[[], Database], owner: Database, writers: tuple[Writer, ...], why: str) -> list[str]:
    try:
        return _pause_all(open_governance(), writers, why)
    except (psycopg.Error, RuntimeError):
        return _pause_all(owner, writers, why)


def _pause_all(database: Database, writers: tuple[Writer, ...], why: str) -> list[str]:
    with database.transaction() as connection:
        active = {row[0] for row in connection.execute("SELECT flag FROM governance.flag_cell WHERE value")}
        paused, event = [], ""
        for writer in writers:
            if flag_of(writer).value in active:
                event = f"flag:{set_flag(connection, flag_of(writer), False, reason=why, requested_by=ON_ITS_WORD)}"
                paused.append(writer.value)
        row = connection.execute("SELECT current_date").fetchone()
        add_incident(
            connection,
            IncidentKind.DAEMON_FAILURE,
            Severity.HIGH,
            detector="governance:daemon",
            detail=why,
            evidence={"paused": paused},
            key=f"daemon_failure:{event or why}:{row[0] if row else ''}",
        )
    return paused


def _act(connection: Connection, action: Action) -> bool:
    """Does one thing, and says whether it had an effect."""
    match action:
        case Tell():
            return add_incident(
                connection,
                action.kind,
                action.severity,
                detector=action.detector,
                detail=action.detail,
                evidence=action.evidence,
                key=action.key,
            )
        case Pause():
            set_flag(connection, flag_of(action.writer), False, reason=action.reason, requested_by=ON_ITS_WORD)
        case Throttle():
            set_flag(connection, Flag.NOUS_RATE_LIMIT, action.on, reason=action.reason, requested_by=ON_ITS_WORD)
        case Cancel():
            return _cancel(connection, action)
    return True


def _cancel(connection: Connection, action: Cancel) -> bool:
    """Cancels a run; one that ended in the meantime needs none."""
    try:
        with connection.transaction():
            connection.execute("SELECT nous.cancel_run(%s, %s)", (action.queue_id, action.reason))
    except psycopg.Error as error:
        if error.sqlstate != NOT_CLAIMED:
            raise
        return False
    return True


def _metrics(measures: Measures, head: Head, digest: str, faults: tuple[str, ...]) -> list[Measured]:
    rate = measures.rejection_rate
    values: dict[str, float] = {
        "rejections": len(measures.rejections),
        "verdicts": measures.approved + len(measures.rejections),
        "oldest_pending_seconds": round(measures.pending.seconds),
        "runs_waiting": measures.runs.count,
        "open_traces": len(measures.open_traces),
        "undelivered": measures.messages.count,
        "spool_depth": measures.spool,
        "drifted_traces": len(measures.drifted),
        "resume_requests": measures.resume_requests,
        **{name: round(value, 3) for name, value in measures.latencies.items()},
    }
    if rate is not None:
        values["rejection_rate"] = round(rate, 4)
    found = [Measured(name, float(value), {}, measures.at) for name, value in values.items()]
    found.append(Measured(DEPTH, float(measures.pending.count), {"policy": digest[:12]}, measures.at))
    if head.seq and not faults:
        found.append(Measured(HEAD, float(head.seq), {"hash": head.hash}, measures.at))
    return found
