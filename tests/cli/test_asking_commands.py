"""The asking commands, from outside: every one answers, in words and as JSON, with the exit code that fits."""

import json
from pathlib import Path

import pytest

from tests.disposable import Disposable

pytestmark = pytest.mark.database

COMMANDS = ["search", "research", "route", "open", "trace", "trace-provenance", "source-check", "mcp"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(sample_home: Disposable, name: str) -> None:
    assert sample_home.viska(name, "--help").returncode == 0


def test_research_answers_with_its_sources(sample_home: Disposable) -> None:
    done = sample_home.viska("research", "What was Apple's net income in fiscal 2024?")
    assert done.returncode == 0
    assert "$93,736 million [1]" in done.stdout
    assert "viska://chunk/" in done.stdout
    found = json.loads(
        sample_home.viska("research", "What is our thesis on Apple?", "--tier", "synthesis", "--json").stdout
    )
    assert found["route"]["tier"] == "synthesis"
    assert {marker for s in found["statements"] for marker in s["markers"]} <= {s["marker"] for s in found["sources"]}


def test_a_named_source_that_is_not_configured_is_said_and_the_vaults_still_answer(sample_home: Disposable) -> None:
    question = "What was Apple's net income in fiscal 2024?"
    done = sample_home.viska("research", question, "--in", "vault", "--in", "web")
    assert done.returncode == 0
    assert "$93,736 million [1]" in done.stdout
    assert "set research.searxng in the policy" in " ".join(done.stdout.split())
    alone = sample_home.viska("research", question, "--in", "web")
    assert alone.returncode == 1
    assert "No answer" in alone.stdout


def test_no_answer_is_no_success(sample_home: Disposable) -> None:
    done = sample_home.viska("research", "What was the revenue of Tesla in 1999?")
    assert done.returncode == 1
    assert "No answer" in done.stdout


def test_a_route_says_its_rule(sample_home: Disposable) -> None:
    found = json.loads(sample_home.viska("route", "AAPL revenue in fiscal 2024", "--json").stdout)
    assert (found["tier"], found["rule_id"], found["entities"]) == ("retrieval", "shape.exact", ["issuers/apple"])


def test_open_highlights_the_passage_and_writes_html(sample_home: Disposable, tmp_path: Path) -> None:
    page = tmp_path / "passage.html"
    done = sample_home.viska("open", "issuers/apple#c62afc7cee")
    assert "⟦391,035⟧" in done.stdout
    assert sample_home.viska("open", "issuers/apple#c62afc7cee", "--html", str(page)).returncode == 0
    assert '<mark id="passage">391,035</mark>' in page.read_text(encoding="utf-8")
    assert sample_home.viska("open", "issuers/nobody").returncode == 2


def test_provenance_ends_at_bytes_that_are_there(sample_home: Disposable) -> None:
    step = json.loads(sample_home.viska("trace-provenance", "issuers/apple#c62afc7cee", "--json").stdout)[0]
    start, end = step["byte_span"]
    assert Path(step["blob"].removeprefix("file://")).read_bytes()[start:end] == b"391,035"


def test_a_false_claim_is_no_success(sample_home: Disposable) -> None:
    assert sample_home.viska("source-check", "Apple's revenue in fiscal 2024 was $391,035 million.").returncode == 0
    done = sample_home.viska("source-check", "Apple's net income in fiscal 2024 was $95,000 million.")
    assert done.returncode == 1
    assert done.stdout.startswith("contradicted")
