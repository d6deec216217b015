import json
import random
import time
from datetime import UTC, datetime

import pytest

from tests.graph.pages import MOMENT, page
from viska_assets.graph.build import build_graph, trust_tier
from viska_assets.graph.neighbours import Step, Walker
from viska_assets.model.page import ConceptType, Generated, Page


def edges(*pages: Page) -> list[tuple[str, str, str, int]]:
    graph = build_graph(pages, "abc1234")
    return [(edge["source"], edge["target"], edge["relation"], edge["weight"]) for edge in graph["links"]]


def test_both_link_forms_make_one_edge_each() -> None:
    a = page("a/a", "[B](/b/b.md) and [C](../c/c.md 'note')")
    assert edges(a, page("b/b"), page("c/c")) == [("a/a", "b/b", "links_to", 1), ("a/a", "c/c", "links_to", 1)]


def test_a_pair_that_links_and_cites_keeps_both_edges() -> None:
    a = page("issuers/a", "[S](/sources/s.md) twice [S](/sources/s.md)[^c0]", cites=("/sources/s.md",))
    assert edges(a, page("sources/s", type=ConceptType.SOURCE)) == [
        ("issuers/a", "sources/s", "cites", 1),
        ("issuers/a", "sources/s", "links_to", 2),
    ]


def test_links_to_nothing_to_oneself_and_out_of_the_bundle_make_no_edge() -> None:
    assert edges(page("a/a", "[x](/gone.md) [y](/a/a.md) [z](https://example.org/b.md) [w](/index.md)")) == []


def test_nodes_are_labelled_by_title_and_carry_their_standing() -> None:
    stale = datetime(2027, 1, 1, tzinfo=UTC)
    (node,) = build_graph([page("issuers/a", title="Acme Corp", stale_after=stale)], "abc1234")["nodes"]
    assert (node["id"], node["label"], node["source_file"]) == ("issuers/a", "Acme Corp", "issuers/a.md")
    assert node["attributes"]["stale_after"] == stale.isoformat()
    assert node["attributes"]["trust"] == "unverified"


@pytest.mark.parametrize(
    ("by", "tier"),
    [((), "unverified"), (("process:lint",), "machine-confirmed"), (("x/1", "human:k"), "human-reviewed")],
)
def test_trust_follows_who_verified(by: tuple[str, ...], tier: str) -> None:
    verified = tuple(Generated(by=name, at=MOMENT) for name in by)
    assert trust_tier(page("a/a", verified=verified)) == tier


def test_the_order_of_pages_does_not_matter() -> None:
    found = [page(f"a/{n}", f"[x](/a/{(n * 7) % 20}.md)") for n in range(20)]
    expected = json.dumps(build_graph(found, "c"))
    random.Random(4).shuffle(found)
    assert json.dumps(build_graph(found, "c")) == expected


def test_two_bundles_keep_their_ids_apart() -> None:
    a = build_graph([page("issuers/a")], "c", namespace="one")
    b = build_graph([page("issuers/a")], "c", namespace="two")
    assert a["nodes"][0]["id"] == "one:issuers/a" != b["nodes"][0]["id"]


def test_networkx_reads_every_edge() -> None:
    networkx = pytest.importorskip("networkx")
    a = page("issuers/a", "[S](/sources/s.md)", cites=("/sources/s.md",))
    graph = networkx.node_link_graph(build_graph([a, page("sources/s")], "c"), edges="links")
    assert graph.number_of_edges() == 2


def test_a_thousand_pages_take_less_than_a_second() -> None:
    body = "# T\n\nText.[^c0]\n\n" + "\n".join(f"* [P](/a/{n}.md)" for n in range(5)) + "\n"
    found = [page(f"a/{n}", body, cites=("/a/1.md", "/a/2.md")) for n in range(1000)]
    start = time.process_time()
    graph = build_graph(found, "c")
    assert time.process_time() - start < 1.0
    assert len(graph["nodes"]) == 1000


class TestWalking:
    walker = Walker(
        build_graph(
            [
                page("a/a", "[b](/a/b.md) [c](/a/c.md)", cites=("/a/b.md",)),
                page("a/b", "[d](/a/d.md)"),
                page("a/c", "[d](/a/d.md)"),
                page("a/d"),
                page("a/e"),
            ],
            "c",
        )
    )

    def test_neighbours_show_both_relations_and_both_directions(self) -> None:
        assert self.walker.neighbours("a/b") == (
            Step("a/b", "a/d", "links_to"),
            Step("a/b", "a/a", "cites", forward=False),
            Step("a/b", "a/a", "links_to", forward=False),
        )
        assert len(self.walker.neighbours("a/b", "cites")) == 1
        assert self.walker.neighbours("a/b", incoming=False) == (Step("a/b", "a/d", "links_to"),)
        assert self.walker.neighbours("gone") == ()

    def test_of_two_shortest_paths_the_same_is_taken(self) -> None:
        routes = {self.walker.shortest_path("a/a", "a/d") for _ in range(20)}
        assert routes == {(Step("a/a", "a/b", "cites"), Step("a/b", "a/d", "links_to"))}

    def test_a_directed_path_does_not_run_backwards_and_an_undirected_one_says_so(self) -> None:
        assert self.walker.shortest_path("a/d", "a/a") is None
        path = self.walker.shortest_path("a/d", "a/a", directed=False)
        assert path is not None
        assert [step.forward for step in path] == [False, False]

    def test_no_path_and_unknown_nodes_are_none_and_oneself_is_empty(self) -> None:
        assert self.walker.shortest_path("a/a", "a/e") is None
        assert self.walker.shortest_path("a/a", "gone") is None
        assert self.walker.shortest_path("a/a", "a/a") == ()

    def test_hubs_are_the_most_linked(self) -> None:
        assert [(hub.node, hub.incoming, hub.outgoing) for hub in self.walker.hubs(2)] == [("a/a", 0, 3), ("a/b", 2, 1)]

    def test_names_are_found_exactly_or_by_part(self) -> None:
        assert self.walker.find("a/a") == ("a/a",)
        assert self.walker.find("B") == ("a/b",)
        assert self.walker.find("zz") == ()
