"""Walking a graph: neighbours of a page, the shortest path between two, and the pages most linked to."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from viska_assets.graph.build import Edge, Graph, Node


@dataclass(frozen=True, slots=True)
class Step:
    """One edge as walked: ``forward`` is False where it was walked against its direction."""

    source: str
    target: str
    relation: str
    forward: bool = True


@dataclass(frozen=True, slots=True)
class Hub:
    """A page and how many edges lead to and from it."""

    node: str
    label: str
    incoming: int
    outgoing: int


class Walker:
    """A graph with its edges indexed by both ends; answers never depend on the order of the file."""

    def __init__(self, graph: Graph) -> None:
        self._nodes: dict[str, Node] = {node["id"]: node for node in graph["nodes"]}
        self._out: dict[str, list[Step]] = {node: [] for node in self._nodes}
        self._in: dict[str, list[Step]] = {node: [] for node in self._nodes}
        edges: Iterable[Edge] = sorted(graph["links"], key=lambda e: (e["source"], e["target"], e["relation"]))
        for edge in edges:
            source, target, relation = edge["source"], edge["target"], edge["relation"]
            if source in self._nodes and target in self._nodes:
                self._out[source].append(Step(source, target, relation))
                self._in[target].append(Step(target, source, relation, forward=False))

    def __len__(self) -> int:
        return len(self._nodes)

    def nodes(self) -> tuple[Node, ...]:
        """All nodes, as the graph has them."""
        return tuple(self._nodes.values())

    def node(self, node_id: str) -> Node | None:
        """One node by id."""
        return self._nodes.get(node_id)

    def find(self, name: str) -> tuple[str, ...]:
        """The ids of nodes that a person may mean by ``name``: the exact id or label, or those that contain it."""
        if name in self._nodes:
            return (name,)
        wanted = name.casefold()
        exact = [node_id for node_id, node in self._nodes.items() if node["label"].casefold() == wanted]
        near = [node_id for node_id, node in self._nodes.items() if wanted in node["label"].casefold()]
        return tuple(sorted(exact or near))

    def neighbours(self, node_id: str, relation: str | None = None, *, incoming: bool = True) -> tuple[Step, ...]:
        """The edges at a node, outgoing first; a pair that links and cites shows both.

        Args:
            node_id: The node; an unknown one has no neighbours.
            relation: Only edges of this relation.
            incoming: Whether edges that lead to the node are shown too.
        """
        steps = [*self._out.get(node_id, ()), *(self._in.get(node_id, ()) if incoming else ())]
        return tuple(step for step in steps if relation is None or step.relation == relation)

    def shortest_path(self, start: str, end: str, *, directed: bool = True) -> tuple[Step, ...] | None:
        """The steps of a shortest path, empty where both are one node, or None where there is no path.

        Of several shortest paths the one whose nodes sort first is taken, always the same.
        """
        if start not in self._nodes or end not in self._nodes:
            return None
        came_by: dict[str, Step | None] = {start: None}
        queue = deque([start])
        while queue and end not in came_by:
            here = queue.popleft()
            steps = self._out[here] if directed else sorted([*self._out[here], *self._in[here]], key=_by_target)
            for step in steps:
                if step.target not in came_by:
                    came_by[step.target] = step
                    queue.append(step.target)
        return _trace(came_by, end) if end in came_by else None

    def hubs(self, top: int = 10) -> tuple[Hub, ...]:
        """The nodes with most edges, ties by id."""
        found = [
            Hub(node_id, node["label"], len(self._in[node_id]), len(self._out[node_id]))
            for node_id, node in self._nodes.items()
        ]
        return tuple(sorted(found, key=lambda hub: (-hub.incoming - hub.outgoing, hub.node))[:top])


def _by_target(step: Step) -> tuple[str, bool, str]:
    return step.target, not step.forward, step.relation


def _trace(came_by: dict[str, Step | None], end: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    step = came_by[end]
    while step is not None:
        steps.append(step)
        step = came_by[step.source]
    return tuple(reversed(steps))
