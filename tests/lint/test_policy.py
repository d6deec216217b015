"""The desk's policy: which rules are hard, when pages are stale, and when the night is."""

from datetime import timedelta
from pathlib import Path

import pytest

from schedules.nightly import build_nightly_lint
from tests.lint.clean_bundle import AS_OF, clean_pages, files_of, snapshot
from viska_assets.lint.policy import LintPolicy, lint_policy
from viska_assets.lint.report import LintReport
from viska_assets.lint.rules import RULES
from viska_assets.lint.run import lint_bundle
from viska_assets.model.lint import Gravity, RuleName
from viska_assets.model.page import ConceptType
from viska_assets.model.verdict import Severity
from viska_assets.store.policy import LintSection, parse_policy
from viska_assets.store.settings import SettingError

POLICY = """
lint:
  severity: {orphan: off, broken_link: hard, provenance: warning}
  freshness_days: {Thesis: 90}
  patience_days: 3
  known_abbreviations: [ARPU]
  time_zone: America/New_York
  hour: 23
"""


def section(text: str) -> LintSection:
    return parse_policy(text, Path("policy.yaml")).lint


def defective(policy: LintPolicy) -> LintReport:
    pages, evidence = clean_pages()
    files = files_of(pages)
    files["issuers/alder.md"] = files["issuers/alder.md"].replace("4,120", "9,120")
    del files["theses/birch.md"]
    return lint_bundle(snapshot(files, evidence), AS_OF, policy=policy)


def test_a_desk_without_a_section_lints_as_ever() -> None:
    assert lint_policy(section("")) == LintPolicy()


def test_the_section_is_read_whole() -> None:
    policy = lint_policy(section(POLICY))
    assert policy.gravity == {
        RuleName.ORPHAN: Gravity.OFF,
        RuleName.BROKEN_LINK: Gravity.HARD,
        RuleName.PROVENANCE: Gravity.WARNING,
    }
    assert policy.freshness == {ConceptType.THESIS: timedelta(days=90)}
    assert (policy.patience, policy.known_abbreviations) == (timedelta(days=3), frozenset({"ARPU"}))


def test_gravity_follows_the_policy_and_findings_stay_the_same() -> None:
    own, desk = defective(LintPolicy()), defective(lint_policy(section(POLICY)))
    assert {f.severity for f in own.of_rule("provenance")} == {Severity.HARD}
    assert {f.severity for f in desk.of_rule("provenance")} == {Severity.WARNING}
    assert {f.severity for f in own.of_rule("broken_link")} == {Severity.WARNING}
    assert {f.severity for f in desk.of_rule("broken_link")} == {Severity.HARD}
    assert len(own.findings) == len(desk.findings)
    assert {result.name for result in desk.results if result.findings is None} == {"orphan"}
    assert "| orphan | not run | off |" in desk.as_markdown()


def test_the_section_of_the_docs_is_one() -> None:
    text = (Path(__file__).parents[2] / "docs" / "lint.md").read_text("utf-8")
    documented = section(text.split("```yaml\n")[1].split("```\n")[0])
    assert documented.severity == {RuleName.ORPHAN: Gravity.OFF, RuleName.BROKEN_LINK: Gravity.HARD}
    assert (documented.patience_days, documented.time_zone, documented.hour) == (7, "Europe/Copenhagen", 2)


def test_every_rule_can_be_named_and_nothing_else() -> None:
    assert [rule.name for rule in RULES] == list(RuleName)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("lint: {severity: {brokn_link: hard}}", "lint.severity.brokn_link"),
        ("lint: {severity: {orphan: fatal}}", "lint.severity.orphan"),
        ("lint: {freshness_days: {Thesis: 0}}", "lint.freshness_days.Thesis"),
        ("lint: {time_zone: Europe/Atlantis}", "lint.time_zone"),
        ("lint: {hour: 24}", "lint.hour"),
        ("lint: {night: 2}", "lint.night"),
    ],
)
def test_a_wrong_section_is_refused_with_its_file_and_place(text: str, place: str) -> None:
    with pytest.raises(SettingError) as refused:
        section(text)
    assert "policy.yaml" in str(refused.value)
    assert place in str(refused.value)


def test_the_night_is_the_desks() -> None:
    schedule = build_nightly_lint(section(POLICY))
    assert (schedule.cron_schedule, schedule.execution_timezone) == ("0 23 * * *", "America/New_York")
    usual = build_nightly_lint(LintSection())
    assert (usual.cron_schedule, usual.execution_timezone) == ("0 2 * * *", "Europe/Copenhagen")
