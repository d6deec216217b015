"""The second half of the maintainer pass: drafts that pass the gate become pages, in one commit a batch."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from viska_assets.maintain.folders import index_files, log_file
from viska_assets.maintain.gating import Judged, declared, judge_drafts, judge_text, standing_world
from viska_assets.maintain.markdown import escape_markdown
from viska_assets.maintain.world import World
from viska_assets.okf.log import LogKind
from viska_assets.okf.page import render_page
from viska_assets.store.bundle_repository import BundleRepository
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Connection, Database, Lock
from viska_assets.store.documents import add_incident
from viska_assets.store.edits import HumanEdit, add_edit
from viska_assets.store.quarantine import settle_open
from viska_assets.store.registry import (
    Event,
    LivePage,
    add_events,
    close_reopened,
    drafts_with_status,
    live_pages,
    newest_knowledge,
    record_commit,
    remove_page,
    reopened_concepts,
    set_draft_status,
    write_page,
)
from viska_assets.store.withholding import withheld_pages


@dataclass(frozen=True)
class Written:
    """What one write brought: accepted drafts, the pages whose text changed, and the bundle's head."""

    accepted: int
    pages: tuple[str, ...]
    commit: str
    committed: bool


@dataclass(frozen=True)
class Index:
    """The generated files of the bundle, those that had drifted, and the head after mending them."""

    files: dict[str, str]
    drifted: tuple[str, ...]
    commit: str


def refresh_index(database: Database, bundle: BundleRepository, engine: str) -> Index:
    """Regenerates every ``index.md`` and ``log.md``, and commits those that differ from what the bundle holds."""
    with database.locked(Lock.BUNDLE_WRITER), database.transaction() as connection:
        files = index_files(connection) | log_file(connection)
        standing = bundle.files()
        drifted = tuple(sorted(path for path, text in files.items() if standing.get(path) != text))
        if not drifted or not standing:
            return Index(files, (), bundle.head())
        newest = newest_knowledge(connection)
        wanted = {path: files[path] for path in drifted}
        done = bundle.write(wanted, (), f"Mend {len(drifted)} generated files", [("Engine", engine)], newest)
        record_commit(connection, done.commit, 0)
    return Index(files, drifted, done.commit)


def write_pages(database: Database, bundle: BundleRepository, engine: str, at: datetime) -> Written:
    """Judges the pending drafts once more and writes those that pass; a crash at any point is mended by a rerun.

    People's edits of pages are taken in first: what the gate passes joins the page, the rest is kept and the page goes
    back to what it said. ``at`` is the moment that is written to such edits.

    The commit is made before the database's transaction ends: where that fails, the rerun makes the same bytes,
    finds nothing to commit and records the commit that stands.
    """
    with database.locked(Lock.BUNDLE_WRITER), database.transaction() as connection:
        evidence = StoredEvidence(connection)
        live = live_pages(connection)
        edited = _take_edits(connection, bundle, evidence, live, at)
        world = standing_world(connection, evidence)
        drafts = drafts_with_status(connection, "pending")
        accepted = [answer for answer in judge_drafts(world, evidence, drafts) if answer.verdict.passed]
        removed = _remove_abandoned(connection, world)
        changed = _write_touched(connection, world, evidence, accepted, live, edited, engine)
        for answer in accepted:
            set_draft_status(connection, answer.draft.draft_id, "accepted")
            settle_open(connection, answer.draft.draft_id, "an older document has settled it", f"process:gate-{engine}")
        close_reopened(connection)
        add_events(connection, [_event(answer) for answer in accepted])
        commit, committed = _commit(connection, bundle, accepted, changed, removed, edited, engine)
    return Written(len(accepted), tuple(sorted(changed)), commit, committed)


