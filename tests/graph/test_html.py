import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.graph.pages import linked
from tests.graph.pages import page as page_of
from viska_assets.graph.build import build_graph
from viska_assets.graph.communities import with_communities
from viska_assets.graph.html import graph_html

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><!-- \u2028"
GRAPH = with_communities(
    build_graph(
        [linked("issuers/a", "theses/b", title=HOSTILE), linked("theses/b", "issuers/a"), page_of("metrics/c")], "c"
    )
)


def test_the_data_survives_whole_and_no_title_becomes_markup() -> None:
    text = graph_html(GRAPH)
    assert "<img" not in text
    data = json.loads(re.search(r'id="data" type="application/json">(.*?)</script>', text, re.DOTALL)[1])
    assert {node["id"]: node["label"] for node in data["nodes"]}["issuers/a"] == HOSTILE
    assert len(data["edges"]) == 2
    assert data["communities"] == [{"hub": "issuers/a", "size": 2}]


def test_the_page_needs_no_network_and_is_the_same_each_time() -> None:
    text = graph_html(GRAPH)
    assert graph_html(GRAPH) == text
    assert not re.search(r'(?:src|href)="?https?:', text)
    assert "default-src 'none'" in text


@pytest.mark.browser
def test_a_reader_finds_a_page_sees_its_neighbours_and_walks_on(tmp_path: Path, page: "Page") -> None:
    file = tmp_path / "graph.html"
    file.write_text(graph_html(GRAPH), encoding="utf-8")
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(file.as_uri())
    assert page.locator("#nodes g").count() == 3
    assert "3 pages, 2 edges" in page.inner_text("#facts")
    page.fill("#search", "theses")
    page.click("#detail button")
    page.fill("#search", "")
    page.goto(file.as_uri() + "#theses%2Fb")
    page.reload()
    assert page.inner_text("#detail h2:first-child") == "B"
    page.click("#detail li button")
    assert page.inner_text("#detail h2:first-child").split() == HOSTILE.split()
    assert page.title() == "Viska: the graph"
    page.keyboard.press("Escape")
    assert page.inner_text("#detail h2:first-child") == "Communities"
    assert problems == []
