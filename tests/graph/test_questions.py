import random

import pytest

from tests.graph.pages import linked, page
from viska_assets.graph.build import Graph, build_graph
from viska_assets.graph.neighbours import Walker
from viska_assets.graph.questions import (
    Route,
    Subgraph,
    UnnamedNodeError,
    get_neighbors,
    god_nodes,
    one_node,
    query_graph,
    shortest_path,
)
from viska_assets.graph.wording import hubs_text, route_text, subgraph_text
from viska_assets.model.page import ConceptType

PAGES = [
    linked("issuers/acme", "theses/acme", "sources/r1", title="Acme Corp", cites=("/sources/r1.md",)),
    linked("issuers/acme-holdings", title="Acme Holdings"),
    linked("theses/acme", "issuers/acme", title="Acme: supply", type=ConceptType.THESIS, cites=("/sources/r2.md",)),
    linked("events/acme-q1", "issuers/acme", title="First quarter", type=ConceptType.EVENT, cites=("/sources/r1.md",)),
    page("sources/r1", title="Report 1", type=ConceptType.SOURCE),
    page("sources/r2", title="Report 2", type=ConceptType.SOURCE),
    linked("metrics/twr", title="Time-weighted return", type=ConceptType.METRIC),
]
WALKER = Walker(build_graph(PAGES, "c"))


def ids(found: Subgraph) -> list[str]:
    return [node["id"] for node in found.nodes]


def test_a_question_starts_at_the_pages_it_names_and_shows_what_lies_around() -> None:
    found = query_graph(WALKER, "What moved the supply of Acme?", depth=1)
    assert found.seeds[0] == "theses/acme"
    assert {"issuers/acme", "sources/r2"} <= set(ids(found))
    assert "metrics/twr" not in ids(found)


def test_a_question_that_names_no_page_finds_nothing_and_says_so() -> None:
    found = query_graph(WALKER, "weather in Lisbon")
    assert found == Subgraph((), (), ())
    assert "No page" in subgraph_text(found)


def test_a_pair_that_links_and_cites_shows_both_edges_in_every_answer() -> None:
    both = {("issuers/acme", "sources/r1", "links_to"), ("issuers/acme", "sources/r1", "cites")}
    for found in (get_neighbors(WALKER, "issuers/acme"), query_graph(WALKER, "Acme Corp", depth=1)):
        assert both <= {(step.source, step.target, step.relation) for step in found.edges}


def test_only_the_asked_relation_is_walked() -> None:
    found = get_neighbors(WALKER, "issuers/acme", "cites")
    assert ids(found) == ["issuers/acme", "sources/r1"]


def test_what_is_beyond_the_limit_is_counted_not_hidden() -> None:
    found = query_graph(WALKER, "Acme Corp", depth=3, most_nodes=2)
    assert len(found.nodes) == 2
    assert f"{found.left_out} more" in subgraph_text(found)


@pytest.mark.parametrize("depth", [0, 7, -1])
def test_a_depth_out_of_range_is_refused(depth: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 6"):
        query_graph(WALKER, "Acme", depth=depth)


def test_a_name_of_several_pages_lists_them_and_an_unknown_one_the_nearest() -> None:
    with pytest.raises(UnnamedNodeError, match="issuers/acme, issuers/acme-holdings, theses/acme"):
        one_node(WALKER, "acme")
    with pytest.raises(UnnamedNodeError, match="nearest are metrics/twr"):
        one_node(WALKER, "weighted thing")
    assert one_node(WALKER, " acme corp ") == "issuers/acme"


def test_a_path_against_the_arrows_exists_only_undirected() -> None:
    there = shortest_path(WALKER, "sources/r2", "issuers/acme")
    assert route_text(there) == "sources/r2 <--cites-- theses/acme --links_to--> issuers/acme" or route_text(there) == (
        "sources/r2 <--cites-- theses/acme <--links_to-- issuers/acme"
    )
    directed = shortest_path(WALKER, "sources/r2", "issuers/acme", directed=True)
    assert directed.steps is None
    assert "undirected" in route_text(directed)
    assert shortest_path(WALKER, "sources/r2", "issuers/acme", max_hops=1).steps is None
    assert route_text(shortest_path(WALKER, "metrics/twr", "metrics/twr")) == "metrics/twr is both ends."


def test_sources_are_hubs_only_where_they_are_asked_for() -> None:
    assert all(not hub.node.startswith("sources/") for hub in god_nodes(WALKER))
    assert any(hub.node.startswith("sources/") for hub in god_nodes(WALKER, with_sources=True))
    assert hubs_text(god_nodes(WALKER, 1)).startswith("issuers/acme: Acme Corp")


def test_twenty_calls_on_shuffled_files_give_one_answer() -> None:
    graph = build_graph(PAGES, "c")

    def answers(shuffled: Graph) -> tuple[Subgraph, Subgraph, Route, str]:
        walker = Walker(shuffled)
        return (
            query_graph(walker, "Acme supply"),
            get_neighbors(walker, "issuers/acme"),
            shortest_path(walker, "sources/r2", "events/acme-q1"),
            hubs_text(god_nodes(walker)),
        )

    first = answers(graph)
    for seed in range(20):
        rng = random.Random(seed)
        shuffled = Graph(
            {
                **graph,
                "nodes": rng.sample(graph["nodes"], len(graph["nodes"])),
                "links": rng.sample(graph["links"], len(graph["links"])),
            }
        )
        assert answers(shuffled) == first
