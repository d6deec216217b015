"""Answers over several sources: the vaults' claims first, lines of repositories and the web quoted behind them."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import anyio
import pytest
from mcp.client import Client
from mcp.types import TextContent

from tests.hermes.test_research import EVERYWHERE, QUESTION, RESULTS, desk, policy, reader_of, search_server
from viska_assets.hermes.answering import QUOTES, answer_from_sources
from viska_assets.mcp.server import build_server
from viska_assets.query.answer import markers_in
from viska_assets.query.library import Library
from viska_assets.query.results import FoundIn, Reply
from viska_assets.query.wording import Asking
from viska_assets.store.home import Home

__all__ = ["desk"]

REVENUE = "What was Apple's revenue in fiscal year 2024?"


def ask(
    home: Home,
    tmp_path: Path,
    question: str = QUESTION,
    sources: tuple[FoundIn, ...] = EVERYWHERE,
    as_of: date | None = None,
) -> Reply:
    with (
        search_server(RESULTS) as web,
        reader_of(home, policy(tmp_path, searxng=f"http://127.0.0.1:{web.server_port}")) as reader,
    ):
        return answer_from_sources(reader, Asking(question, as_of=as_of), sources=sources)


def test_every_marker_resolves_and_every_quote_stands_in_its_source(desk: Home, tmp_path: Path) -> None:
    reply = ask(desk, tmp_path)
    by_marker = {source.marker: source for source in reply.sources}
    assert list(markers_in(reply.text)) == [m for said in reply.statements for m in said.markers]
    assert set(markers_in(reply.text)) == set(by_marker)
    labels = {source.found_in for source in reply.sources}
    assert {FoundIn.REPOSITORY, FoundIn.WEB} <= labels
    for said in reply.statements:
        for source in (by_marker[marker] for marker in said.markers):
            assert source.quoted_span.of(source.passage) == source.quoted
            if source.found_in is not FoundIn.VAULT:
                assert source.quoted in said.text
                assert said.value is None


def test_a_quote_says_where_it_was_found_and_by_whom(desk: Home, tmp_path: Path) -> None:
    reply = ask(desk, tmp_path, sources=(FoundIn.REPOSITORY,))
    (source,) = reply.sources
    assert reply.text == "Found in a repository: “# zanzibar spread” [1]"
    assert (source.contributor, source.where.line, len(source.where.commit)) == ("Ada", 2, 40)
    assert reply.route.rule_id == "explicit.sources"
    assert reply.confidence.value <= 0.8
    assert not reply.confidence.calibrated


def test_what_the_vaults_answer_stands_first_and_is_what_they_answer_alone(desk: Home, tmp_path: Path) -> None:
    with reader_of(desk, policy(tmp_path)) as reader:
        alone = answer_from_sources(reader, Asking(REVENUE), sources=(FoundIn.VAULT,))
    both = ask(desk, tmp_path, REVENUE)
    assert both.statements[: len(alone.statements)] == alone.statements
    assert both.sources[: len(alone.sources)] == alone.sources


def test_a_contradiction_among_the_sources_is_told_and_not_resolved(desk: Home, tmp_path: Path) -> None:
    reply = ask(desk, tmp_path, REVENUE)
    assert any("391.0" in remark and "380.0" in remark for remark in reply.remarks)


def test_a_source_that_does_not_answer_is_named_and_the_rest_stands(desk: Home, tmp_path: Path) -> None:
    with reader_of(desk, policy(tmp_path)) as reader:
        reply = answer_from_sources(reader, Asking(QUESTION), sources=EVERYWHERE)
    assert reply.answers
    assert "web" in reply.explanation.degraded
    assert any("no search server is configured" in remark for remark in reply.remarks)


def test_nothing_that_fits_is_no_answer(desk: Home, tmp_path: Path) -> None:
    with reader_of(desk, policy(tmp_path)) as reader:
        reply = answer_from_sources(reader, Asking("Which qwxyzzy grumbled?"), sources=(FoundIn.REPOSITORY,))
    assert (reply.text, reply.sources, reply.answers) == ("", (), False)
    assert reply.reason


def test_what_was_not_known_on_the_day_is_not_quoted(desk: Home, tmp_path: Path) -> None:
    """The commit is of today, and of the web one page is of 2026 and one has no date."""
    reply = ask(desk, tmp_path, as_of=date(2020, 1, 1), sources=(FoundIn.REPOSITORY, FoundIn.WEB))
    assert reply.sources == ()
    assert any("were not known yet on that day" in remark for remark in reply.remarks)


def test_markers_in_a_foreign_text_are_no_markers(desk: Home, tmp_path: Path) -> None:
    hostile = {
        "results": [{"url": "https://www.sec.gov/x", "title": "t", "content": "zanzibar spread [1] [7] \n[^c1]"}]
    }
    with (
        search_server(hostile) as web,
        reader_of(desk, policy(tmp_path, searxng=f"http://127.0.0.1:{web.server_port}")) as reader,
    ):
        reply = answer_from_sources(reader, Asking(QUESTION), sources=(FoundIn.WEB,))
    assert markers_in(reply.text) == ("[1]",)
    assert "\n" not in reply.text


def test_few_quotes_stand_in_the_text_and_the_others_are_counted(desk: Home, tmp_path: Path) -> None:
    many = {
        "results": [
            {"url": f"https://www.sec.gov/{n}", "title": "t", "content": f"zanzibar spread number {n} {'x' * n}"}
            for n in range(9)
        ]
    }
    with (
        search_server(many) as web,
        reader_of(desk, policy(tmp_path, searxng=f"http://127.0.0.1:{web.server_port}")) as reader,
    ):
        reply = answer_from_sources(reader, Asking(QUESTION), sources=(FoundIn.WEB,))
    assert len(reply.sources) == QUOTES
    assert any("6 further hits" in remark for remark in reply.remarks)


@pytest.mark.parametrize("tool", ["viska_search", "viska_answer"])
def test_an_agent_names_its_sources(desk: Home, tmp_path: Path, tool: str) -> None:
    library = Library(desk)
    library.home.__dict__["policy"] = replace_policy(desk, tmp_path)

    async def run() -> tuple[dict[str, object], str]:
        async with Client(build_server(library)) as client:
            result = await client.call_tool(tool, {"question": QUESTION, "sources": ["vault", "repository", "web"]})
            assert isinstance(result.content[0], TextContent)
            assert isinstance(result.structured_content, dict), result.content[0].text
            return result.structured_content, result.content[0].text

    found, text = anyio.run(run)
    entries = found["hits" if tool == "viska_search" else "sources"]
    assert isinstance(entries, list)
    assert "repository" in {entry["found_in"] for entry in entries}
    assert "web" in json.dumps(found["degraded"])
    assert "zanzibar" in text


def replace_policy(home: Home, tmp_path: Path) -> object:
    given = policy(tmp_path)
    return home.policy.model_copy(update={"repositories": given.repositories, "research": given.research})


def test_nothing_is_sent_to_the_web_from_a_call_that_has_opened_a_private_vault(desk: Home, tmp_path: Path) -> None:
    with (
        search_server(RESULTS) as web,
        reader_of(desk, policy(tmp_path, searxng=f"http://127.0.0.1:{web.server_port}")) as reader,
    ):
        opened = replace(reader, namespaces=("health", "default"), private=("health",))
        reply = answer_from_sources(opened, Asking(QUESTION), sources=EVERYWHERE)
        assert web.asked == []
    assert {source.found_in for source in reply.sources} <= {FoundIn.VAULT, FoundIn.REPOSITORY}
    assert any("ask the web in a call of its own" in remark for remark in reply.remarks)


def test_a_private_repository_is_not_quoted_unless_its_vault_is_open(desk: Home, tmp_path: Path) -> None:
    given = policy(tmp_path)
    closed = {name: one.model_copy(update={"namespace": "health"}) for name, one in given.repositories.items()}
    with reader_of(desk, given.model_copy(update={"repositories": closed})) as reader:
        reply = answer_from_sources(reader, Asking(QUESTION), sources=(FoundIn.REPOSITORY,))
        opened = replace(reader, namespaces=("health",), private=("health",))
        seen = answer_from_sources(opened, Asking(QUESTION), sources=(FoundIn.REPOSITORY,))
    assert not reply.answers
    assert seen.answers
    assert opened.shown
