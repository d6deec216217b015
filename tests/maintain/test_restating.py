"""Restated figures: the newer filing stands, the older is history, and the order of arrival changes nothing."""

from pathlib import Path

import pytest

from tests.maintain.conftest import Desk
from tests.maintain.filings import Report
from viska_assets.assets.linting import lint_home
from viska_assets.maintain.auditing import audit_bundle
from viska_assets.maintain.restating import same_figure
from viska_assets.model.evidence import Scenario

pytestmark = pytest.mark.database

FIRST = Report(
    "Acme Tools Inc.",
    2023,
    {
        "Total revenues": {2023: 1200, 2022: 1100},
        "Cost of revenues": {2023: 700, 2022: 650},
        "Operating income": {2023: 310, 2022: 280},
        "Net income": {2023: 240, 2022: 215},
    },
)
RESTATING = Report(
    "Acme Tools Inc.",
    2024,
    {
        "Total revenues": {2024: 1350, 2023: 1180},
        "Cost of revenues": {2024: 780, 2023: 700},
        "Operating income": {2024: 352, 2023: 290},
        "Net income": {2024: 271, 2023: 240},
    },
)
ISSUER = "issuers/acme-tools"


def test_a_restated_figure_stands_and_the_first_one_is_history(desk: Desk, tmp_path: Path) -> None:
    assert desk.take([FIRST.write(tmp_path)]) == {}
    assert desk.take([RESTATING.write(tmp_path)]) == {}
    body = desk.body(ISSUER)
    assert "| Revenue | $1,350 million | $1,180 million | $1,100 million |" in body
    assert "* Revenue, year ended 2023-12-31: $1,200 million as first stated, $1,180 million as restated" in body
    assert body.index("## History") > body.index("## Key figures")
    assert "reason: restatement" in desk.page(ISSUER)

    revenue = [c for c in desk.claims() if c.key.metric == "revenue" and c.value in ("1,200", "1,180")]
    assert all(c.key.scenario is Scenario.ACTUAL for c in revenue)
    on_page = {c.value: c for c in revenue if c.concept_id == ISSUER}
    assert on_page["1,200"].superseded_by == on_page["1,180"].claim_id
    # The event page of the first filing still says what that filing said.
    assert "$1,200 million" in desk.body("events/2024-02-15-acme-tools-10-k")


@pytest.mark.parametrize("batches", [["both"], ["first", "second"], ["second", "first"]])
def test_whatever_comes_first_the_pages_are_the_same(desk: Desk, tmp_path: Path, batches: list[str]) -> None:
    paths = {"first": [FIRST.write(tmp_path)], "second": [RESTATING.write(tmp_path)]}
    paths["both"] = [*paths["first"], *paths["second"]]
    for batch in batches:
        desk.take(paths[batch])
    body = desk.body(ISSUER)
    assert "$1,200 million as first stated, $1,180 million as restated" in body
    assert "| Operating income | $352 million | $290 million | $280 million |" in body
    assert {path for path in desk.home.bundle.files() if path.startswith("events/2")} == {
        "events/2024-02-15-acme-tools-10-k.md",
        "events/2025-02-15-acme-tools-10-k.md",
    }


def test_two_filings_that_disagree_about_their_own_year_contradict_in_either_order(desk: Desk, tmp_path: Path) -> None:
    amended = Report("Acme Tools Inc.", 2023, {**FIRST.rows, "Net income": {2023: 199, 2022: 215}})
    later = tmp_path / "acme-10-k-2024-03-20.html"
    later.write_text(amended.html())
    refused = desk.take([later])
    assert refused == {}
    refused = desk.take([FIRST.write(tmp_path)])
    assert "CONTRADICTION" in refused[ISSUER]
    assert "| Net income | $240 million | $215 million |" in desk.body(ISSUER)
    assert "events/2024-03-20-acme-tools-10-k.md" not in desk.home.bundle.files()
    assert {c.value for c in desk.claims() if c.key.metric == "net_income" and c.key.period} == {"240", "215"}


def test_the_nightly_audit_finds_nothing_on_a_page_with_history(desk: Desk, tmp_path: Path) -> None:
    desk.take([FIRST.write(tmp_path), RESTATING.write(tmp_path)])
    report = lint_home(desk.home, "test").report
    assert [finding for finding in report.findings if finding.severity.value == "hard"] == []
    assert all(audited.verdict.passed for audited in audit_bundle(desk.home.database))


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("$391,035 million", "$391.0 billion", True),
        ("$391,035 million", "$391.1 billion", False),
        ("$5.53", "$5.53", True),
        ("-$45 million", "$45 million", False),
        ("24.1%", "24%", True),
        ("€12 million", "$12 million", False),
    ],
)
def test_figures_are_the_same_where_their_rounding_intervals_meet(one: str, two: str, same: bool) -> None:
    assert same_figure(one, two) is same
