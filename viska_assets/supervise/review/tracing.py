"""Whether the run that proposed an artifact is on record, ended well, kept to its budget and was the pinned model."""

from viska_assets.store.supervised.incidents import IncidentKind
from viska_assets.store.supervised.review_rows import TraceSeen
from viska_assets.store.supervised.verdicts import Cause

DETERMINISTIC = "viska-anomalies/"


def against_trace(trace: TraceSeen | None, pin: str) -> tuple[Cause, str, IncidentKind | None] | None:
    """What speaks against a trace: cause, words and incident; None where nothing does.

    Args:
        trace: the run, None where the artifact names none.
        pin: the model id that the desk's policy names; empty where the run's own pin counts.
    """
    if trace is None:
        return Cause.MISSING_TRACE, "it names no trace", None
    wanted = "" if trace.engine.startswith(DETERMINISTIC) else pin or trace.model_pinned
    if trace.outcome == "drifted" or (trace.outcome and trace.model_answered != wanted):
        said = f"{trace.model_answered or 'no model'} answered, pinned is {wanted or 'none'}"
        return Cause.MODEL_DRIFT, said, IncidentKind.MODEL_DRIFT
    if not trace.engine.startswith(DETERMINISTIC) and trace.outcome and not wanted:
        return Cause.MODEL_DRIFT, "no model is pinned for this run", IncidentKind.MODEL_DRIFT
    if trace.outcome == "over_budget" or trace.tokens > trace.token_budget:
        said = f"{trace.tokens} tokens of {trace.token_budget} were used"
        return Cause.OVER_BUDGET, said, IncidentKind.LOOP
    if trace.outcome != "completed":
        return Cause.MISSING_TRACE, f"its trace {trace.trace_id} is {trace.outcome or 'open'}, not completed", None
    return None
