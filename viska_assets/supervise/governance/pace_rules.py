"""Rules over time: the review queue's depth slows nous, a trace that never ends is cancelled, silence is told."""

from collections.abc import Iterator

from viska_assets.store.policy_governance import GovernanceSection
from viska_assets.store.supervised.flags import Flag
from viska_assets.store.supervised.incidents import IncidentKind, Severity
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.measures import Measures, Waiting
from viska_assets.supervise.governance.actions import Action, Cancel, Tell, Throttle


def throttle(measures: Measures, policy: GovernanceSection) -> Iterator[Action]:
    """Nous is slowed above the threshold, and let go after so many cycles below half of it (G058, G087)."""
    depth, limit = measures.pending.count, policy.queue_threshold
    word = measures.flags.get(Flag.NOUS_RATE_LIMIT)
    slowed = bool(word and word.value)
    if depth > limit and not slowed:
        reason = f"{depth} artifacts wait for a verdict; {limit} are borne"
        yield Throttle(True, reason)
        yield Tell(
            IncidentKind.QUEUE_BACKUP,
            Severity.HIGH,
            "governance:queue_depth",
            f"nous was slowed: {reason}",
            f"queue_backup:{measures.pending.oldest}:{word.at.isoformat() if word else ''}",
            {"depth": depth, "oldest_artifact": measures.pending.oldest},
        )
    last = (depth, *measures.depths)[: policy.calm_cycles]
    if slowed and len(last) == policy.calm_cycles and all(2 * value < limit for value in last):
        yield Throttle(False, f"fewer than half of {limit} artifacts waited for {policy.calm_cycles} cycles")


def endless_trace(measures: Measures, policy: GovernanceSection) -> Iterator[Action]:
    """The run of a trace that is open for too long is cancelled, and that is told (G081)."""
    for trace in measures.open_traces:
        if trace.seconds <= policy.run_seconds:
            continue
        reason = f"trace {trace.trace_id} is open for more than {policy.run_seconds:g} s"
        if trace.queue_id is not None:
            yield Cancel(trace.queue_id, reason)
        yield Tell(
            IncidentKind.LOOP,
            Severity.HIGH,
            "governance:trace_watchdog",
            reason if trace.queue_id is None else f"{reason}; run {trace.queue_id} was cancelled",
            f"loop:trace:{trace.trace_id}",
            {"trace_id": trace.trace_id, "queue_id": trace.queue_id},
        )


def silence(measures: Measures, policy: GovernanceSection) -> Iterator[Action]:
    """A writer that is active, has work waiting and does none is told, once for the work that waits longest."""
    for writer, what, waiting in (
        (Writer.NOUS, "run", measures.runs),
        (Writer.PLUTUS, "artifact", measures.pending),
    ):
        if measures.is_active(writer) and _is_overdue(waiting, policy.silence_seconds):
            yield Tell(
                IncidentKind.SILENCE,
                Severity.HIGH,
                f"governance:silence:{writer.value}",
                f"{writer.value} did nothing for {policy.silence_seconds:g} s while {what} {waiting.oldest} waited",
                f"silence:{writer.value}:{waiting.oldest}",
                {what: waiting.oldest, "waiting": waiting.count},
            )


def undelivered(measures: Measures, policy: GovernanceSection) -> Iterator[Action]:
    """Messages that Slack does not have for too long mean that mastra or Slack is out (G085)."""
    waiting = measures.messages
    if waiting.count and waiting.seconds > policy.outage_seconds and measures.is_active(Writer.MASTRA):
        yield Tell(
            IncidentKind.MASTRA_OUTAGE,
            Severity.HIGH,
            "governance:undelivered",
            f"message {waiting.oldest} waits for Slack for more than {policy.outage_seconds:g} s",
            f"mastra_outage:outbox:{waiting.oldest}",
            {"outbox_id": waiting.oldest, "undelivered": waiting.count},
        )


def spooled(measures: Measures, _: GovernanceSection) -> Iterator[Action]:
    """Writes that wait in the spool are told, once for the oldest; one kept aside is told by name (G084)."""
    if measures.spool:
        yield Tell(
            IncidentKind.WRITE_FAILURE,
            Severity.HIGH,
            "governance:spool",
            f"{measures.spool} writes wait in the spool since {measures.oldest_spooled}",
            f"write_failure:{measures.oldest_spooled}",
            {"oldest": measures.oldest_spooled, "files": measures.spool},
        )
    for name in measures.spool_aside:
        yield Tell(
            IncidentKind.WRITE_FAILURE,
            Severity.HIGH,
            "governance:spool",
            f"{name} cannot be replayed and was kept aside; `viska spool list` says why",
            f"spool_aside:{name}",
            {"aside": name},
        )


def _is_overdue(waiting: Waiting, seconds: float) -> bool:
    return bool(waiting.count) and waiting.seconds > seconds and waiting.idle_seconds > seconds
