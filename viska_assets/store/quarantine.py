"""Rows of ``gate``: verdicts, the quarantine queue and the trail of its resolutions."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from viska_assets.model.delta import ConceptDelta
from viska_assets.model.verdict import Verdict
from viska_assets.store.codec import from_json, to_jsonb
from viska_assets.store.database import Connection
from viska_assets.store.registry import Draft


@dataclass(frozen=True)
class Quarantined:
    """A draft that failed the gate, with all that is needed to judge it again."""

    quarantine_id: int
    draft_id: str
    concept_id: str
    document_id: str
    document_name: str
    codes: tuple[str, ...]
    page_text: str
    engine: str
    quarantined_at: datetime
    delta: ConceptDelta
    verdict: Verdict


def write_verdict(connection: Connection, draft_id: str, verdict: Verdict, page_text: str, engine: str) -> None:
    """Stores the gate's answer for a draft under an engine version, unless that is what it last answered.

    Answers differ where the bundle has changed: a draft is judged again when an older document arrives.
    """
    connection.execute(
        """
        INSERT INTO gate.verdict (draft_id, engine, passed, codes, verdict, page_text)
        SELECT %(draft)s, %(engine)s, %(passed)s, %(codes)s, %(verdict)s, %(text)s
        WHERE NOT EXISTS (
            SELECT 1 FROM (
                SELECT passed, page_text FROM gate.verdict WHERE draft_id = %(draft)s AND engine = %(engine)s
                ORDER BY verdict_no DESC LIMIT 1) last
            WHERE last.passed = %(passed)s AND last.page_text = %(text)s)
        """,
        {
            "draft": draft_id,
            "engine": engine,
            "passed": verdict.passed,
            "codes": list(verdict.codes),
            "verdict": to_jsonb(Verdict, verdict),
            "text": page_text,
        },
    )


def verdicts(connection: Connection, draft_ids: list[str]) -> dict[str, Verdict]:
    """The newest verdict of each named draft."""
    rows = connection.execute(
        """
        SELECT DISTINCT ON (draft_id) draft_id, verdict FROM gate.verdict WHERE draft_id = ANY(%s)
        ORDER BY draft_id, verdict_no DESC
        """,
        (draft_ids,),
    )
    return {row[0]: from_json(Verdict, row[1]) for row in rows}


def quarantine(
    connection: Connection, draft: Draft, verdict: Verdict, page_text: str, engine: str, at: datetime
) -> bool:
    """Puts a failing draft into the queue, or back where it had been accepted; says whether it was not waiting."""
    added = connection.execute(
        """
        INSERT INTO gate.quarantine
            (draft_id, concept_id, document_id, source_ids, codes, delta, page_text, engine, quarantined_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (draft_id) DO NOTHING
        """,
        (
            draft.draft_id,
            draft.delta.concept_id,
            draft.document_id,
            sorted(cited_documents(draft.delta)),
            list(verdict.codes),
            to_jsonb(ConceptDelta, draft.delta),
            page_text,
            engine,
            at,
        ),
    ).rowcount
    returned = connection.execute(
        """
        INSERT INTO gate.resolution (quarantine_id, action, reason, actor)
        SELECT q.quarantine_id, 'reopened', 'judged again, it fails', %s FROM gate.quarantine q
        WHERE q.draft_id = %s AND NOT EXISTS (SELECT 1 FROM gate.open_quarantine o WHERE o.draft_id = q.draft_id)
        """,
        (f"process:gate-{engine}", draft.draft_id),
    ).rowcount
    return added + returned == 1


def cited_documents(delta: ConceptDelta) -> set[str]:
    """The Source pages that a delta cites, and the document it comes from."""
    found = {delta.document_id}
    _collect_sources(delta.model_dump(mode="json"), found)
    return found


def _collect_sources(node: Any, found: set[str]) -> None:
    if isinstance(node, dict):
        if node.get("kind") == "citation":
            found.add(node["source"])
        for value in node.values():
            _collect_sources(value, found)
    elif isinstance(node, list):
        for value in node:
            _collect_sources(value, found)


_QUEUE = """
    SELECT q.quarantine_id, q.draft_id, q.concept_id, q.document_id, d.name, q.codes, q.page_text, q.engine,
        q.quarantined_at, q.delta,
        (SELECT v.verdict FROM gate.verdict v WHERE v.draft_id = q.draft_id AND NOT v.passed
         ORDER BY v.verdict_no DESC LIMIT 1)
    FROM {table} q JOIN raw.document d USING (document_id)
"""


def open_quarantine(connection: Connection) -> list[Quarantined]:
    """The drafts that wait for an operator, oldest first."""
    query = _QUEUE.format(table="gate.open_quarantine") + " ORDER BY q.quarantined_at, q.quarantine_id"
    return [_quarantined(row) for row in connection.execute(query)]


def settle_open(connection: Connection, draft_id: str, reason: str, actor: str) -> None:
    """Resolves a draft's open place in the queue as accepted, where it has one."""
    connection.execute(
        """
        INSERT INTO gate.resolution (quarantine_id, action, reason, actor)
        SELECT quarantine_id, 'accepted', %s, %s FROM gate.open_quarantine WHERE draft_id = %s
        """,
        (reason, actor, draft_id),
    )


def quarantined_by_id(connection: Connection, quarantine_id: int) -> Quarantined | None:
    """One quarantined draft, resolved or not."""
    query = _QUEUE.format(table="gate.quarantine") + " WHERE q.quarantine_id = %s"
    row = connection.execute(query, (quarantine_id,)).fetchone()
    return _quarantined(row) if row else None


def is_open(connection: Connection, quarantine_id: int) -> bool:
    """Whether a quarantined draft still waits."""
    row = connection.execute("SELECT 1 FROM gate.open_quarantine WHERE quarantine_id = %s", (quarantine_id,)).fetchone()
    return row is not None


def add_resolution(
    connection: Connection,
    quarantine_id: int,
    action: str,
    reason: str,
    actor: str,
    payload: ConceptDelta | None = None,
) -> None:
    """Appends to the trail of one quarantined draft."""
    connection.execute(
        """
        INSERT INTO gate.resolution (quarantine_id, action, reason, actor, payload) VALUES (%s, %s, %s, %s, %s)
        """,
        (quarantine_id, action, reason, actor, to_jsonb(ConceptDelta, payload) if payload else None),
    )


def resolutions(connection: Connection, quarantine_id: int) -> list[dict[str, str]]:
    """What has been done about one quarantined draft, oldest first."""
    rows = connection.execute(
        """
        SELECT action, reason, actor, recorded_at FROM gate.resolution WHERE quarantine_id = %s ORDER BY resolution_id
        """,
        (quarantine_id,),
    )
    return [{"action": a, "reason": r, "actor": who, "at": at.isoformat()} for a, r, who, at in rows]


def _quarantined(row: tuple[Any, ...]) -> Quarantined:
    *plain, delta, verdict = row
    number, draft, concept, document, name, codes, text, engine, at = plain
    return Quarantined(
        number,
        draft,
        concept,
        document,
        name,
        tuple(codes),
        text,
        engine,
        at,
        from_json(ConceptDelta, delta),
        from_json(Verdict, verdict),
    )
