"""The nightly lint as an asset: every page of the bundle under the same predicates, and rules about the whole."""

from time import perf_counter

import dagster as dg

from resources.home import HomeResource
from viska_assets.assets.guardrail import engine
from viska_assets.assets.previews import seconds_since, table
from viska_assets.assets.retrieval import OWNERS
from viska_assets.guardrail.gate import judge_page
from viska_assets.lint.bundle import BundleSnapshot, WaitingDraft
from viska_assets.lint.policy import lint_policy
from viska_assets.lint.report import LintReport
from viska_assets.lint.run import lint_bundle
from viska_assets.maintain.gating import WRITER_POLICY
from viska_assets.maintain.world import load_world
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.home import Home
from viska_assets.store.lint_rows import RuleCount, add_lint_report
from viska_assets.store.quarantine import open_quarantine
from viska_assets.store.registry import live_claims

GROUP = "lint"


def lint_home(home: Home, engine_version: str) -> LintReport:
    """Lints the head commit of the live bundle as of the home's clock, and stores the report."""
    as_of = home.settings.clock()
    with home.database.transaction() as connection:
        world, evidence = load_world(connection), StoredEvidence(connection)
        snapshot = BundleSnapshot(
            files=home.bundle.files(),
            claims=tuple(live_claims(connection)),
            evidence=evidence,
            judge=lambda parsed: judge_page(parsed, world, evidence, policy=WRITER_POLICY),
            quarantine=tuple(
                WaitingDraft(f"{draft.concept_id}.md", draft.quarantined_at, draft.codes)
                for draft in open_quarantine(connection)
            ),
        )
        report = lint_bundle(snapshot, as_of, policy=lint_policy(home.policy.lint))
        add_lint_report(
            connection,
            engine=engine_version,
            bundle_commit=home.bundle.head(),
            as_of=as_of,
            pages=report.pages,
            rules=[RuleCount(result.name, result.gravity, result.findings) for result in report.results],
            findings=report.as_rows(),
            waiting_days=[(as_of - draft.since).days for draft in snapshot.quarantine],
        )
    return report


@dg.asset(deps=["bundle_index"], group_name=GROUP, kinds={"postgres"}, owners=OWNERS, code_version="1")
def lint_report(home: HomeResource) -> dg.MaterializeResult:
    """What lint finds in the bundle tonight: by rule, with the place and the mend."""
    started = perf_counter()
    report = lint_home(home.open(), engine(home))
    columns = ("path", "line", "rule", "code", "severity", "message", "hint")
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(report.findings),
            "pages": report.pages,
            "seconds": seconds_since(started),
            "hard_findings": len(report.hard),
            "warnings": len(report.findings) - len(report.hard),
            "summary": dg.MetadataValue.md(report.as_markdown()),
            "findings": table(report.as_rows(), columns),
        }
    )
