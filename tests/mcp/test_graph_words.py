"""The graph tools' text comes from graphify's own server, their structure from Viska, whoever asks."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.types import CallToolResult, TextContent

from tests.disposable import Disposable
from viska_assets.mcp.server import build_server
from viska_assets.query.graphify_server import graphify_is_installed
from viska_assets.query.library import Library
from viska_assets.store.home import Home
from viska_assets.store.settings import Settings

pytestmark = [
    pytest.mark.database,
    pytest.mark.skipif(not graphify_is_installed(), reason="the extra viska[graphify] is not installed"),
]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("query_graph", {"question": "Apple Inc."}),
    ("get_neighbors", {"label": "Apple Inc.", "relation_filter": "links_to"}),
    ("shortest_path", {"source": "holdings/apple", "target": "issuers/apple", "undirected": True}),
    ("god_nodes", {"top_n": 5}),
]


def library_of(home: Disposable, *, graphify: bool) -> Iterator[Library]:
    now = datetime(2024, 12, 1, tzinfo=UTC)
    opened = Home(Settings(home=home.root, database_url=home.url, now=now, graphify=graphify))
    yield Library(opened)
    opened.close()


@pytest.fixture(scope="module")
def with_graphify(sample_home: Disposable) -> Iterator[Library]:
    yield from library_of(sample_home, graphify=True)


@pytest.fixture(scope="module")
def without(sample_home: Disposable) -> Iterator[Library]:
    yield from library_of(sample_home, graphify=False)


def asked(library: Library, name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    async def run() -> CallToolResult:
        async with Client(build_server(library)) as client:
            return await client.call_tool(name, arguments)

    result = anyio.run(run)
    assert isinstance(result.content[0], TextContent)
    assert isinstance(result.structured_content, dict)
    assert not result.is_error, result.content[0].text
    return result.content[0].text, result.structured_content


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=[name for name, _ in CALLS])
def test_the_words_are_graphifys_and_the_structure_is_the_same(
    with_graphify: Library, without: Library, name: str, arguments: dict[str, Any]
) -> None:
    words, structure = asked(with_graphify, name, arguments)
    own_words, own_structure = asked(without, name, arguments)
    assert (structure.pop("told_by"), own_structure.pop("told_by")) == ("graphify", "viska")
    assert structure == own_structure
    assert words != own_words
    assert "Apple" in words
    assert str(with_graphify.settings.home_path) not in words


def test_no_path_of_a_callers_reaches_graphify(with_graphify: Library) -> None:
    async def run() -> CallToolResult:
        async with Client(build_server(with_graphify)) as client:
            return await client.call_tool("query_graph", {"question": "Apple", "project_path": "/etc"})

    result = anyio.run(run)
    assert result.is_error
    assert isinstance(result.content[0], TextContent)
    assert "project_path" in result.content[0].text
