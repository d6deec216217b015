"""The gate's answers over what stands: drafts that wait or are quarantined, and the pages of the bundle."""

from dataclasses import dataclass

from viska_assets.maintain.gating import judge_text
from viska_assets.maintain.world import load_world
from viska_assets.model.verdict import Verdict
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
        pages = live_pages(connection)
        return [
            Audited(path, judge_text(world, evidence, page.text, path)[0])
            for page in pages
            for path in (f"{page.concept_id}.md",)
        ]
