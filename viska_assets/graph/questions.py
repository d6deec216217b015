"""The four questions to a graph: what lies around words, around a page, between two pages, and what is most linked.

Answers depend on the graph alone, never on the order of its file, and say where a name could mean several pages.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from viska_assets.graph.build import Node
from viska_assets.graph.neighbours import Hub, Step, Walker

MOST_NODES = 60
SEEDS = 3
_WORD = re.compile(r"[^\W_]+(?:[.&'-][^\W_]+)*")


class UnnamedNodeError(LookupError):
    """A name means no page of the graph, or several; the message lists what it may have meant."""


@dataclass(frozen=True, slots=True)
class Subgraph:
    """A part of the graph: its nodes, nearest first, the edges among them, and how many nodes were left out."""

    seeds: tuple[str, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Step, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Route:
    """A shortest path from a page to another: None where there is none, empty where both are one page."""

    start: str
    end: str
    directed: bool
    steps: tuple[Step, ...] | None


def query_graph(
    walker: Walker, question: str, *, depth: int = 2, relation: str | None = None, most_nodes: int = MOST_NODES
) -> Subgraph:
    """The pages that a question names, and what lies around them.

    Args:
        walker: the graph.
        question: words; the pages whose titles and ids share most of them are where the walk begins.
        depth: how many edges away from them, 1 to 6; edges are walked both ways.
        relation: only edges of this relation.
        most_nodes: how many nodes at most, the nearest.
    """
    seeds = _seeds(walker, question)
    return around(walker, seeds, depth=depth, relation=relation, most_nodes=most_nodes)


def around(
    walker: Walker, seeds: Sequence[str], *, depth: int, relation: str | None = None, most_nodes: int = MOST_NODES
) -> Subgraph:
    """The nodes within ``depth`` edges of the seeds, breadth first, nodes at one distance in the order of their ids."""
    if not 1 <= depth <= 6:
        raise ValueError(f"the depth is a number of edges from 1 to 6, not {depth}")
    order = list(dict.fromkeys(seeds))
    reached = set(order)
    ring = list(order)
    for _ in range(depth):
        steps = (step for node in ring for step in walker.neighbours(node, relation))
        ring = sorted({step.target for step in steps} - reached)
        reached.update(ring)
        order += ring
    kept = order[:most_nodes]
    nodes = tuple(node for node_id in kept if (node := walker.node(node_id)) is not None)
    return Subgraph(tuple(seeds), nodes, tuple(_edges_among(walker, kept, relation)), len(order) - len(kept))


def get_neighbors(walker: Walker, name: str, relation: str | None = None) -> Subgraph:
    """A page with all that it links to and cites, and all that leads to it.

    Raises:
        UnnamedNodeError: where the name means no page, or several.
    """
    node_id = one_node(walker, name)
    steps = walker.neighbours(node_id, relation)
    ids = [node_id, *dict.fromkeys(step.target for step in steps)]
    nodes = tuple(node for found in ids if (node := walker.node(found)) is not None)
    return Subgraph((node_id,), nodes, steps)


def shortest_path(walker: Walker, source: str, target: str, *, directed: bool = False, max_hops: int = 8) -> Route:
    """A shortest path between two pages, always the same of several; longer ones than ``max_hops`` count as none.

    Raises:
        UnnamedNodeError: where a name means no page, or several.
    """
    start, end = one_node(walker, source), one_node(walker, target)
    steps = walker.shortest_path(start, end, directed=directed)
    return Route(start, end, directed, None if steps is None or len(steps) > max_hops else steps)


def god_nodes(walker: Walker, top: int = 10, *, with_sources: bool = False) -> tuple[Hub, ...]:
    """The pages with most edges. Sources are many and each stands behind one document: they count only if asked for."""
    hubs = walker.hubs(len(walker))
    wanted = (hub for hub in hubs if with_sources or _kind(walker, hub.node) != "Source")
    return tuple(hub for _, hub in zip(range(top), wanted, strict=False))


def one_node(walker: Walker, name: str) -> str:
    """The id of the one page that a name means.

    Raises:
        UnnamedNodeError: where it means none, or several.
    """
    found = walker.find(name.strip())
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(found[:8]) + (f" and {len(found) - 8} more" if len(found) > 8 else "")
        raise UnnamedNodeError(f"{name!r} may mean {listed}: name one by its id")
    near = _seeds(walker, name)
    hint = f"; nearest are {', '.join(near)}" if near else ""
    raise UnnamedNodeError(f"no page is called {name!r}{hint}")


def _seeds(walker: Walker, question: str) -> tuple[str, ...]:
    """The nodes whose titles and ids share most words with a question, rarer words counting more; sources come last."""
    wanted = _words(question)
    named = {node["id"]: _words(f"{node['label']} {node['id']}") & wanted for node in walker.nodes()}
    holding = {word: sum(1 for words in named.values() if word in words) for word in wanted}
    scores = {node: sum(1 / holding[word] for word in words) for node, words in named.items() if words}
    ranked = sorted(scores, key=lambda node: (-scores[node], _kind(walker, node) == "Source", node))
    return tuple(ranked[:SEEDS])


def _edges_among(walker: Walker, ids: Iterable[str], relation: str | None) -> Iterable[Step]:
    kept = list(ids)
    inside = set(kept)
    for node in kept:
        yield from (step for step in walker.neighbours(node, relation, incoming=False) if step.target in inside)


def _kind(walker: Walker, node_id: str) -> str:
    node = walker.node(node_id)
    return node["attributes"].get("type", "") if node else ""


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text.replace("/", " ").replace("-", " ")) if len(word) > 1}
