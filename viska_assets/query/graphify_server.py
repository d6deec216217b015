"""graphify's own MCP server over one graph file, started when it is first asked and spoken to over stdio.

Its tools take a ``project_path`` with which a caller may read any graph of the machine: it is never passed on, nor is
any tool that leaves the graph.
"""

import importlib.util
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal
    from mcp import Client

ARGUMENTS = {
    "query_graph": frozenset({"question", "mode", "depth", "token_budget"}),
    "get_neighbors": frozenset({"node_id", "relation_filter", "token_budget"}),
    "shortest_path": frozenset({"source", "target", "max_hops", "undirected"}),
    "god_nodes": frozenset({"top_n"}),
}
TIMEOUT_SECONDS = 30.0


class GraphifyError(RuntimeError):
    """graphify's server cannot be started or does not answer."""


def graphify_is_installed() -> bool:
    """Whether the extra ``viska[graphify]`` is there."""
    return importlib.util.find_spec("graphify") is not None


class GraphifyServer:
    """One server process for one graph file, for the life of this object; safe for calls from several threads."""

    def __init__(self, graph: Path) -> None:
        self._graph = graph
        self._lock = Lock()
        self._open: tuple[ExitStack, BlockingPortal, Client] | None = None

    def ask(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """The text that a tool answers.

        Args:
            tool: one of ``ARGUMENTS``.
            arguments: only such as are listed there.

        Raises:
            ValueError: for any other tool or argument.
            GraphifyError: where the server cannot be started, has ended or takes too long; the next call starts anew.
        """
        if tool not in ARGUMENTS or not arguments.keys() <= ARGUMENTS[tool]:
            raise ValueError(f"{tool} with {sorted(arguments)} is not passed on to graphify")
        from mcp import MCPError

        with self._lock:
            try:
                _, portal, client = self._opened()
                result = portal.call(_call, client, tool, dict(arguments))
            except (MCPError, OSError, TimeoutError, RuntimeError, ExceptionGroup) as error:
                self._end()
                raise GraphifyError(f"{type(error).__name__}: {error}") from error
        text = "\n".join(block.text for block in result.content if block.type == "text")
        return text.replace(str(self._graph), self._graph.stem)

    def close(self) -> None:
        """Ends the server."""
        with self._lock:
            self._end()

    def _opened(self) -> "tuple[ExitStack, BlockingPortal, Client]":
        if self._open is None:
            from anyio.from_thread import start_blocking_portal
            from mcp import Client, StdioServerParameters

            command = StdioServerParameters(command=sys.executable, args=["-m", "graphify.serve", str(self._graph)])
            with ExitStack() as stack:
                portal = stack.enter_context(start_blocking_portal())
                client = Client(command, read_timeout_seconds=TIMEOUT_SECONDS)
                stack.enter_context(portal.wrap_async_context_manager(client))
                self._open = (stack.pop_all(), portal, client)
        return self._open

    def _end(self) -> None:
        opened, self._open = self._open, None
        if opened is not None:
            opened[0].close()


async def _call(client: "Client", tool: str, arguments: dict[str, Any]) -> Any:
    return await client.call_tool(tool, arguments)
