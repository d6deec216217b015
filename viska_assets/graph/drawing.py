"""Where pages stand in a drawing of the graph, and the colour of each kind."""

from viska_assets.graph.build import Graph

COLOURS = {
    "Issuer": "#1f5fa8",
    "Holding": "#2f8f5b",
    "Thesis": "#b0562b",
    "Metric": "#7a4fa3",
    "Event": "#c39a1d",
    "Source": "#9aa3ad",
}
OTHER = "#444444"
SEED = 7

Places = dict[str, tuple[float, float]]


def places_of(graph: Graph) -> Places:
    """The place of every node between -1 and 1, by a spring layout (Fruchterman and Reingold 1991) of fixed seed."""
    import networkx as nx

    drawn: nx.Graph[str] = nx.Graph()
    drawn.add_nodes_from(node["id"] for node in graph["nodes"])
    drawn.add_edges_from((link["source"], link["target"]) for link in graph["links"])
    found = nx.spring_layout(drawn, seed=SEED, k=1.6 / max(1, len(drawn)) ** 0.5)
    return {node: (float(x), float(y)) for node, (x, y) in found.items()}


def colour_of(kind: str) -> str:
    """The colour of a page's type."""
    return COLOURS.get(kind, OTHER)
