"""Every lint rule as an asset check of the lint report, with the findings of that rule alone as its table."""

from collections.abc import Iterator

import dagster as dg

from resources.home import HomeResource
from viska_assets.lint.rules import RULES, LintRule
from viska_assets.model.lint import Gravity
from viska_assets.store.lint_rows import Night, lint_nights

ASSET = "lint_report"
MOST_FINDINGS = 100
COLUMNS = dg.TableSchema(
    [
        dg.TableColumn("page"),
        dg.TableColumn("line", type="int"),
        dg.TableColumn("code"),
        dg.TableColumn("gravity"),
        dg.TableColumn("why"),
        dg.TableColumn("mend"),
    ]
)


@dg.multi_asset_check(
    specs=[dg.AssetCheckSpec(rule.name.value, asset=ASSET, description=rule.description) for rule in RULES],
    can_subset=True,
    name="bundle_is_clean",
)
def bundle_is_clean(context: dg.AssetCheckExecutionContext, home: HomeResource) -> Iterator[dg.AssetCheckResult]:
    """Shows what the last lint found, rule by rule: hard findings as errors, the others as warnings."""
    with home.open().database.transaction() as connection:
        nights = lint_nights(connection, 1)
    wanted = {key.name for key in context.selected_asset_check_keys}
    for rule in RULES:
        if rule.name in wanted:
            yield check_result(rule, nights[0] if nights else None)


def check_result(rule: LintRule, night: Night | None) -> dg.AssetCheckResult:
    """What one rule found in a night; where it did not run, nothing is claimed to hold and a warning says so."""
    count = next((c for c in night.rules if c.rule == rule.name), None) if night else None
    findings = [f for f in night.findings if f["rule"] == rule.name] if night else []
    hard = sum(finding["severity"] == Gravity.HARD.value for finding in findings)
    is_off = count is not None and count.gravity is Gravity.OFF
    has_run = count is not None and count.findings is not None
    if is_off:
        said = "off by the desk's policy"
    elif not has_run:
        said = "the rule has not run; materialize lint_report"
    else:
        said = f"{len(findings)} findings on {len({f['path'] for f in findings})} pages" if findings else "no findings"
    return dg.AssetCheckResult(
        asset_key=ASSET,
        check_name=rule.name.value,
        passed=is_off or (has_run and not findings),
        severity=dg.AssetCheckSeverity.ERROR if hard else dg.AssetCheckSeverity.WARN,
        description=said,
        metadata={
            "findings": len(findings),
            "hard_findings": hard,
            "gravity": count.gravity.value if count else rule.severity.value,
            "report": night.report_id if night else 0,
            "table": dg.MetadataValue.table([_record(finding) for finding in findings[:MOST_FINDINGS]], COLUMNS),
        },
    )


def _record(finding: dict[str, str]) -> dg.TableRecord:
    return dg.TableRecord(
        {
            "page": finding["path"],
            "line": int(finding["line"]),
            "code": finding["code"],
            "gravity": finding["severity"],
            "why": finding["message"],
            "mend": finding["hint"],
        }
    )
