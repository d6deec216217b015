"""The graph tools, by graphify's names, over the live graph's file with Viska's own walker."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from viska_assets.mcp.replies import cursor_of, fitting, offset_of, result
from viska_assets.mcp.table import Reading, ToolEntry

if TYPE_CHECKING:
    from viska_assets.graph.neighbours import Step, Walker
    from viska_assets.query.graph import LiveGraphs

MOST_NODES = 400


class NodeOut(BaseModel):
    """A page in the graph."""

    id: str
    label: str
    type: str = ""
    incoming: int | None = None
    outgoing: int | None = None


class EdgeOut(BaseModel):
    """An edge in its own direction: links_to or cites."""

    source: str
    target: str
    relation: str


class GraphOut(BaseModel):
    """A part of the graph. ``next_cursor`` continues where this reply ends."""

    nodes: list[NodeOut]
    edges: list[EdgeOut]
    more: int = 0
    next_cursor: str | None = None


class PathOut(BaseModel):
    """A shortest path; ``found`` is False where there is none within the hops."""

    found: bool
    nodes: list[NodeOut]
    edges: list[EdgeOut]


class GraphFile:
    """The live graph of a home, read again whenever its file is another."""

    def __init__(self, path: Path) -> None:
        self._folder = path.parent

    @cached_property
    def graphs(self) -> "LiveGraphs":
        """The graphs; graphify's server answers where it is installed."""
        from viska_assets.query.graph import LiveGraphs

        return LiveGraphs(self._folder, graphify=False)

    def walker(self) -> "Walker":
        """The graph as it is now."""
        from viska_assets.query.graph import NoGraphError

        try:
            return self.graphs.walker()
        except NoGraphError as error:
            raise ToolError("There is no graph yet. Next: run `viska up`, or materialize knowledge_graph.") from error


Name = Annotated[str, Field(description="A page's id (issuers/apple) or title.")]
Relation = Annotated[Literal["", "links_to", "cites"], Field(description="Only edges of this relation.")]


def _resolve(walker: "Walker", name: str) -> str:
    found = walker.find(name.strip().removeprefix("viska://concept/").removesuffix(".md"))
    if len(found) == 1:
        return found[0]
    if not found:
        raise ToolError(f"No page is called {name[:60]!r}. Next: open viska://index, or try god_nodes.")
    raise ToolError(f"{name[:60]!r} may mean {', '.join(found[:5])}. Next: name one of these ids.")


def _node(walker: "Walker", node_id: str) -> NodeOut:
    node = walker.node(node_id)
    assert node is not None
    return NodeOut(id=node_id, label=node["label"], type=node["attributes"].get("type", ""))


def _edge(step: "Step") -> EdgeOut:
    ends = (step.source, step.target) if step.forward else (step.target, step.source)
    return EdgeOut(source=ends[0], target=ends[1], relation=step.relation)


def _page(walker: "Walker", edges: Sequence[EdgeOut], key: str, cursor: str, lonely: Sequence[str]) -> CallToolResult:
    start = offset_of(cursor, key)
    # An edge names two nodes beside itself, and stands in the text as well.
    shown = fitting(edges[start:], lambda edge: 5 * len(edge.model_dump_json()), 1_000)
    end = start + len(shown)
    names = dict.fromkeys([*(lonely if not start else ()), *(e.source for e in shown), *(e.target for e in shown)])
    more = len(edges) - end
    out = GraphOut(
        nodes=[_node(walker, name) for name in names],
        edges=shown,
        more=more,
        next_cursor=cursor_of(key, end) if more else None,
    )
    lines = [f"{edge.source} --{edge.relation}--> {edge.target}" for edge in shown] or ["No edges."]
    lines += [f"{more} more edges; continue with cursor={out.next_cursor!r}."] if more else []
    return result("\n".join(lines), out)