def _take_edits(
    connection: Connection,
    bundle: BundleRepository,
    evidence: StoredEvidence,
    live: Sequence[LivePage],
    at: datetime,
) -> dict[str, str]:
    """Gates and keeps the edits that people made since the last write; returns the edited pages' texts before them."""
    texts = {f"{page.concept_id}.md": page.text for page in live}
    found = bundle.edited_by_people(texts)
    if not found:
        return {}
    world = standing_world(connection, evidence)
    for path, (now, author) in found.items():
        edit = HumanEdit(path.removesuffix(".md"), texts[path], now, author, at)
        verdict, _ = judge_text(world, evidence, now, path)
        add_edit(connection, edit, "kept" if verdict.passed else "refused", verdict.codes)
        if not verdict.passed:
            detail = f"{path}: the edit of {edit.author} is kept but not on the page: {', '.join(verdict.codes)}"
            add_incident(connection, "edit_refused", detail, path=path)
    return {path.removesuffix(".md"): texts[path] for path in found}


def _remove_abandoned(connection: Connection, world: World) -> list[str]:
    """Takes out the pages whose every draft has been refused since an older document arrived; returns their paths."""
    abandoned = [concept for concept in reopened_concepts(connection) if not world.has_page(concept)]
    return [f"{concept}.md" for concept in abandoned if remove_page(connection, concept)]


def _write_touched(
    connection: Connection,
    world: World,
    evidence: StoredEvidence,
    accepted: list[Judged],
    live: Sequence[LivePage],
    edited: dict[str, str],
    engine: str,
) -> dict[str, str]:
    """Writes the registry's side of every page that the accepted drafts touch; returns texts by path."""
    touched = {answer.draft.delta.concept_id for answer in accepted}
    touched |= {concept for concept in edited if world.has_page(concept)}
    touched |= {concept for concept in reopened_concepts(connection) if world.has_page(concept)}
    withheld = {page.concept_id for page in withheld_pages(connection)}
    touched |= {concept for concept in withheld if world.has_page(concept)}
    touched |= {delta.about for concept in touched for delta in world.deltas[concept] if world.has_page(delta.about)}
    titles = {page.concept_id: page.title for page in live if page.concept_id in touched}
    renamed = {c for c, title in titles.items() if c in world.names and world.names[c] != title}
    touched |= {concept for issuer in renamed for concept in world.naming(issuer)}
    changed: dict[str, str] = {}
    for concept_id in sorted(touched):
        composed = world.page(concept_id)
        for edit in composed.left_out:
            detail = f"{concept_id}: an edit of {edit.author} changes lines that were drafted anew; it is kept"
            add_incident(connection, "edit_left_out", detail, path=f"{concept_id}.md")
        page = declared(composed, evidence)
        text = render_page(page)
        verdict, claims = judge_text(world, evidence, text, page.path)
        if not verdict.passed and concept_id in withheld:
            continue
        if not verdict.passed:
            add_incident(connection, "page_not_written", f"{page.path}: {', '.join(verdict.codes)}", path=page.path)
            continue
        if write_page(connection, page, text, page_hash(text), claims, engine):
            changed[page.path] = text
    return changed


def page_hash(text: str) -> str:
    """The sha256 of a page file."""
    return hashlib.sha256(text.encode()).hexdigest()


def _event(answer: Judged) -> Event:
    delta = answer.draft.delta
    text = f"[{escape_markdown(delta.title)}](/{delta.concept_id}.md)"
    return Event(delta.known_at.date(), LogKind.INGEST.value, text, delta.document_id)


def _commit(
    connection: Connection,
    bundle: BundleRepository,
    accepted: list[Judged],
    changed: dict[str, str],
    removed: Sequence[str],
    edited: dict[str, str],
    engine: str,
) -> tuple[str, bool]:
    back = {f"{concept}.md": text for concept, text in edited.items()}
    if not accepted and not changed and not removed and not back:
        return bundle.head(), False
    files = back | changed | index_files(connection) | log_file(connection)
    documents = sorted({answer.draft.document_id for answer in accepted})
    newest = newest_knowledge(connection)
    trailers = [*(("Document", document) for document in documents), ("Engine", engine)]
    subject = f"Ingest {len(documents)} documents, {len(changed)} pages"
    done = bundle.write(files, removed, subject, trailers, newest, taken=back)
    if done.saved_edits:
        add_incident(connection, "edits_saved", f"edits of the working tree are kept under {done.saved_edits}")
    record_commit(connection, done.commit, len(changed))
    return done.commit, bool(done.changed)
