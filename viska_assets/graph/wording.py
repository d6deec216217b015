"""Parts of a graph in words, one line a node or an edge, for people and models to read."""

from collections.abc import Sequence

from viska_assets.graph.build import Node
from viska_assets.graph.neighbours import Hub, Step
from viska_assets.graph.questions import Route, Subgraph


def subgraph_text(found: Subgraph) -> str:
    """Each node with its kind and standing, then each edge."""
    if not found.nodes:
        return "No page of the graph shares a word with that."
    lines = [_node(node) for node in found.nodes]
    lines += [_edge(step) for step in found.edges]
    if found.left_out:
        lines.append(f"… and {found.left_out} more pages; ask with a smaller depth or a relation.")
    return "\n".join(lines)


def route_text(route: Route) -> str:
    """A path as one line, or why there is none."""
    if route.steps is None:
        way = "directed path" if route.directed else "path"
        hint = " (ask undirected: a citation leads from a page to its source only)" if route.directed else ""
        return f"There is no {way} from {route.start} to {route.end}{hint}."
    if not route.steps:
        return f"{route.start} is both ends."
    parts = [route.start]
    for step in route.steps:
        parts.append(f"--{step.relation}--> {step.target}" if step.forward else f"<--{step.relation}-- {step.target}")
    return " ".join(parts)


def hubs_text(hubs: Sequence[Hub]) -> str:
    """The busiest pages, one a line."""
    return "\n".join(f"{hub.node}: {hub.label}, {hub.incoming} in, {hub.outgoing} out" for hub in hubs)


def _node(node: Node) -> str:
    attributes = node["attributes"]
    standing = ", ".join(
        attributes[name]
        for name in ("type", "status", "trust")
        if attributes.get(name) and attributes[name] != "stable"
    )
    community = f"; community {node['community_name']}" if node.get("community_name") else ""
    return f"{node['id']}: {node['label']} ({standing}{community})"


def _edge(step: Step) -> str:
    if step.forward:
        return f"{step.source} --{step.relation}--> {step.target}"
    return f"{step.target} --{step.relation}--> {step.source}"
