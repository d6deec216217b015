"""One lint of a home's live bundle: from the state of the night before to a stored report. No Dagster here."""

from datetime import datetime

from viska_assets.guardrail.gate import judge_page
from viska_assets.lint.bundle import BundleSnapshot, LintState, WaitingDraft
from viska_assets.lint.policy import lint_policy
from viska_assets.lint.remembering import recall, to_remember
from viska_assets.lint.report import LintReport
from viska_assets.lint.run import lint_bundle
from viska_assets.maintain.engine_version import source_hash
from viska_assets.maintain.gating import WRITER_POLICY
from viska_assets.maintain.world import load_world
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Connection
from viska_assets.store.home import Home
from viska_assets.store.lint_rows import RuleCount, add_lint_report, keep_page_states, page_states
from viska_assets.store.quarantine import open_quarantine
from viska_assets.store.registry import live_claims


def lint_home(home: Home, engine_version: str, *, full: bool = False) -> LintReport:
    """Lints the head commit of the live bundle as of the home's clock, and stores the report.

    Args:
        home: The home.
        engine_version: The engine version in force.
        full: Whether to read and judge every page again; the report is the same.
    """
    as_of = home.settings.clock()
    version = f"{engine_version} {source_hash(('lint',))[:12]}"
    with home.database.transaction() as connection:
        before = LintState() if full else recall(page_states(connection), version)
        snapshot = snapshot_of(connection, home.bundle.files())
        report = lint_bundle(snapshot, as_of, policy=lint_policy(home.policy.lint), before=before)
        keep_page_states(connection, to_remember(report.state, before, version), list(report.state.summaries))
        _store(connection, report, snapshot, engine_version, home.bundle.head(), as_of)
    return report


def snapshot_of(connection: Connection, files: dict[str, str]) -> BundleSnapshot:
    """The files with the gate, the evidence and the queue as the store has them now."""
    world, evidence = load_world(connection), StoredEvidence(connection)
    return BundleSnapshot(
        files=files,
        claims=tuple(live_claims(connection)),
        evidence=evidence,
        judge=lambda parsed: judge_page(parsed, world, evidence, policy=WRITER_POLICY),
        quarantine=tuple(
            WaitingDraft(f"{draft.concept_id}.md", draft.quarantined_at, draft.codes)
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
