import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.graph.pages import linked, page
from viska_assets.graph.build import build_graph
from viska_assets.graph.communities import with_communities
from viska_assets.model.page import ConceptType, Page
from viska_assets.query.graph import LiveGraphs, NoGraphError
from viska_assets.query.graphify_server import GraphifyServer, graphify_is_installed

PAGES = [
    linked("issuers/acme", "theses/supply", "sources/r1", title="Acme Corp", cites=("/sources/r1.md",)),
    linked("theses/supply", "issuers/acme", title="Supply constraint", type=ConceptType.THESIS),
    page("sources/r1", title="Report 1", type=ConceptType.SOURCE),
]


def write(folder: Path, pages: list[Page], name: str = "default") -> None:
    scratch = folder / f".{name}"
    scratch.write_text(json.dumps(with_communities(build_graph(pages, "abc1234"))))
    scratch.replace(folder / f"{name}.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, PAGES)
    return tmp_path


@pytest.fixture
def graphs(folder: Path) -> Iterator[LiveGraphs]:
    found = LiveGraphs(folder)
    yield found
    found.close()


def test_a_changed_file_is_seen_by_the_next_question(folder: Path) -> None:
    graphs = LiveGraphs(folder, graphify=False)
    assert len(graphs.walker()) == 3
    write(folder, [*PAGES, page("metrics/twr")])
    assert graphs.get_neighbors("metrics/twr").found.seeds == ("metrics/twr",)


@pytest.mark.parametrize("namespace", ["../default", "default.json", "Default", "", "a/b", "héalth", "*", "default\n"])
def test_a_namespace_is_a_plain_name_and_never_a_path(folder: Path, namespace: str) -> None:
    graphs = LiveGraphs(folder / "inner" if namespace.startswith("..") else folder, graphify=False)
    with pytest.raises(NoGraphError):
        graphs.walker(namespace)


def test_two_bundles_with_one_concept_stay_apart(folder: Path) -> None:
    write(folder, [page("issuers/acme", title="Another Acme")], "fund-two")
    graphs = LiveGraphs(folder, graphify=False)
    assert graphs.get_neighbors("Another Acme", namespace="fund-two").found.seeds == ("issuers/acme",)
    assert len(graphs.walker()) == 3


def test_a_missing_graph_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(NoGraphError, match="materialize knowledge_graph"):
        LiveGraphs(tmp_path).query_graph("anything")


@pytest.mark.skipif(not graphify_is_installed(), reason="the extra viska[graphify] is not installed")
class TestGraphify:
    def test_its_words_stand_beside_the_same_structure_and_name_no_path(self, graphs: LiveGraphs, folder: Path) -> None:
        for told in (
            graphs.query_graph("Acme Corp"),
            graphs.get_neighbors("issuers/acme"),
            graphs.shortest_path("sources/r1", "theses/supply"),
            graphs.god_nodes(with_sources=True),
        ):
            assert told.told_by == "graphify"
            assert "Acme Corp" in told.text
            assert str(folder) not in told.text

    def test_both_edges_of_a_pair_are_told(self, graphs: LiveGraphs) -> None:
        text = graphs.get_neighbors("issuers/acme").text
        assert "Report 1 [cites]" in text
        assert "Report 1 [links_to]" in text

    def test_twenty_calls_give_one_answer_and_a_new_file_another(self, graphs: LiveGraphs, folder: Path) -> None:
        first = graphs.shortest_path("sources/r1", "theses/supply")
        assert {graphs.shortest_path("sources/r1", "theses/supply").text for _ in range(20)} == {first.text}
        write(folder, [*PAGES, linked("events/e", "issuers/acme", title="A late event")])
        assert "A late event" in graphs.get_neighbors("issuers/acme").text

    def test_another_graph_of_the_machine_cannot_be_asked_for(self, folder: Path, tmp_path: Path) -> None:
        server = GraphifyServer(folder / "default.json")
        for tool, arguments in (
            ("query_graph", {"question": "x", "project_path": str(tmp_path)}),
            ("triage_prs", {}),
            ("get_pr_impact", {"pr_number": 1}),
        ):
            with pytest.raises(ValueError, match="not passed on"):
                server.ask(tool, arguments)

    def test_a_server_that_was_killed_is_told_of_and_started_again(self, graphs: LiveGraphs) -> None:
        graphs.get_neighbors("issuers/acme")
        for child in _children(os.getpid()):
            if b"graphify.serve" in Path(f"/proc/{child}/cmdline").read_bytes():
                os.kill(child, 9)
        after = graphs.get_neighbors("issuers/acme")
        assert after.found.seeds == ("issuers/acme",)
        assert "Acme Corp" in after.text
        assert graphs.get_neighbors("issuers/acme").told_by == "graphify"


def _children(parent: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{parent}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return found
