"""The knowledge graph as a picture inside a materialization: a PNG in a markdown data address."""

import base64
import io

from viska_assets.graph.build import Graph
from viska_assets.graph.drawing import COLOURS, colour_of, places_of

MOST_LABELS = 40


def draw_graph(graph: Graph) -> str:
    """Markdown with the graph drawn by a spring layout of fixed seed; a sentence where there is nothing to draw."""
    if not graph["nodes"]:
        return "The bundle has no pages yet."
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import networkx as nx

    drawn = nx.Graph()
    for node in graph["nodes"]:
        drawn.add_node(node["id"], label=node["label"], type=node.get("attributes", {}).get("type", ""))
    drawn.add_edges_from((link["source"], link["target"]) for link in graph["links"])
    places = places_of(graph)
    figure, axes = plt.subplots(figsize=(9, 6), dpi=100)
    colours = [colour_of(data.get("type", "")) for _, data in drawn.nodes(data=True)]
    nx.draw_networkx_edges(drawn, places, ax=axes, edge_color="#c8ccd2", width=0.8)
    nx.draw_networkx_nodes(drawn, places, ax=axes, node_color=colours, node_size=90)
    busiest = sorted(drawn.nodes, key=lambda node: (-drawn.degree(node), node))[:MOST_LABELS]
    labels = {node: drawn.nodes[node].get("label", node)[:28] for node in busiest}
    nx.draw_networkx_labels(drawn, places, labels, ax=axes, font_size=7, verticalalignment="bottom")
    handles = [plt.Line2D([], [], marker="o", linestyle="", color=c, label=t) for t, c in COLOURS.items()]
    axes.legend(handles=handles, loc="lower left", fontsize=7, frameon=False)
    axes.axis("off")
    image = io.BytesIO()
    figure.savefig(image, format="png", bbox_inches="tight", metadata={"Software": ""})
    plt.close(figure)
    return f"![The bundle's graph](data:image/png;base64,{base64.b64encode(image.getvalue()).decode()})"
