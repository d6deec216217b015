"""What happens to drafts that fail the gate: into the queue, repaired and judged again, or discarded with a reason."""

from dataclasses import dataclass

from pydantic import ValidationError

from viska_assets.maintain.gating import Judged, judge_draft, judge_drafts, standing_world
from viska_assets.maintain.markdown import escape_markdown
from viska_assets.model.delta import ConceptDelta
from viska_assets.okf.log import LogKind
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Connection, Database
from viska_assets.store.quarantine import (
    Quarantined,
    add_resolution,
    is_open,
    quarantine,
    quarantined_by_id,
    write_verdict,
)
from viska_assets.store.registry import (
    Draft,
    Event,
    add_events,
    draft_by_id,
    drafts_with_status,
    reopen_later_drafts,
    set_draft_status,
)


class QuarantineError(ValueError):
    """A quarantined draft cannot be resolved as asked; the message says why and what to do."""


@dataclass(frozen=True)
class Resolution:
    """What a resubmission or a discard came to."""

    quarantine_id: int
    action: str
    codes: tuple[str, ...]


def judge_pending(database: Database, engine: str) -> list[Judged]:
    """Judges every pending draft and stores the verdicts; the drafts stay pending.

    What was judged before an older document arrived is judged again with it.
    """
    with database.transaction() as connection:
        reopen_later_drafts(connection)
        evidence = StoredEvidence(connection)
        drafts = drafts_with_status(connection, "pending")
        judged = judge_drafts(standing_world(connection, evidence), evidence, drafts)
        for answer in judged:
            write_verdict(connection, answer.draft.draft_id, answer.verdict, answer.text, engine)
    return judged


def quarantine_failures(database: Database, engine: str) -> int:
    """Moves every pending draft that fails the gate into the queue and says how many were new there."""
    added = 0
    with database.transaction() as connection:
        drafts, evidence = drafts_with_status(connection, "pending"), StoredEvidence(connection)
        for answer in judge_drafts(standing_world(connection, evidence), evidence, drafts):
            if answer.verdict.passed:
                continue
            write_verdict(connection, answer.draft.draft_id, answer.verdict, answer.text, engine)
            delta = answer.draft.delta
            added += quarantine(connection, answer.draft, answer.verdict, answer.text, engine, delta.known_at)
            set_draft_status(connection, answer.draft.draft_id, "quarantined")
            codes = escape_markdown(", ".join(answer.verdict.codes))
            text = f"draft of {escape_markdown(delta.title)}: {codes}"
            event = Event(delta.known_at.date(), LogKind.QUARANTINE.value, text, answer.draft.document_id)
            add_events(connection, [event])
    return added


def resubmit(
    database: Database, quarantine_id: int, *, actor: str, reason: str, engine: str, payload: str | None = None
) -> Resolution:
    """Judges a quarantined draft again, as it is or as an operator has edited it.

    Args:
        database: holds the queue.
        quarantine_id: which draft.
        actor: who asks, for the trail.
        reason: why, for the trail.
        engine: the engine version in force.
        payload: the edited delta as JSON; the concept and the document may not change.

    Returns:
        ``accepted`` (the draft is pending again and joins the bundle with the next write) or ``refused`` with codes.

    Raises:
        QuarantineError: where the draft is unknown or resolved, or the payload does not fit.
    """
    with database.transaction() as connection:
        item = _open_item(connection, quarantine_id)
        stored = draft_by_id(connection, item.draft_id)
        assert stored is not None
        delta = _edited(item, payload)
        evidence = StoredEvidence(connection)
        answer = judge_draft(
            standing_world(connection, evidence),
            evidence,
            Draft(
                stored.draft_id,
                stored.document_id,
                stored.drafter,
                delta,
                findings=stored.findings if payload is None else (),
            ),
        )
        add_resolution(connection, quarantine_id, "resubmitted", reason, actor, delta)
        if answer.verdict.passed:
            set_draft_status(connection, item.draft_id, "pending", delta)
            add_resolution(connection, quarantine_id, "accepted", "the gate passed it", f"process:gate-{engine}")
            return Resolution(quarantine_id, "accepted", ())
        codes = answer.verdict.codes
        add_resolution(connection, quarantine_id, "refused", ", ".join(codes), f"process:gate-{engine}")
        return Resolution(quarantine_id, "refused", codes)


def discard(database: Database, quarantine_id: int, *, actor: str, reason: str) -> Resolution:
    """Takes a quarantined draft out of the queue for good; its payload and trail stay.

    Raises:
        QuarantineError: where the reason is empty, or the draft is unknown or resolved.
    """
    if not reason.strip():
        raise QuarantineError("a discard needs a reason: it is kept for the auditor")
    with database.transaction() as connection:
        item = _open_item(connection, quarantine_id)
        add_resolution(connection, quarantine_id, "discarded", reason, actor)
        set_draft_status(connection, item.draft_id, "discarded")
    return Resolution(quarantine_id, "discarded", item.codes)


def _open_item(connection: Connection, quarantine_id: int) -> Quarantined:
    item = quarantined_by_id(connection, quarantine_id)
    if item is None:
        raise QuarantineError(f"there is no quarantined draft {quarantine_id}; `viska quarantine list` shows them")
    if not is_open(connection, quarantine_id):
        raise QuarantineError(f"quarantined draft {quarantine_id} is resolved already")
    return item


def _edited(item: Quarantined, payload: str | None) -> ConceptDelta:
    if payload is None:
        return item.delta
    try:
        delta = ConceptDelta.model_validate_json(payload)
    except ValidationError as error:
        raise QuarantineError(f"the payload is no delta: {error}") from error
    if (delta.concept_id, delta.document_id) != (item.concept_id, item.document_id):
        raise QuarantineError("the payload changes the concept or the document of the draft; edit its content only")
    return delta
