"""The first half of the maintainer pass: every new document to its drafts, stored as pending."""

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Protocol

from viska_assets.model.delta import ConceptDelta
from viska_assets.model.verdict import Finding
from viska_assets.store.database import Connection, Database
from viska_assets.store.registry import Draft, add_drafts, undrafted_documents


class Drafter(Protocol):
    """Reads one document of the retrieval tier and says what it adds to which concepts."""

    name: str

    def draft(self, connection: Connection, document_id: str) -> Sequence[ConceptDelta]:
        """The deltas of one document; an empty list where it has nothing to say."""
        ...


def draft_documents(
    database: Database, drafter: Drafter, *, progress: Callable[[str], None] = lambda _: None
) -> dict[str, int]:
    """Drafts every ingested document that this drafter has not read, each in one transaction.

    Returns:
        The number of drafts by document id.
    """
    with database.transaction() as connection:
        waiting = undrafted_documents(connection, drafter.name)
    counts = {}
    for document_id in waiting:
        with database.transaction() as connection:
            deltas = drafter.draft(connection, document_id)
            drafts = [Draft(draft_id(delta, drafter.name), document_id, drafter.name, delta) for delta in deltas]
            add_drafts(connection, document_id, drafter.name, drafts)
        counts[document_id] = len(drafts)
        progress(document_id)
    return counts


def draft_id(delta: ConceptDelta, drafter: str, findings: Sequence[Finding] = ()) -> str:
    """The hash of a delta, its drafter's findings and who drafted it: the same draft twice is one draft."""
    found = [[finding.code, finding.message, finding.claim] for finding in findings]
    payload = json.dumps([drafter, delta.model_dump(mode="json"), *([found] if found else [])], sort_keys=True)
    return hashlib.sha256(payload.encode()).hexdigest()[:24]
