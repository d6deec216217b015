"""The gate's four predicates as asset checks, over the drafts that wait and over the bundle itself."""

from collections.abc import Iterator, Sequence

import dagster as dg

from resources.home import HomeResource
from viska_assets.maintain.auditing import Audited, audit_bundle, audit_drafts
from viska_assets.model.verdict import Finding, Predicate, Severity

RULES = {
    Predicate.P1: "Every factual claim has a citation that resolves to a chunk of a real source.",
    Predicate.P2: "Every number traces to the evidence at its cited place.",
    Predicate.P3: "No claim contradicts another without superseding it.",
    Predicate.P4: "Every page is well formed: typed, linked, and free of hidden or active content.",
}
COLUMNS = dg.TableSchema(
    [
        dg.TableColumn("page"),
        dg.TableColumn("line", type="int"),
        dg.TableColumn("code"),
        dg.TableColumn("claim"),
        dg.TableColumn("figure"),
        dg.TableColumn("nearest evidence"),
        dg.TableColumn("why"),
        dg.TableColumn("mend"),
    ]
)
MOST_FINDINGS = 100


def _specs(asset: str, *, blocking: bool) -> list[dg.AssetCheckSpec]:
    return [
        dg.AssetCheckSpec(predicate.value, asset=asset, description=rule, blocking=blocking)
        for predicate, rule in RULES.items()
    ]


@dg.multi_asset_check(specs=_specs("concept_drafts", blocking=False), can_subset=True, name="drafts_hold")
def drafts_hold(context: dg.AssetCheckExecutionContext, home: HomeResource) -> Iterator[dg.AssetCheckResult]:
    """Holds every draft that waits or is quarantined to the predicates. A failing draft is shown, not blocking."""
    yield from _results(context, "concept_drafts", audit_drafts(home.open().database))


@dg.multi_asset_check(specs=_specs("concept_pages", blocking=True), can_subset=True, name="pages_hold")
def pages_hold(context: dg.AssetCheckExecutionContext, home: HomeResource) -> Iterator[dg.AssetCheckResult]:
    """Holds every page of the bundle to the predicates; nothing that fails may reach the index, graph or readers."""
    yield from _results(context, "concept_pages", audit_bundle(home.open().database))


def _results(
    context: dg.AssetCheckExecutionContext, asset: str, audited: Sequence[Audited]
) -> Iterator[dg.AssetCheckResult]:
    wanted = {key.name for key in context.selected_asset_check_keys}
    for predicate in RULES:
        if predicate.value in wanted:
            yield _result(asset, predicate, audited)


def _result(asset: str, predicate: Predicate, audited: Sequence[Audited]) -> dg.AssetCheckResult:
    findings = [f for item in audited for f in item.verdict.findings if f.predicate is predicate]
    hard = [finding for finding in findings if finding.severity is Severity.HARD]
    pages = len({finding.path for finding in hard})
    said = f"{len(hard)} findings on {pages} of {len(audited)} pages" if hard else f"{len(audited)} pages hold"
    return dg.AssetCheckResult(
        asset_key=asset,
        check_name=predicate.value,
        passed=not hard,
        description=said,
        metadata={
            "pages_judged": len(audited),
            "hard_findings": len(hard),
            "warnings": len(findings) - len(hard),
            "findings": dg.MetadataValue.table([_record(f) for f in (hard or findings)[:MOST_FINDINGS]], COLUMNS),
        },
    )


def _record(finding: Finding) -> dg.TableRecord:
    nearest = "; ".join(f"{near.labels}: {near.printed} ({near.reading})" for near in finding.nearest)
    return dg.TableRecord(
        {
            "page": finding.path,
            "line": finding.line,
            "code": finding.code,
            "claim": finding.claim,
            "figure": finding.figure,
            "nearest evidence": nearest,
            "why": finding.message,
            "mend": finding.hint,
        }
    )
