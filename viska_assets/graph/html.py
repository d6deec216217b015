"""The graph as one HTML file to browse: no network, no library, the drawing placed beforehand."""

import json
from pathlib import Path

from viska_assets.graph.build import Graph
from viska_assets.graph.communities import find_communities
from viska_assets.graph.drawing import COLOURS, colour_of, places_of

_TEMPLATE = Path(__file__).with_name("browser.html")


def graph_html(graph: Graph) -> str:
    """A page that shows the graph, searches it, and tells of each node what it is and what it is linked with.

    Titles of pages come from untrusted documents: they stand in the file as JSON in which no ``<`` is left, and the
    script sets them as text.
    """
    places = places_of(graph)
    nodes = [
        {
            "id": node["id"],
            "label": node["label"],
            "file": node["source_file"],
            "type": node["attributes"].get("type", ""),
            "colour": colour_of(node["attributes"].get("type", "")),
            "community": node.get("community_name", ""),
            "attributes": node["attributes"],
            "x": round(places[node["id"]][0], 4),
            "y": round(places[node["id"]][1], 4),
        }
        for node in graph["nodes"]
    ]
    edges = [{name: link[name] for name in ("source", "target", "relation", "weight")} for link in graph["links"]]
    communities = [
        {"hub": found.hub, "size": len(found.members)} for found in find_communities(graph) if len(found.members) > 1
    ]
    data = {
        "nodes": nodes,
        "edges": edges,
        "communities": communities,
        "colours": COLOURS,
        "commit": graph["built_at_commit"][:12],
    }
    text = json.dumps(data, ensure_ascii=False, sort_keys=True)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return _TEMPLATE.read_text(encoding="utf-8").replace("@@DATA@@", text)
