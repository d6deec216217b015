"""Each lint rule as a check: its own findings and no other's, grave as the night had them."""

from datetime import UTC, datetime
from typing import Any

import dagster as dg
import pytest

from resources.home import HomeResource
from viska_assets.checks.lint import bundle_is_clean, check_result
from viska_assets.lint.rules import RULES
from viska_assets.model.lint import Gravity, RuleName
from viska_assets.store.home import Home
from viska_assets.store.lint_rows import Night, RuleCount, add_lint_report, lint_nights

pytestmark = pytest.mark.database
NIGHT = datetime(2026, 3, 1, tzinfo=UTC)
BY_NAME = {rule.name: rule for rule in RULES}


def finding(rule: RuleName, severity: str, path: str = "issuers/a.md") -> dict[str, Any]:
    return {
        "path": path,
        "line": 3,
        "column": 1,
        "rule": rule.value,
        "code": rule.value.upper(),
        "severity": severity,
        "message": "why",
        "hint": "mend",
    }


FINDINGS = [
    finding(RuleName.BROKEN_CITATION, "hard"),
    finding(RuleName.ORPHAN, "warning"),
    finding(RuleName.ORPHAN, "warning", "issuers/b.md"),
]


def store_night(home: Home) -> None:
    off, silent = {RuleName.STALE}, {RuleName.PROVENANCE, RuleName.STALE}
    counts = [
        RuleCount(
            rule.name,
            Gravity.OFF if rule.name in off else Gravity(rule.severity.value),
            None if rule.name in silent else sum(f["rule"] == rule.name for f in FINDINGS),
        )
        for rule in RULES
    ]
    with home.database.transaction() as connection:
        add_lint_report(
            connection,
            engine="e",
            bundle_commit="c",
            as_of=NIGHT,
            pages=2,
            rules=counts,
            findings=FINDINGS,
            waiting_days=[3, 9],
        )


def stored(home: Home) -> Night:
    with home.database.transaction() as connection:
        return lint_nights(connection)[0]


def test_a_night_is_read_as_it_was_written(home: Home) -> None:
    store_night(home)
    night = stored(home)
    assert (night.as_of, night.pages, night.waiting_days, night.hard) == (NIGHT, 2, (3, 9), 1)
    assert night.counts == {"broken_citation": 1, "orphan": 2}
    assert night.findings == FINDINGS


def test_every_rule_has_its_own_table_and_severity(home: Home) -> None:
    store_night(home)
    night = stored(home)
    results = {name: check_result(rule, night) for name, rule in BY_NAME.items()}
    failed = {name: results[name].severity for name in results if not results[name].passed}
    assert failed == {
        RuleName.BROKEN_CITATION: dg.AssetCheckSeverity.ERROR,
        RuleName.ORPHAN: dg.AssetCheckSeverity.WARN,
        RuleName.PROVENANCE: dg.AssetCheckSeverity.WARN,
    }
    orphans = results[RuleName.ORPHAN].metadata["table"]
    assert isinstance(orphans, dg.TableMetadataValue)
    assert [record.data["page"] for record in orphans.records] == ["issuers/a.md", "issuers/b.md"]
    assert "policy" in str(results[RuleName.STALE].description)
    assert "has not run" in str(results[RuleName.PROVENANCE].description)


def test_nothing_holds_before_the_first_night() -> None:
    assert not any(check_result(rule, None).passed for rule in RULES)


def test_the_checks_run_in_dagster_and_in_part(home: Home) -> None:
    store_night(home)

    @dg.asset(name="lint_report")
    def report() -> None: ...

    with dg.DagsterInstance.ephemeral() as instance:
        definitions = dg.Definitions(
            assets=[report], asset_checks=[bundle_is_clean], resources={"home": HomeResource()}
        )
        job = definitions.resolve_implicit_global_asset_job_def()
        whole = job.execute_in_process(instance=instance)
        assert whole.success
        assert len(whole.get_asset_check_evaluations()) == len(RULES)
        key = dg.AssetCheckKey(dg.AssetKey("lint_report"), "orphan")
        selection = dg.AssetSelection.checks(key)
        part = dg.define_asset_job("part", selection=selection)
        resolved = dg.Definitions(
            assets=[report], asset_checks=[bundle_is_clean], jobs=[part], resources={"home": HomeResource()}
        ).resolve_job_def("part")
        found = resolved.execute_in_process(instance=instance).get_asset_check_evaluations()
        assert [(one.check_name, one.passed) for one in found] == [("orphan", False)]
