"""The graph tools, by graphify's names: the structure from Viska's own walker, the words from graphify where it is.

graphify's server is asked behind ``LiveGraphs``, which passes on no path of a caller's; where the extra
``viska[graphify]`` is not installed the words are Viska's own.
"""

import atexit
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult
from pydantic import Field

from viska_assets.mcp.replies import Out, cursor_of, fitting, offset_of, result
from viska_assets.mcp.table import Reading, ToolEntry

if TYPE_CHECKING:
    from viska_assets.graph.neighbours import Step, Walker
    from viska_assets.query.graph import LiveGraphs

MOST_NODES = 400
# What of graphify's words stands in a reply, in its tokens and in characters.
WORDS_TOKENS, WORDS_CHARACTERS = 700, 3_000


class NodeOut(Out):
    """A page in the graph."""

    id: str
    label: str
    type: str = ""
    incoming: int | None = None
    outgoing: int | None = None


class EdgeOut(Out):
    """An edge in its own direction: links_to or cites."""

    source: str
    target: str
    relation: str


class GraphOut(Out):
    """A part of the graph. ``next_cursor`` continues where it ends; ``told_by`` says whose words the text is."""

    nodes: list[NodeOut]
    edges: list[EdgeOut]
    told_by: str = "viska"
    more: int = 0
    next_cursor: str | None = None


class PathOut(Out):
    """A shortest path; ``found`` is False where there is none within the hops."""

    found: bool
    nodes: list[NodeOut]
    edges: list[EdgeOut]
    told_by: str = "viska"


class GraphFile:
    """The live graph of a home, read again whenever its file is another."""

    def __init__(self, path: Path, *, graphify: bool = True) -> None:
        self._folder = path.parent
        self._graphify = graphify

    @property
    def graphs(self) -> "LiveGraphs":
        """The graphs, of which a process has one for a folder, and so one server of graphify."""
        return _graphs_of(self._folder, self._graphify)

    def words(self, tool: str, asked: Mapping[str, Any], own: str) -> tuple[str, str]:
        """An answer in graphify's words, as many as a reply has room for, or in our own; and who tells it."""
        text, told_by = self.graphs.words(tool, asked, own)
        if told_by == "graphify" and len(text) > WORDS_CHARACTERS:
            text = f"{text[:WORDS_CHARACTERS]} …"
        return text, told_by

    def walker(self) -> "Walker":
        """The graph as it is now."""
        from viska_assets.query.graph import NoGraphError

        try:
            return self.graphs.walker()
        except NoGraphError as error:
            raise ToolError("There is no graph yet. Next: run `viska up`, or materialize knowledge_graph.") from error


@lru_cache
def _graphs_of(folder: Path, graphify: bool) -> "LiveGraphs":
    from viska_assets.query.graph import LiveGraphs

    graphs = LiveGraphs(folder, graphify=graphify)
    atexit.register(graphs.close)
    return graphs


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


def _page(
    graph: GraphFile,
    walker: "Walker",
    edges: Sequence[EdgeOut],
    tool: str,
    asked: Mapping[str, Any],
    cursor: str,
    lonely: Sequence[str],
) -> CallToolResult:
    key = "|".join([tool, *map(str, asked.values())])
    start = offset_of(cursor, key)
    # An edge names two nodes beside itself, and stands in the text as well.
    shown = fitting(edges[start:], lambda edge: 5 * len(edge.model_dump_json()), 1_000 + WORDS_CHARACTERS)
    end = start + len(shown)
    names = dict.fromkeys([*(lonely if not start else ()), *(e.source for e in shown), *(e.target for e in shown)])
    more = len(edges) - end
    lines = [f"{edge.source} --{edge.relation}--> {edge.target}" for edge in shown] or ["No edges."]
    text, told_by = "\n".join(lines), "viska"
    if not start:
        text, told_by = graph.words(tool, {**asked, "token_budget": WORDS_TOKENS}, text)
    out = GraphOut(
        nodes=[_node(walker, name) for name in names],
        edges=shown,
        told_by=told_by,
        more=more,
        next_cursor=cursor_of(key, end) if more else None,
    )
    return result(f"{text}\n{more} more edges; continue with cursor={out.next_cursor!r}." if more else text, out)


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
            asked = {"question": question, "mode": mode, "depth": depth}
            return _page(graph, walker, edges, "query_graph", asked, cursor, starts)

        return query_graph

    def get_neighbors_of(_: Reading) -> Callable[..., CallToolResult]:
        def get_neighbors(
            label: Name, relation_filter: Relation = "", cursor: str = ""
        ) -> Annotated[CallToolResult, GraphOut]:
            """The pages that a page links to and cites, and those that link to it; a pair may have both edges."""
            walker = graph.walker()
            node_id = _resolve(walker, label)
            edges = [_edge(step) for step in walker.neighbours(node_id, relation_filter or None)]
            asked = {"node_id": node_id} | ({"relation_filter": relation_filter} if relation_filter else {})
            return _page(graph, walker, edges, "get_neighbors", asked, cursor, [node_id])

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
            asked = {"source": start, "target": end, "max_hops": max_hops, "undirected": undirected}
            text, told_by = graph.words("shortest_path", asked, " ".join([start, *arrows]))
            edges = [_edge(step) for step in steps]
            return result(text, PathOut(found=True, nodes=nodes, edges=edges, told_by=told_by))

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
            text, told_by = graph.words("god_nodes", {"top_n": top_n}, "\n".join(lines) or "The graph is empty.")
            return result(text, GraphOut(nodes=nodes, edges=[], told_by=told_by))

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
