"""A review session: each pending artifact through the four checks to one verdict, each in its own transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

import psycopg

from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Connection, Database
from viska_assets.store.policy_loop import LoopSection
from viska_assets.store.supervised.flags import may_write
from viska_assets.store.supervised.incidents import IncidentKind, Severity, about_artifact, add_incident, add_metric
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.review_rows import Artifact, database_now, read_artifact
from viska_assets.store.supervised.verdicts import (
    ArtifactKind,
    Cause,
    Pending,
    approve,
    expire,
    open_session,
    pending,
    record_check,
    reject,
    say,
)
from viska_assets.supervise.review.injection import check_injection
from viska_assets.supervise.review.outcome import CheckOutcome
from viska_assets.supervise.review.provenance import check_provenance
from viska_assets.supervise.review.risk import CLASSES, check_risk, needs_waiver
from viska_assets.supervise.review.sanity import check_sanity

REVIEWER = "viska-review/1"
EXCERPT = 300
OF_TRACE = (Cause.MISSING_TRACE, Cause.MODEL_DRIFT, Cause.OVER_BUDGET)
# What is turned away for several reasons is counted under the first of these.
FIRST_CAUSE = (*OF_TRACE, Cause.INJECTION, Cause.DUPLICATE, Cause.SANITY, Cause.RISK, Cause.PROVENANCE)
GRAVE = frozenset({IncidentKind.MODEL_DRIFT, IncidentKind.RISK_BREACH})


class Became(StrEnum):
    """What a session made of an artifact."""

    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    WAITS = "waits"
    TAKEN = "taken"


@dataclass(frozen=True)
class Judged:
    """One artifact of a session: what became of it, why, and how its checks went."""

    artifact_id: int
    kind: ArtifactKind
    became: Became
    cause: Cause | None
    said: str
    checks: tuple[CheckOutcome, ...] = ()


@dataclass(frozen=True)
class Reviewed:
    """A session. ``skipped`` says why nothing was looked at, and is empty otherwise."""

    review_session_id: str
    judged: tuple[Judged, ...] = ()
    skipped: str = ""
    depth: int = 0
    counts: dict[Became, int] = field(default_factory=dict)


def review(
    database: Database, policy: LoopSection, review_session_id: str, *, now: datetime | None = None, pin: str = ""
) -> Reviewed:
    """Judges what is pending: first what is in the window, oldest first; then ends the wait of what is older.

    Run again under the same session it goes on where it stopped and judges nothing twice; of two sessions at once one
    judges each artifact.

    Args:
        database: plutus's.
        policy: the desk's numbers.
        review_session_id: the Dagster run, under which the transcript is kept.
        now: the present, where it is not the database's.
        pin: the model id that must have answered; the policy's goes first.
    """
    with database.transaction() as connection:
        if not may_write(connection, Writer.PLUTUS, f"review:{review_session_id}"):
            return Reviewed(review_session_id, skipped="plutus is paused")
        present = now or database_now(connection)
        waiting = pending(connection, policy.review.batch)
        if not waiting:
            add_metric(connection, "plutus_queue_depth", 0, {}, key=f"depth:{review_session_id}")
            return Reviewed(review_session_id, skipped="nothing is pending")
        open_session(connection, review_session_id, REVIEWER)
    since = present - timedelta(hours=policy.review.window_hours)
    fresh = [artifact for artifact in waiting if artifact.recorded_at >= since]
    old = [artifact for artifact in waiting if artifact.recorded_at < since]
    judge = _Judge(database, policy, review_session_id, present, policy.nous.model or pin)
    judged = tuple(judge.judge(artifact, in_window=place < len(fresh)) for place, artifact in enumerate([*fresh, *old]))
    counts = {became: sum(1 for found in judged if found.became is became) for became in Became}
    with database.transaction() as connection:
        depth = len(pending(connection, policy.review.batch))
        add_metric(connection, "plutus_queue_depth", depth, {}, key=f"depth:{review_session_id}")
    return Reviewed(review_session_id, judged, depth=depth, counts=counts)


def checks_of(artifact: Artifact, policy: LoopSection, evidence: StoredEvidence, pin: str) -> tuple[CheckOutcome, ...]:
    """The four checks of an artifact, in the order of the checklist."""
    evidence.preload(str(given["chunk_id"]) for given in artifact.citations)
    return (
        check_sanity(artifact, policy.review, pin),
        check_risk(artifact, policy.risk),
        check_provenance(artifact, evidence, own_entity=policy.review.restrict_entity),
        check_injection(artifact),
    )


@dataclass(frozen=True)
class _Judge:
    """What every verdict of a session needs."""

    database: Database
    policy: LoopSection
    session: str
    now: datetime
    pin: str

    def judge(self, waiting: Pending, *, in_window: bool) -> Judged:
        """One artifact; where another session was faster, that one's verdict stands and nothing of this is kept."""
        try:
            with self.database.transaction() as connection:
                artifact = read_artifact(connection, waiting, self.policy.review.duplicate_days)
                return self._verdict(connection, artifact, in_window)
        except psycopg.errors.UniqueViolation:
            return Judged(waiting.artifact_id, waiting.kind, Became.TAKEN, None, "another session judged it")

    def _verdict(self, connection: Connection, artifact: Artifact, in_window: bool) -> Judged:
        age = self.now - artifact.pending.recorded_at
        waits_for_operator = artifact.waited and needs_sign_off(artifact, self.policy) and not artifact.signed_off
        patience = timedelta(hours=self.policy.review.sign_off_hours)
        if waits_for_operator and age < patience:
            return self._waits(artifact, "an operator's sign-off (viska review sign-off)")
        if not in_window and not (artifact.signed_off and age < patience):
            return self._expire(connection, artifact, age)
        open_test = next((t for t in artifact.backtests if t.accepted is None and not t.failed), None)
        if open_test and self.now - open_test.asked_at < timedelta(hours=self.policy.review.backtest_hours):
            return self._waits(artifact, f"backtest {open_test.request_id}")
        outcomes = checks_of(artifact, self.policy, StoredEvidence(connection), self.pin)
        for outcome in outcomes:
            record_check(
                connection,
                artifact.pending,
                outcome.check,
                self.session,
                passed=outcome.passed,
                detail=outcome.detail,
            )
            passed = "holds" if outcome.passed else "; ".join(outcome.faults)
            say(connection, self.session, f"{_name(artifact)} {outcome.check}: {passed}", artifact.artifact_id)
        failed = [outcome for outcome in outcomes if not outcome.passed]
        if open_test:
            return self._reject(
                connection, artifact, Cause.RISK, f"its backtest {open_test.request_id} was never run", outcomes
            )
        if failed:
            first = min(failed, key=lambda o: FIRST_CAUSE.index(o.cause or Cause.SANITY))
            self._incidents(connection, artifact, failed)
            return self._reject(connection, artifact, first.cause or Cause.SANITY, _all(failed, first), outcomes)
        if needs_sign_off(artifact, self.policy) and not artifact.signed_off:
            say(connection, self.session, f"{_name(artifact)} waits for an operator's sign-off", artifact.artifact_id)
            return self._waits(artifact, "an operator's sign-off (viska review sign-off)", outcomes)
        excerpt = f"{_name(artifact)}: four checks hold; {len(artifact.citations)} citations. {artifact.title}"[
            :EXCERPT
        ]
        approve(connection, artifact.pending, self.session, excerpt)
        say(connection, self.session, f"approved: {excerpt}", artifact.artifact_id)
        return Judged(artifact.artifact_id, artifact.kind, Became.APPROVED, None, excerpt, outcomes)

    def _waits(self, artifact: Artifact, what: str, outcomes: tuple[CheckOutcome, ...] = ()) -> Judged:
        return Judged(artifact.artifact_id, artifact.kind, Became.WAITS, None, f"waits for {what}", outcomes)

    def _reject(
        self,
        connection: Connection,
        artifact: Artifact,
        cause: Cause,
        why: str,
        outcomes: tuple[CheckOutcome, ...],
    ) -> Judged:
        excerpt = f"{_name(artifact)}: {cause}: {why}"[:EXCERPT]
        reject(connection, artifact.pending, self.session, cause, why, excerpt)
        say(connection, self.session, f"rejected: {excerpt}", artifact.artifact_id)
        return Judged(artifact.artifact_id, artifact.kind, Became.REJECTED, cause, why, outcomes)

    def _expire(self, connection: Connection, artifact: Artifact, age: timedelta) -> Judged:
        why = f"no verdict in {age.total_seconds() / 3600:.1f} hours"
        expire(connection, artifact.pending, self.session, why)
        say(connection, self.session, f"expired: {_name(artifact)}: {why}", artifact.artifact_id)
        add_incident(
            connection,
            IncidentKind.EXPIRED,
            Severity.MEDIUM,
            detector="plutus_review",
            detail=f"{_name(artifact)} was never reviewed: {why}",
            evidence={"artifact_id": artifact.artifact_id, "review_session_id": self.session},
            key=about_artifact(IncidentKind.EXPIRED, artifact.artifact_id),
        )
        return Judged(artifact.artifact_id, artifact.kind, Became.EXPIRED, Cause.AGE, why)

    def _incidents(self, connection: Connection, artifact: Artifact, failed: Sequence[CheckOutcome]) -> None:
        for outcome in failed:
            if outcome.incident is None:
                continue
            add_incident(
                connection,
                outcome.incident,
                Severity.HIGH if outcome.incident in GRAVE else Severity.MEDIUM,
                detector=f"plutus_review:{outcome.check}",
                detail=f"{_name(artifact)} was turned away: {outcome.check} found {outcome.faults[0][:200]}",
                evidence={
                    "artifact_id": artifact.artifact_id,
                    "trace_id": artifact.trace.trace_id if artifact.trace else None,
                    "chunk_ids": [str(given["chunk_id"]) for given in artifact.citations],
                    "source_domain": artifact.pending.source_domain,
                    "review_session_id": self.session,
                },
                key=about_artifact(outcome.incident, artifact.artifact_id),
            )


def needs_sign_off(artifact: Artifact, policy: LoopSection) -> bool:
    """Whether an operator must put a name to it: a draft above the class, or one whose backtest needs a waiver."""
    if artifact.kind is ArtifactKind.SIGNAL:
        return False
    above = CLASSES.index(artifact.rest["risk_class"]) > CLASSES.index(policy.review.sign_off_above)
    return above or needs_waiver(artifact)


def _name(artifact: Artifact) -> str:
    return f"{artifact.kind} {artifact.artifact_id}"


def _all(failed: Sequence[CheckOutcome], first: CheckOutcome) -> str:
    ordered = [first, *(outcome for outcome in failed if outcome is not first)]
    return " | ".join(f"{outcome.check}: {'; '.join(outcome.faults)}" for outcome in ordered)[:2000]
