"""The gate's answers over what stands: drafts that wait or are quarantined, and the pages of the bundle."""

from dataclasses import dataclass

from viska_assets.guardrail.gate import judge
from viska_assets.maintain.world import load_world
from viska_assets.model.verdict import Verdict
from viska_assets.okf.page import parse_page
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Database
from viska_assets.store.quarantine import open_quarantine, verdicts
from viska_assets.store.registry import drafts_with_status, live_pages


@dataclass(frozen=True)
class Audited:
    """A page or draft and the gate's answer."""

    path: str
    verdict: Verdict


def audit_drafts(database: Database) -> list[Audited]:
    """The verdicts of all pending drafts and of those that wait in quarantine."""
    with database.transaction() as connection:
        pending = drafts_with_status(connection, "pending")
        waiting = [item.draft_id for item in open_quarantine(connection)]
        found = verdicts(connection, [*(draft.draft_id for draft in pending), *waiting])
    return [Audited(verdict.path, verdict) for _, verdict in sorted(found.items())]


def audit_bundle(database: Database) -> list[Audited]:
    """Judges every live page again, against the evidence as it is now."""
    with database.transaction() as connection:
        world, evidence = load_world(connection), StoredEvidence(connection)
        audited = []
        for page in live_pages(connection):
            path = f"{page.concept_id}.md"
            sources = parse_page(page.text, path).page.head.sources
            evidence.preload(entry.chunk for entry in sources if entry.chunk)
            audited.append(Audited(path, judge(page.text, path, world, evidence)))
    return audited
