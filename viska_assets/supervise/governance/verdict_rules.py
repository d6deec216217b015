"""Rules over verdicts: too many, gibberish, a source that keeps injecting, drifted models, refusals that tell."""

from collections.abc import Iterator

from viska_assets.store.policy_governance import GovernanceSection
from viska_assets.store.supervised.incidents import IncidentKind, Severity, about_artifact
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.measures import Measures
from viska_assets.store.supervised.verdicts import Cause
from viska_assets.supervise.governance.actions import Action, Pause, Tell

MOST_NAMED = 20
TELLING = {
    Cause.RISK: (IncidentKind.RISK_BREACH, Severity.HIGH),
    Cause.INJECTION: (IncidentKind.INJECTION, Severity.MEDIUM),
    Cause.MODEL_DRIFT: (IncidentKind.MODEL_DRIFT, Severity.HIGH),
    Cause.AGE: (IncidentKind.EXPIRED, Severity.MEDIUM),
}


def too_many_rejections(measures: Measures, policy: GovernanceSection) -> Iterator[Action]:
    """More rejections in the window than the policy bears pause nous (G057)."""
    count = len(measures.rejections)
    if count <= policy.most_rejections or not measures.is_active(Writer.NOUS):
        return
    reason = f"{count} rejections in {policy.window_seconds} s; {policy.most_rejections} are borne"
    yield Pause(Writer.NOUS, reason)
    yield Tell(
        IncidentKind.PAUSED,
        Severity.HIGH,
        "governance:rejections",
        f"nous was paused: {reason}",
        f"paused:rejections:{measures.rejections[-1]}",
        {"artifacts": _newest(measures.rejections), "rejections": count},
    )


def gibberish(measures: Measures, policy: GovernanceSection) -> Iterator[Action]:
    """A share of rejections above the policy's, among enough verdicts, is told; pausing is left to the operator (G080).

    It is told once a window.
    """
    verdicts, rate = measures.approved + len(measures.rejections), measures.rejection_rate
    if rate is None or verdicts < policy.least_verdicts or rate <= policy.gibberish_rate:
        return
    told = measures.told.get("governance:rejection_rate")
    if told and measures.judged_since and told > measures.judged_since:
        return
    yield Tell(
        IncidentKind.GIBBERISH,
        Severity.HIGH,
        "governance:rejection_rate",
        f"{rate:.0%} of {verdicts} verdicts in {policy.window_seconds} s are rejections; an operator may pause nous",
        f"gibberish:{measures.rejections[-1]}",
        {"artifacts": _newest(measures.rejections), "verdicts": verdicts, "rate": round(rate, 4)},
    )


def injecting_source(measures: Measures, policy: GovernanceSection) -> Iterator[Action]:
    """Candidates of one source that were scrubbed too often pause nous (G086); an unnamed source counts as one."""
    for source in measures.scrubbed:
        if len(source.artifacts) < policy.most_scrubbed or not measures.is_active(Writer.NOUS):
            continue
        name = source.domain or "a source without a name"
        reason = f"{len(source.artifacts)} candidates from {name} were scrubbed in {policy.domain_window_seconds} s"
        yield Pause(Writer.NOUS, reason)
        yield Tell(
            IncidentKind.INJECTION,
            Severity.HIGH,
            "governance:source_domain",
            f"nous was paused: {reason}",
            f"injection:{source.domain}:{source.artifacts[-1]}",
            {"source_domain": source.domain, "artifacts": _newest(source.artifacts)},
        )


def drifted_models(measures: Measures, _: GovernanceSection) -> Iterator[Action]:
    """Every trace that ended because another model answered than the pinned one is told (G088)."""
    for trace_id in measures.drifted:
        yield Tell(
            IncidentKind.MODEL_DRIFT,
            Severity.HIGH,
            "governance:model_pin",
            f"trace {trace_id} was answered by another model than the pinned one",
            f"model_drift:trace:{trace_id}",
            {"trace_id": trace_id},
        )


def runaway_traces(measures: Measures, _: GovernanceSection) -> Iterator[Action]:
    """Every trace that ended over its budget or its time is told; it has proposed nothing (G073)."""
    for trace_id in measures.runaway:
        yield Tell(
            IncidentKind.LOOP,
            Severity.MEDIUM,
            "governance:run_budget",
            f"trace {trace_id} ended over its budget of tokens or its time; nothing of it was proposed",
            f"loop:over:{trace_id}",
            {"trace_id": trace_id},
        )


def telling_refusals(measures: Measures, _: GovernanceSection) -> Iterator[Action]:
    """A refusal for risk, injection, drift or age is an incident of its own (G083, G086, G088).

    The review writes the same incident under the same key; here it is written where the review did not.
    """
    for refusal in measures.refusals:
        if refusal.cause not in TELLING:
            continue
        kind, severity = TELLING[refusal.cause]
        yield Tell(
            kind,
            severity,
            "governance:verdicts",
            f"artifact {refusal.artifact_id} was refused: {refusal.cause.value}",
            about_artifact(kind, refusal.artifact_id),
            {"artifact_id": refusal.artifact_id},
        )


def _newest(artifacts: tuple[int, ...]) -> list[int]:
    return list(artifacts[-MOST_NAMED:])