def graph_tools(graph: GraphFile) -> tuple[ToolEntry, ...]:
    """The four tools over one graph."""

    def query_graph_of(_: Reading) -> Callable[..., CallToolResult]:
        def query_graph(
            question: Annotated[str, Field(description="Names or words of the pages to start from.")],
            mode: Literal["bfs", "dfs"] = "bfs",
            depth: Annotated[int, Field(ge=1, le=6)] = 2,
            cursor: str = "",
        ) -> Annotated[CallToolResult, GraphOut]:
            """The neighbourhood of the pages that a question names: which pages link to and cite which."""
            walker = graph.walker()
            starts = _starts(walker, question)
            edges = _reached(walker, starts, depth, mode)
            return _page(walker, edges, f"query|{question}|{mode}|{depth}", cursor, starts)

        return query_graph

    def get_neighbors_of(_: Reading) -> Callable[..., CallToolResult]:
        def get_neighbors(
            label: Name, relation_filter: Relation = "", cursor: str = ""
        ) -> Annotated[CallToolResult, GraphOut]:
            """The pages that a page links to and cites, and those that link to it; a pair may have both edges."""
            walker = graph.walker()
            node_id = _resolve(walker, label)
            edges = [_edge(step) for step in walker.neighbours(node_id, relation_filter or None)]
            return _page(walker, edges, f"neighbours|{node_id}|{relation_filter}", cursor, [node_id])

        return get_neighbors

    def shortest_path_of(_: Reading) -> Callable[..., CallToolResult]:
        def shortest_path(
            source: Name,
            target: Name,
            undirected: Annotated[bool, Field(description="Walk edges against their direction too.")] = False,
            max_hops: Annotated[int, Field(ge=1, le=20)] = 8,
        ) -> Annotated[CallToolResult, PathOut]:
            """The shortest way from one page to another, along links and citations."""
            walker = graph.walker()
            start, end = _resolve(walker, source), _resolve(walker, target)
            steps = walker.shortest_path(start, end, directed=not undirected)
            if steps is None or len(steps) > max_hops:
                hint = "" if undirected else "; with undirected=true edges are walked both ways"
                text = f"There is no path from {start} to {end} within {max_hops} hops{hint}."
                return result(text, PathOut(found=False, nodes=[], edges=[]))
            nodes = [_node(walker, name) for name in [start, *(step.target for step in steps)]]
            arrows = [f"{f'--{s.relation}-->' if s.forward else f'<--{s.relation}--'} {s.target}" for s in steps]
            return result(" ".join([start, *arrows]), PathOut(found=True, nodes=nodes, edges=[_edge(s) for s in steps]))

        return shortest_path

    def god_nodes_of(_: Reading) -> Callable[..., CallToolResult]:
        def god_nodes(top_n: Annotated[int, Field(ge=1, le=50)] = 10) -> Annotated[CallToolResult, GraphOut]:
            """The pages with most edges: where much comes together."""
            walker = graph.walker()
            nodes = [
                _node(walker, hub.node).model_copy(update={"incoming": hub.incoming, "outgoing": hub.outgoing})
                for hub in walker.hubs(top_n)
            ]
            lines = [f"{n.id} ({n.label}): {n.incoming} in, {n.outgoing} out" for n in nodes]
            return result("\n".join(lines) or "The graph is empty.", GraphOut(nodes=nodes, edges=[]))

        return god_nodes

    return (
        ToolEntry("query_graph", "Neighbourhood in the graph", query_graph_of),
        ToolEntry("get_neighbors", "Neighbours of a page", get_neighbors_of),
        ToolEntry("shortest_path", "Path between two pages", shortest_path_of),
        ToolEntry("god_nodes", "Most connected pages", god_nodes_of),
    )


def _starts(walker: "Walker", question: str) -> list[str]:
    """The pages whose id or title the question names, whole or by its words."""
    whole = walker.find(question.strip())
    if whole:
        return list(whole[:5])
    words = [word for word in question.replace("?", " ").split() if len(word) > 2]
    found = dict.fromkeys(node for word in words for node in walker.find(word)[:3])
    if not found:
        raise ToolError(f"No page is named in {question[:60]!r}. Next: name a page, or try god_nodes.")
    return list(found)[:5]


def _reached(walker: "Walker", starts: Sequence[str], depth: int, mode: str) -> list[EdgeOut]:
    """The edges within some steps of the starts, each once, in the order in which they are met."""
    queue = deque((start, 0) for start in starts)
    seen = set(starts)
    edges: dict[tuple[str, str, str], EdgeOut] = {}
    while queue and len(seen) < MOST_NODES:
        here, steps = queue.popleft() if mode == "bfs" else queue.pop()
        if steps >= depth:
            continue
        for step in walker.neighbours(here):
            edge = _edge(step)
            edges.setdefault((edge.source, edge.target, edge.relation), edge)
            if step.target not in seen:
                seen.add(step.target)
                queue.append((step.target, steps + 1))
    return list(edges.values())
