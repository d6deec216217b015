"""One lint of a home's live bundle: from the state of the night before to a stored report. No Dagster here."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from viska_assets.assets.lint_picture import draw_trends
from viska_assets.guardrail.gate import judge_page
from viska_assets.lint.bundle import BundleSnapshot, LintState, WaitingDraft
from viska_assets.lint.history import as_export, as_html, trends
from viska_assets.lint.policy import lint_policy
from viska_assets.lint.remembering import recall, to_remember
from viska_assets.lint.report import LintReport
from viska_assets.lint.run import lint_bundle
from viska_assets.maintain.engine_version import source_hash
from viska_assets.maintain.gating import WRITER_POLICY
from viska_assets.maintain.graph_file import write_graph
from viska_assets.maintain.withholding import Consequences, apply_findings
from viska_assets.maintain.world import load_world
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Connection, Lock
from viska_assets.store.home import Home
from viska_assets.store.lint_rows import (
    Night,
    RuleCount,
    add_lint_report,
    keep_page_states,
    lint_nights,
    page_states,
)
from viska_assets.store.quarantine import open_quarantine
from viska_assets.store.registry import LivePage, live_claims, live_pages
from viska_assets.store.withholding import WithheldPage, withheld_pages

SHOWN_NIGHTS = 90


@dataclass(frozen=True)
class Linted:
    """A lint's report and what followed from it."""

    report: LintReport
    consequences: Consequences


def lint_home(
    home: Home, engine_version: str, *, full: bool = False, only_look: bool = False, anew: Collection[str] = ()
) -> Linted:
    """Lints the head commit of the live bundle as of the home's clock, stores the report and draws its consequences.

    Args:
        home: The home.
        engine_version: The engine version in force.
        full: Whether to read and judge every page again; the report is the same.
        only_look: Whether to leave the bundle and the store as they are.
        anew: Paths of pages to judge again whatever is remembered of them.
    """
    with home.database.locked(Lock.BUNDLE_WRITER):
        with home.database.transaction() as connection:
            linted = _lint(
                connection, home, engine_version, full=full, only_look=only_look, keep=not only_look, anew=anew
            )
        _follow(home, linted.consequences)
    return linted


def review_withheld(home: Home, engine_version: str) -> Consequences:
    """Lints again where pages are withheld, so that mended ones come back with the write that mended them."""
    with home.database.transaction() as connection:
        if not withheld_pages(connection):
            return Consequences()
    with home.database.locked(Lock.BUNDLE_WRITER):
        with home.database.transaction() as connection:
            linted = _lint(connection, home, engine_version, full=False, only_look=False, keep=False)
        _follow(home, linted.consequences)
    return linted.consequences


def _lint(
    connection: Connection,
    home: Home,
    engine: str,
    *,
    full: bool,
    only_look: bool,
    keep: bool,
    anew: Collection[str] = (),
) -> Linted:
    as_of = home.settings.clock()
    version = f"{engine} {source_hash(('lint',))[:12]}"
    before = (
        LintState() if full else recall((state for state in page_states(connection) if state.path not in anew), version)
    )
    snapshot = snapshot_of(connection, home.bundle.files())
    report = lint_bundle(snapshot, as_of, policy=lint_policy(home.policy.lint), before=before)
    if keep:
        keep_page_states(connection, to_remember(report.state, before, version), list(report.state.summaries))
        _store(connection, report, snapshot, engine, home.bundle.head(), as_of)
    if only_look:
        return Linted(report, Consequences())
    return Linted(report, apply_findings(connection, home.bundle, report.codes_by_concept, engine, as_of))


def _follow(home: Home, consequences: Consequences) -> None:
    """Draws the graph of the pages that are shown now."""
    if consequences.withheld or consequences.restored:
        write_graph(home.database, home.settings.graph_path(), home.bundle.head())


def snapshot_of(connection: Connection, files: dict[str, str]) -> BundleSnapshot:
    """The files with the gate, the evidence and the queue as the store has them now.

    Pages that the bundle does not hold (withheld ones, and one whose withholding was interrupted) are judged as well.
    """
    world, evidence = load_world(connection), StoredEvidence(connection)
    pages: tuple[LivePage | WithheldPage, ...] = (*live_pages(connection), *withheld_pages(connection))
    kept = {f"{page.concept_id}.md": page.text for page in pages if f"{page.concept_id}.md" not in files}
    return BundleSnapshot(
        files=kept | files,
        withheld=frozenset(kept),
        claims=tuple(live_claims(connection)),
        evidence=evidence,
        judge=lambda parsed: judge_page(parsed, world, evidence, policy=WRITER_POLICY),
        quarantine=tuple(
            WaitingDraft(f"{draft.concept_id}.md", draft.quarantined_at, draft.codes, draft.document_name)
            for draft in open_quarantine(connection)
        ),
    )


def _store(
    connection: Connection, report: LintReport, snapshot: BundleSnapshot, engine: str, commit: str, as_of: datetime
) -> None:
    add_lint_report(
        connection,
        engine=engine,
        bundle_commit=commit,
        as_of=as_of,
        pages=report.pages,
        rules=[RuleCount(result.name, result.gravity, result.findings) for result in report.results],
        findings=report.as_rows(),
        waiting_days=[(as_of - draft.since).days for draft in snapshot.quarantine],
    )


@dataclass(frozen=True)
class Published:
    """The last nights and the files that show them: the picture as a data address."""

    nights: tuple[Night, ...]
    picture: str
    page: Path
    export: Path


def publish(home: Home, limit: int = SHOWN_NIGHTS) -> Published:
    """Writes ``lint/report.html`` and ``lint/report.json`` below the home, each replaced as a whole."""
    with home.database.transaction() as connection:
        nights = tuple(lint_nights(connection, limit))
    picture = draw_trends(trends(nights))
    folder = home.settings.home_path / "lint"
    folder.mkdir(parents=True, exist_ok=True)
    page, export = folder / "report.html", folder / "report.json"
    _replace(page, as_html(nights, picture))
    _replace(export, json.dumps(as_export(nights), indent=2, ensure_ascii=False))
    return Published(nights, picture, page, export)


def _replace(path: Path, text: str) -> None:
    scratch = path.with_suffix(f"{path.suffix}.partial")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(path)
