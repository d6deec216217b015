"""Nights in a row: the series, the page that stands alone, the export, and the command that lists them."""

import base64
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from click.testing import CliRunner

from viska_assets.assets.lint_picture import draw_trends
from viska_assets.assets.linting import lint_home, publish
from viska_assets.cli.main import main
from viska_assets.lint.history import as_export, as_html, as_rows, trends
from viska_assets.model.lint import Gravity
from viska_assets.store.home import Home
from viska_assets.store.lint_rows import Night, RuleCount, lint_nights

FIRST = datetime(2026, 3, 1, 2, tzinfo=UTC)


def finding(rule: str, path: str, severity: str = "warning", message: str = "m") -> dict[str, Any]:
    place = {"path": path, "line": 1, "column": 1, "rule": rule, "code": rule.upper(), "hint": "h"}
    return place | {"severity": severity, "message": message}


def night(number: int, findings: list[dict[str, Any]], waiting: Sequence[int] = ()) -> Night:
    names = ("stale", "orphan", "broken_citation")
    counts = tuple(RuleCount(n, Gravity.WARNING, sum(f["rule"] == n for f in findings)) for n in names)
    at = FIRST + timedelta(days=number)
    return Night(number, "c" * 40, "e", at, 5, counts, findings, tuple(waiting))


NIGHTS = [
    night(
        2, [finding("orphan", "a.md"), finding("broken_citation", "b.md", "hard", "<script>alert(1)</script>")], (9, 2)
    ),
    night(1, [finding("stale", "a.md"), finding("stale", "a.md"), finding("stale", "b.md")], (1,)),
    night(0, []),
]


def test_series_run_from_the_oldest_night_to_the_newest() -> None:
    found = trends(NIGHTS)
    assert found.nights == tuple(FIRST + timedelta(days=n) for n in range(3))
    assert found.findings == {"broken_citation": (0, 0, 1), "orphan": (0, 0, 1), "stale": (0, 3, 0)}
    assert found.stale_pages == (0, 2, 0)
    assert found.oldest_waiting_days == (0, 1, 9)
    assert found.waiting == (0, 1, 2)


def test_a_row_a_night() -> None:
    rows = as_rows(NIGHTS)
    assert [(row["hard"], row["warnings"], row["oldest_waiting_days"]) for row in rows] == [
        (1, 1, 9),
        (0, 3, 1),
        (0, 0, 0),
    ]
    assert as_export(NIGHTS)["findings"] == NIGHTS[0].findings
    assert as_export([]) == {"nights": [], "findings": []}


def test_the_page_stands_alone_and_runs_nothing() -> None:
    page = as_html(NIGHTS, draw_trends(trends(NIGHTS)))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script" not in page
    assert re.findall(r"https?://", page) == []
    assert re.findall(r'(?:src|href)="(?!data:)', page) == []
    assert page.index("broken_citation".upper()) < page.index("ORPHAN")
    assert "No night" in as_html([], "")


def test_the_picture_is_a_png_and_the_same_for_the_same_nights() -> None:
    head, _, data = draw_trends(trends(NIGHTS)).partition(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(data).startswith(b"\x89PNG")
    assert draw_trends(trends(NIGHTS)) == draw_trends(trends(NIGHTS)) != draw_trends(trends(NIGHTS[1:]))
    assert draw_trends(trends([])) == ""


@pytest.mark.database
def test_nights_are_published_and_listed(home: Home) -> None:
    lint_home(home, "first")
    lint_home(home, "second")
    published = publish(home)
    assert [n.engine for n in published.nights] == ["second", "first"]
    assert json.loads(published.export.read_text())["nights"][1]["engine"] == "first"
    assert "data:image/png" in published.page.read_text()
    listed = CliRunner().invoke(main, ["lint", "--history", "1", "--json"])
    assert listed.exit_code == 0, listed.output
    assert [row["engine"] for row in json.loads(listed.output)] == ["second"]
    shown = CliRunner().invoke(main, ["lint", "--history"])
    assert (shown.exit_code, "oldest" in shown.output) == (0, True)
    with home.database.transaction() as connection:
        assert len(lint_nights(connection)) == 2


@pytest.mark.database
def test_the_asset_shows_trends_page_and_export(home: Home) -> None:
    from resources.home import HomeResource
    from viska_assets.assets.lint import LintConfig, lint_report

    result = lint_report(LintConfig(), home=HomeResource())
    assert result.metadata["trends"].value.startswith("![Lint, night by night](data:image/png;base64,")
    assert result.metadata["page"].url == (home.settings.home_path / "lint" / "report.html").as_uri()
