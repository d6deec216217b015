"""Questions to the bundle's graph: the structure from our own walker, the words from graphify where it is there."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from viska_assets.graph import questions
from viska_assets.graph.neighbours import Hub, Walker
from viska_assets.graph.questions import Route, Subgraph
from viska_assets.graph.wording import hubs_text, route_text, subgraph_text
from viska_assets.query.graphify_server import GraphifyError, GraphifyServer, graphify_is_installed

Part = TypeVar("Part", Subgraph, Route, tuple[Hub, ...])
_NAMESPACE = re.compile(r"[a-z0-9][a-z0-9-]*")


class NoGraphError(LookupError):
    """A namespace has no graph yet; the message says how to make it."""


@dataclass(frozen=True, slots=True)
class Told(Generic[Part]):
    """An answer of the graph: its structure, the same in words, and who put it into words."""

    found: Part
    text: str
    told_by: str = "viska"


class LiveGraphs:
    """The graph files of a folder, one a namespace, each read again when it has changed.

    Args:
        folder: where ``NAMESPACE.json`` stand; readers never meet half of one, as they are replaced as a whole.
        graphify: whether graphify's server puts answers into words, where the extra ``viska[graphify]`` is installed.
            It is given the namespace's file when it starts and never a path of a caller's.
    """

    def __init__(self, folder: Path, *, graphify: bool = True) -> None:
        self._folder = folder
        self._graphify = graphify and graphify_is_installed()
        self._read: dict[str, tuple[tuple[int, int], Walker]] = {}
        self._servers: dict[str, GraphifyServer] = {}
        self._lock = Lock()

    def walker(self, namespace: str = "default") -> Walker:
        """The graph of a namespace as it stands now.

        Raises:
            NoGraphError: where there is none.
        """
        path = self._path(namespace)
        try:
            standing = path.stat()
        except FileNotFoundError as error:
            raise NoGraphError(
                f"the namespace {namespace} has no graph yet: materialize knowledge_graph, or run `viska ingest`"
            ) from error
        mark = (standing.st_mtime_ns, standing.st_size)
        with self._lock:
            known = self._read.get(namespace)
            if known is None or known[0] != mark:
                known = (mark, Walker(json.loads(path.read_text(encoding="utf-8"))))
                self._read[namespace] = known
        return known[1]

    def query_graph(
        self, question: str, *, depth: int = 2, relation: str | None = None, namespace: str = "default"
    ) -> Told[Subgraph]:
        """The pages that a question names, and what lies around them; see ``graph.questions.query_graph``."""
        found = questions.query_graph(self.walker(namespace), question, depth=depth, relation=relation)
        asked = {"question": question, "depth": depth}
        return self._told(found, subgraph_text(found), namespace, "query_graph", asked if relation is None else None)

    def get_neighbors(self, name: str, *, relation: str | None = None, namespace: str = "default") -> Told[Subgraph]:
        """A page with all that it links to and cites, and all that leads to it."""
        found = questions.get_neighbors(self.walker(namespace), name, relation)
        asked = {"node_id": found.seeds[0]} | ({"relation_filter": relation} if relation else {})
        return self._told(found, subgraph_text(found), namespace, "get_neighbors", asked)

    def shortest_path(
        self, source: str, target: str, *, directed: bool = False, max_hops: int = 8, namespace: str = "default"
    ) -> Told[Route]:
        """A shortest path between two pages, always the same of several."""
        found = questions.shortest_path(self.walker(namespace), source, target, directed=directed, max_hops=max_hops)
        asked = {"source": found.start, "target": found.end, "max_hops": max_hops, "undirected": not directed}
        return self._told(found, route_text(found), namespace, "shortest_path", asked)

    def god_nodes(
        self, top: int = 10, *, with_sources: bool = False, namespace: str = "default"
    ) -> Told[tuple[Hub, ...]]:
        """The pages with most edges; graphify counts sources too, so it puts only that form into words."""
        found = questions.god_nodes(self.walker(namespace), top, with_sources=with_sources)
        return self._told(found, hubs_text(found), namespace, "god_nodes", {"top_n": top} if with_sources else None)

    def words(self, tool: str, asked: Mapping[str, Any], own: str, namespace: str = "default") -> tuple[str, str]:
        """An answer in graphify's words, or in our own where it is not installed or has failed; and who tells it.

        Raises:
            ValueError: for a tool or an argument that is never passed on, such as ``project_path``.
        """
        if not self._graphify:
            return own, "viska"
        with self._lock:
            server = self._servers.setdefault(namespace, GraphifyServer(self._path(namespace)))
        try:
            return server.ask(tool, asked), "graphify"
        except GraphifyError as error:
            return f"{own}\n(graphify did not answer: {error})", "viska"

    def close(self) -> None:
        """Ends graphify's servers."""
        with self._lock:
            servers, self._servers = list(self._servers.values()), {}
        for server in servers:
            server.close()

    def _path(self, namespace: str) -> Path:
        if not _NAMESPACE.fullmatch(namespace):
            raise NoGraphError(f"{namespace!r} is no namespace: letters, digits and hyphens, as in `default`")
        return self._folder / f"{namespace}.json"

    def _told(self, found: Part, text: str, namespace: str, tool: str, asked: Mapping[str, Any] | None) -> Told[Part]:
        """The answer in graphify's words, or in ours also where graphify cannot say it."""
        return Told(found, text) if asked is None else Told(found, *self.words(tool, asked, text, namespace))
