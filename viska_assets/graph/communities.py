"""Communities: groups of pages that link among themselves more than with the rest, each named by its busiest page."""

from collections import Counter
from dataclasses import dataclass

import networkx as nx

from viska_assets.graph.build import Graph, Node

SEED = 20261201


@dataclass(frozen=True, slots=True)
class Community:
    """A group of pages; ``hub`` is the one with most edges and ``name`` its label, so names follow the members."""

    name: str
    hub: str
    members: tuple[str, ...]


def find_communities(graph: Graph) -> tuple[Community, ...]:
    """The communities of a graph, largest first, equal sizes by their first member.

    Edges count both ways and by their weight; the Louvain method (Blondel et al. 2008) starts from a fixed seed and
    sorted nodes, so the same graph has the same communities.
    """
    ids = [node["id"] for node in graph["nodes"]]
    labels = {node["id"]: node["label"] for node in graph["nodes"]}
    weights: Counter[tuple[str, str]] = Counter()
    degrees: Counter[str] = Counter()
    for link in graph["links"]:
        source, target = sorted((link["source"], link["target"]))
        weights[source, target] += link["weight"]
        degrees.update((source, target))
    drawn: nx.Graph[str] = nx.Graph()
    drawn.add_nodes_from(ids)
    drawn.add_weighted_edges_from((source, target, weight) for (source, target), weight in sorted(weights.items()))
    groups = [tuple(sorted(group)) for group in nx.community.louvain_communities(drawn, seed=SEED)]
    found = []
    for members in sorted(groups, key=lambda members: (-len(members), members)):
        hub = min(members, key=lambda member: (-degrees[member], member))
        found.append(Community(labels[hub], hub, members))
    return tuple(found)


def with_communities(graph: Graph) -> Graph:
    """The graph with every node told its community, by number and by name, as graphify's server reads them."""
    numbered = list(enumerate(find_communities(graph)))
    places = {member: (number, found.name) for number, found in numbered for member in found.members}
    nodes = [_told(node, *places[node["id"]]) for node in graph["nodes"]]
    return Graph({**graph, "nodes": nodes})


def _told(node: Node, number: int, name: str) -> Node:
    return Node({**node, "community": number, "community_name": name})
