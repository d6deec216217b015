import random
from itertools import pairwise

from tests.graph.pages import linked, page
from viska_assets.graph.build import Graph, build_graph
from viska_assets.graph.communities import find_communities, with_communities
from viska_assets.model.page import Page


def ring(name: str, size: int) -> list[Page]:
    """Pages that all link to their hub and each to the next."""
    ids = [f"{name}/{n}" for n in range(size)]
    hub = linked(f"{name}/hub", title=f"The hub of {name}")
    return [hub, *(linked(a, b, f"{name}/hub") for a, b in pairwise([*ids, ids[0]]))]


def graph_of(*groups: list[Page]) -> Graph:
    return build_graph([page for group in groups for page in group], "c")


def test_groups_that_link_among_themselves_are_found_and_named_by_their_busiest_page() -> None:
    found = find_communities(graph_of(ring("a", 6), ring("b", 5)))
    assert [community.name for community in found] == ["The hub of a", "The hub of b"]
    assert [set(community.members) for community in found] == [
        {"a/hub", *(f"a/{n}" for n in range(6))},
        {"b/hub", *(f"b/{n}" for n in range(5))},
    ]


def test_a_community_keeps_its_name_when_pages_leave_and_numbers_move() -> None:
    larger, other = ring("a", 8), ring("b", 6)
    smaller = [page for page in larger if page.concept_id not in ("a/5", "a/6", "a/7")]
    before, after = with_communities(graph_of(larger, other)), with_communities(graph_of(smaller, other))
    names = {node["id"]: node["community_name"] for node in before["nodes"]}
    assert all(node["community_name"] == names[node["id"]] for node in after["nodes"])
    assert {node["id"]: node["community"] for node in before["nodes"]}["b/0"] == 1
    assert {node["id"]: node["community"] for node in after["nodes"]}["b/0"] == 0


def test_the_same_pages_in_any_order_have_the_same_communities() -> None:
    pages = [*ring("a", 7), *ring("b", 6), *ring("c", 5), linked("x", "a/0", "b/0"), page("alone")]
    first = with_communities(build_graph(pages, "c"))
    for seed in range(5):
        random.Random(seed).shuffle(pages)
        assert with_communities(build_graph(pages, "c")) == first


def test_a_page_without_links_is_its_own_community_and_no_pages_have_none() -> None:
    (only,) = find_communities(build_graph([page("alone")], "c"))
    assert (only.name, only.hub, only.members) == ("Alone", "alone", ("alone",))
    assert find_communities(build_graph([], "c")) == ()
