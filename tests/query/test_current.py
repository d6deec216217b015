"""After a restatement: the newer figure answers and is checked against, from today; before it, the first one."""

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from tests.maintain.conftest import Desk
from tests.maintain.filings import Report
from viska_assets.hermes.contradictions import Difference
from viska_assets.hermes.disagreeing import contradictions
from viska_assets.query.answer import answer
from viska_assets.query.library import Library
from viska_assets.query.results import Reply, Tier
from viska_assets.query.search import search
from viska_assets.query.source_check import Standing, source_check
from viska_assets.query.wording import Asking
from viska_assets.store.home import Home
from viska_assets.store.scope import SearchScope

pytestmark = pytest.mark.database

FIRST = Report("Nordwind Corp", 2023, {"Total revenues": {2023: 1000, 2022: 900}, "Net income": {2023: 100, 2022: 90}})
RESTATING = Report(
    "Nordwind Corp", 2024, {"Total revenues": {2024: 1100, 2023: 980}, "Net income": {2024: 120, 2023: 100}}
)
BEFORE = date(2024, 6, 1)
START_OF_2025 = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.fixture
def restated(home: Home, tmp_path: Path) -> Home:
    desk = Desk(home)
    for report in (FIRST, RESTATING):
        assert desk.take([report.write(tmp_path)]) == {}
    return home


def ask(home: Home, question: str, as_of: date | None = None, tier: Tier = Tier.RETRIEVAL) -> Reply:
    with Library(home).reader() as reader:
        return answer(replace(reader, embedder=lambda: None), Asking(question, as_of=as_of), tier=tier)


@pytest.mark.parametrize("tier", [Tier.RETRIEVAL, Tier.SYNTHESIS])
@pytest.mark.parametrize(
    "question",
    [
        "What were Nordwind's total revenues in fiscal 2023?",
        "What was Nordwind Corp revenue in 2023?",
        "Nordwind Corp 10-K for fiscal 2023: total revenues in 2023, as against 2022?",
    ],
)
def test_the_restating_figure_answers(restated: Home, question: str, tier: Tier) -> None:
    reply = ask(restated, question, tier=tier)
    assert "$980 million" in reply.text
    assert "1,000" not in reply.text


def test_a_reply_says_what_its_figure_supersedes(restated: Home) -> None:
    reply = ask(restated, "What were Nordwind's total revenues in fiscal 2023?")
    assert any(remark.startswith("an earlier figure is superseded: viska://chunk/") for remark in reply.remarks)


def test_a_found_passage_says_which_supersedes_a_figure_of_it(restated: Home) -> None:
    with Library(restated).reader() as reader:
        offline = replace(reader, embedder=lambda: None)
        found = search(offline, "Nordwind total revenues 2023").hits
        earlier = search(offline, "Nordwind total revenues 2023", scope=SearchScope(known_at=START_OF_2025)).hits
    older, newer = (next(hit for hit in found if figure in hit.text) for figure in ("1,000", "1,100"))
    assert older.remarks == (f"a figure in it is superseded: {newer.where.uri}",)
    assert newer.remarks == ()
    assert earlier
    assert all(hit.remarks == () for hit in earlier)


def test_what_was_not_restated_yet_on_the_day_answers(restated: Home) -> None:
    reply = ask(restated, "What were Nordwind's total revenues in fiscal 2023?", BEFORE)
    assert "$1,000 million" in reply.text
    assert not any("superseded" in remark for remark in reply.remarks)


def test_other_figures_of_the_same_passage_still_answer(restated: Home) -> None:
    assert "$900 million" in ask(restated, "What were Nordwind's total revenues in fiscal 2022?").text
    assert "$90 million" in ask(restated, "What was Nordwind's net income in fiscal 2022?").text


@pytest.mark.parametrize(
    ("million", "as_of", "standing"),
    [
        ("1,000", None, Standing.CONTRADICTED),
        ("980", None, Standing.SUPPORTED),
        ("1,000", BEFORE, Standing.SUPPORTED),
        ("980", BEFORE, Standing.CONTRADICTED),
    ],
)
def test_a_claim_is_checked_against_the_figure_that_stands(
    restated: Home, million: str, as_of: date | None, standing: Standing
) -> None:
    claim = f"Nordwind Corp total revenues in fiscal 2023 were ${million} million."
    with Library(restated).reader() as reader:
        checked = source_check(replace(reader, embedder=lambda: None), Asking(claim, as_of=as_of))
    assert checked.standing is standing
    was_restated = standing is Standing.CONTRADICTED and as_of is None
    assert ("a newer one restates the figure" in checked.reason) == was_restated


def test_another_difference_between_the_same_two_passages_is_still_a_contradiction(home: Home, tmp_path: Path) -> None:
    """Of two figures that differ one is restated as a comparative, the other is not the company's to restate."""
    desk = Desk(home)
    desk.take([FIRST.write(tmp_path), RESTATING.write(tmp_path)])
    with Library(home).reader() as reader:
        found = contradictions(
            replace(reader, embedder=lambda: None),
            "Nordwind total revenues",
            ["Nordwind Corp total revenues in fiscal 2022 were $850 million."],
        )
    assert {side.printed for c in found.contradictions for side in (c.first, c.second)} >= {"900"}
    assert all("2023" not in str(side.key.period) for c in found.contradictions for side in (c.first, c.second))


def test_a_restatement_is_no_contradiction_among_the_sources(restated: Home) -> None:
    with Library(restated).reader() as reader:
        found = contradictions(replace(reader, embedder=lambda: None), "Nordwind total revenues")
    assert found.contradictions == ()
    assert Difference.SUPERSEDED in {conflict.difference for conflict in found.explained}
