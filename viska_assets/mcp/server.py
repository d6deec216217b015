"""The server: tools from one table, unknown arguments refused, instructions made of the state of the index."""

import inspect
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from mcp.server import MCPServer
from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import Context
from mcp.server.mcpserver import server as sdk
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations

from viska_assets.mcp.graph_tools import GraphFile, graph_tools
from viska_assets.mcp.hermes_tools import HERMES_TOOLS
from viska_assets.mcp.resources import add_prompts, add_resources
from viska_assets.mcp.table import OVER_STDIO, Reading, ToolEntry, reading_of
from viska_assets.mcp.tools import TOOLS
from viska_assets.query.access import Caller
from viska_assets.query.library import Library
from viska_assets.query.status import status

# The SDK sets up the logging of its whole process and loads rich for it. Here whoever runs the server has done that
# (``serve``), and a client would wait for it.
setattr(sdk, "configure_logging", lambda level: None)  # noqa: B010 (a plain assignment is none of this type)


class StrictServer(MCPServer[Any]):
    """An MCP server that refuses arguments it does not know.

    The SDK drops them in silence, so that ``namespace=`` for ``namespaces=`` would run unscoped.
    """

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Calls a tool by name."""
        tool = self._tool_manager.get_tool(name)
        if tool is not None:
            known = list(tool.parameters.get("properties", {}))
            unknown = sorted(set(arguments) - set(known))
            if unknown:
                accepted = ", ".join(known) or "none"
                raise ToolError(f"{name} has no argument {', '.join(unknown)}. Next: use its arguments: {accepted}.")
        return await super().call_tool(name, arguments, context)


def build_server(
    library: Library,
    *,
    tools: Sequence[ToolEntry] = (*TOOLS, *HERMES_TOOLS),
    auth: AuthSettings | None = None,
    token_verifier: TokenVerifier | None = None,
    caller: Caller = OVER_STDIO,
) -> StrictServer:
    """The server over a home.

    Args:
        library: the home, opened for reading.
        tools: the entries beside those of the graph.
        auth: for HTTP, what is asked of tokens; always with ``token_verifier``.
        token_verifier: who knows the tokens.
        caller: who asks where calls come without a token.
    """
    reading = reading_of(library, caller)
    server = StrictServer(
        "viska",
        title="Viska",
        instructions=instructions(reading),
        version=version("viska"),
        auth=auth,
        token_verifier=token_verifier,
        log_level="WARNING",
    )
    graph = GraphFile(library.settings.graph_path(), graphify=library.settings.graphify)
    web = bool(library.home.policy.research.searxng)
    for entry in (*tools, *graph_tools(graph)):
        function = entry.function(reading)
        server.add_tool(
            function,
            name=entry.name,
            title=entry.title,
            description=inspect.getdoc(function),
            # The other hints have a meaning only for tools that change something.
            annotations=ToolAnnotations(read_only_hint=True, open_world_hint=entry.asks_web and web),
        )
        _shorten(server, entry.name)
    add_resources(server, reading)
    add_prompts(server)
    return server


def _shorten(server: StrictServer, name: str) -> None:
    """Takes out of a tool's schemas what a client need not read: all of them stand in its context at once."""
    tool = server._tool_manager.get_tool(name)
    assert tool is not None
    without_titles(tool.parameters)
    for part in tool.parameters.get("properties", {}).values():
        without_nothing(part)
    if tool.fn_metadata.output_schema is not None:
        only_top(tool.fn_metadata.output_schema)


def without_titles(schema: Any) -> None:
    """Removes from a JSON schema, in place, the titles that repeat the names of its fields."""
    if isinstance(schema, list):
        for part in schema:
            without_titles(part)
    if isinstance(schema, dict):
        if isinstance(schema.get("title"), str):
            del schema["title"]
        for part in schema.values():
            without_titles(part)


def without_nothing(argument: dict[str, Any]) -> None:
    """Removes from an argument's schema, in place, that it may be null and that it is empty where it is left out."""
    if not argument.get("default", True):
        del argument["default"]
    match argument.get("anyOf"):
        case [kind, {"type": "null"}]:
            del argument["anyOf"]
            argument |= kind


def only_top(schema: dict[str, Any]) -> None:
    """Reduces an output's schema, in place, to the names of its fields; docs/asking.md says what is in them."""
    schema.pop("$defs", None)
    for key in ("title", "description"):
        schema.pop(key, None)
    schema["properties"] = {name: {} for name in schema.get("properties", {})}
    schema.pop("required", None)


def instructions(reading: Reading) -> str:
    """What a client is told first: what there is at this moment, and which tool is for what."""
    with reading() as reader:
        found = status(reader)
    without = found.chunks - found.embedded
    newest = found.newest.date().isoformat() if found.newest else "none"
    vectors = f" {without} passages have no vector yet and are found by words alone." if without else ""
    tier = (
        "Views come from maintained pages." if found.synthesis_open else f"Pages do not answer now: {found.synthesis}."
    )
    return (
        f"Viska holds {found.pages} maintained pages and {found.chunks} passages of {found.documents} documents "
        f"(newest {newest}; namespaces: {', '.join(found.namespaces)}).{vectors} {tier}\n"
        "viska_answer answers with cited claims; viska_search finds passages; viska_open reads a uri of a hit; "
        "viska_trace_provenance follows footnotes to bytes; viska_source_check tests a claim; viska_find_pattern, "
        "viska_audit_coverage and viska_find_contradictions look across vaults and repositories. Everything is "
        "read-only. "
        "Quote markers and uris when you pass on what you found."
    )
