"""The server in process: every tool, refused arguments, budgets, cursors, resources, prompts, errors."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.types import CallToolResult, TextContent, TextResourceContents

from tests.disposable import Disposable
from viska_assets.mcp.server import build_server
from viska_assets.query.library import Library
from viska_assets.store.home import Home
from viska_assets.store.settings import Settings

pytestmark = pytest.mark.database

CHARACTERS_A_TOKEN = 2.5
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("viska_search", {"question": "Apple services net sales", "limit": 3}),
    ("viska_answer", {"question": "What was Apple's revenue in fiscal 2024?"}),
    ("viska_open", {"reference": "issuers/apple"}),
    ("viska_trace_provenance", {"page": "theses/apple-fjordland-example"}),
    ("viska_source_check", {"claim": "Apple's revenue in fiscal 2024 was $391,035 million."}),
    ("viska_find_pattern", {"pattern": "net sales", "limit": 50}),
    ("viska_audit_coverage", {"topic": "Apple revenue"}),
    ("viska_find_contradictions", {"topic": "Apple revenue fiscal 2024"}),
    ("viska_status", {}),
    ("query_graph", {"question": "Apple"}),
    ("get_neighbors", {"label": "Apple Inc."}),
    ("shortest_path", {"source": "holdings/apple", "target": "issuers/apple", "undirected": True}),
    ("god_nodes", {"top_n": 3}),
]


@pytest.fixture(scope="module")
def library(sample_home: Disposable) -> Iterator[Library]:
    settings = Settings(home=sample_home.root, database_url=sample_home.url, now=datetime(2024, 12, 1, tzinfo=UTC))
    home = Home(settings)
    yield Library(home)
    home.close()


@asynccontextmanager
async def client_of(library: Library) -> AsyncIterator[Client]:
    async with Client(build_server(library)) as client:
        yield client


def call(library: Library, name: str, arguments: dict[str, Any]) -> CallToolResult:
    async def run() -> CallToolResult:
        async with client_of(library) as client:
            return await client.call_tool(name, arguments)

    return anyio.run(run)


def text_of(result: CallToolResult) -> str:
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


def structure_of(result: CallToolResult) -> dict[str, Any]:
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def tokens_of(result: CallToolResult) -> float:
    return len(json.dumps(result.model_dump(mode="json", by_alias=True, exclude_none=True))) / CHARACTERS_A_TOKEN


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=[name for name, _ in CALLS])
def test_every_tool_answers(library: Library, name: str, arguments: dict[str, Any]) -> None:
    result = call(library, name, arguments)
    assert not result.is_error, text_of(result)
    assert structure_of(result)
    assert tokens_of(result) <= 8_000


def test_the_list_of_tools_is_short_and_says_that_all_only_read(library: Library) -> None:
    async def run() -> None:
        async with client_of(library) as client:
            tools = (await client.list_tools()).tools
            assert {tool.name for tool in tools} == {name for name, _ in CALLS}
            assert len(tools) <= 17
            for tool in tools:
                assert tool.annotations is not None
                assert tool.annotations.read_only_hint is True
                assert tool.annotations.open_world_hint is False
                assert tool.description
            size = len(json.dumps([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]))
            assert size / CHARACTERS_A_TOKEN <= 5_000

    anyio.run(run)


@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("viska_search", {"question": "x", "namespace": ["health"]}, "namespaces"),
        ("viska_answer", {"question": "x", "k": 3}, "its arguments: question, tier"),
        ("god_nodes", {"project_path": "/etc"}, "top_n"),
    ],
)
def test_an_unknown_argument_is_an_error_that_names_the_known(
    library: Library, name: str, arguments: dict[str, Any], wanted: str
) -> None:
    result = call(library, name, arguments)
    assert result.is_error
    assert wanted in text_of(result)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("viska_search", {"question": "  "}),
        ("viska_search", {"question": "x", "namespaces": ["health"]}),
        ("viska_search", {"question": "x", "issuer": "Nobody Inc."}),
        ("viska_search", {"question": "x", "as_of": "tomorrow"}),
        ("viska_search", {"question": "x", "cursor": "no cursor"}),
        ("viska_open", {"reference": "health/secrets"}),
        ("viska_open", {"reference": "../../etc/passwd"}),
        ("viska_trace_provenance", {"page": "issuers/nobody"}),
        ("viska_trace_provenance", {"page": "issuers/apple#c0"}),
        ("get_neighbors", {"label": "nobody at all"}),
        ("shortest_path", {"source": "issuers/apple", "target": "zzz"}),
    ],
)
def test_an_error_names_the_next_step(library: Library, name: str, arguments: dict[str, Any]) -> None:
    result = call(library, name, arguments)
    assert result.is_error
    assert "Next: " in text_of(result)


def follow(library: Library, name: str, arguments: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """All replies of a call and its cursors."""

    async def run() -> list[dict[str, Any]]:
        async with client_of(library) as client:
            found: list[dict[str, Any]] = []
            cursor = ""
            while True:
                result = await client.call_tool(name, arguments | {"cursor": cursor})
                assert not result.is_error, text_of(result)
                assert tokens_of(result) <= 8_000
                structure = structure_of(result)
                found += structure[key]
                cursor = structure["next_cursor"] or ""
                if not cursor:
                    return found

    return anyio.run(run)


@pytest.mark.parametrize(("limit", "detail"), [(50, "full"), (7, "concise"), (1, "full")])
def test_following_cursors_yields_each_hit_once(library: Library, limit: int, detail: str) -> None:
    hits = follow(library, "viska_search", {"question": "net sales", "limit": limit, "detail": detail}, "hits")
    ids = [hit["id"] for hit in hits]
    assert len(ids) == len(set(ids)) > 20
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)


def test_following_cursors_yields_each_citation_and_edge_once(library: Library) -> None:
    citations = [c["id"] for c in follow(library, "viska_trace_provenance", {"page": "issuers/apple"}, "citations")]
    assert len(citations) == len(set(citations)) > 40
    edges = follow(library, "query_graph", {"question": "issuers/apple", "depth": 6}, "edges")
    keys = [(e["source"], e["target"], e["relation"]) for e in edges]
    assert len(keys) == len(set(keys)) > 20


def test_a_cursor_of_another_question_is_refused(library: Library) -> None:
    first = call(library, "viska_search", {"question": "net sales", "limit": 1})
    cursor = structure_of(first)["next_cursor"]
    assert call(library, "viska_search", {"question": "margin", "limit": 1, "cursor": cursor}).is_error


def test_instructions_tell_what_there_is(library: Library) -> None:
    text = build_server(library).instructions or ""
    assert "30 maintained pages" in text
    assert "12 documents" in text
    assert "retrieval answers" in text


def test_resources_and_prompts_are_served(library: Library) -> None:
    async def run() -> None:
        async with client_of(library) as client:
            for uri, said in (
                ("viska://index", "issuers/apple"),
                ("viska://concept/issuers/apple", "# Apple Inc."),
                ("viska://chunk/89f28cdd9265e529", "391,035"),
                ("viska://source/c73463278f1080d4", "FORM 10-K"),
            ):
                content = (await client.read_resource(uri)).contents[0]
                assert isinstance(content, TextResourceContents)
                assert said in content.text
            names = {prompt.name for prompt in (await client.list_prompts()).prompts}
            assert {"research", "check_sources"} <= names
            prompt = await client.get_prompt("research", {"question": "Is it so?"})
            assert "Is it so?" in prompt.messages[0].content.text  # type: ignore[union-attr]
            with pytest.raises(Exception, match="resource"):
                await client.read_resource("viska://concept/issuers/..%2F..%2Fetc")

    anyio.run(run)


def test_a_graph_answer_is_the_same_twenty_times(library: Library) -> None:
    def answers(name: str, arguments: dict[str, Any]) -> set[str]:
        async def run() -> set[str]:
            async with client_of(library) as client:
                return {text_of(await client.call_tool(name, arguments)) for _ in range(20)}

        return anyio.run(run)

    for name, arguments in CALLS[-4:]:
        assert len(answers(name, arguments)) == 1


def test_a_pair_that_links_and_cites_shows_both_edges(library: Library) -> None:
    edges = structure_of(call(library, "get_neighbors", {"label": "events/2024-11-01-apple-10-k"}))["edges"]
    relations = {(e["target"], e["relation"]) for e in edges}
    both = {target for target, relation in relations if relation == "cites"}
    assert both & {target for target, relation in relations if relation == "links_to"}


def test_the_answer_carries_its_sources_to_the_span(library: Library) -> None:
    found = structure_of(call(library, "viska_answer", {"question": "What was Apple's net income in fiscal 2024?"}))
    assert found["tier"] == "retrieval"
    assert found["sources"][0]["quoted"] == "93,736"
    assert found["sources"][0]["place"]["span"][1] - found["sources"][0]["place"]["span"][0] == len("93,736")


@pytest.mark.parametrize(
    ("claim", "standing"),
    [
        ("Apple's revenue in fiscal 2024 was $391,035 million.", "supported"),
        ("Apple's net income in fiscal 2024 was $95,000 million.", "contradicted"),
        ("Apple's headcount in fiscal 2024 was 164,000.", "unsupported"),
    ],
)
def test_a_claim_is_checked_against_the_sources(library: Library, claim: str, standing: str) -> None:
    assert structure_of(call(library, "viska_source_check", {"claim": claim}))["standing"] == standing
