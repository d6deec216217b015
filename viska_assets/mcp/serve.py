"""Running the server: over stdio with nothing but JSON-RPC on standard output, or over HTTP with tokens."""

import logging
import sys
from collections.abc import Sequence

from viska_assets.loading import without_collection
from viska_assets.query.access import Caller
from viska_assets.query.library import Library
from viska_assets.store.home import Home


def serve_stdio(home: Home, private: Sequence[str] = ()) -> None:
    """Serves one client over stdin and stdout until it leaves; whatever else is printed goes to stderr.

    Args:
        home: the home that is read.
        private: the private namespaces that the client may open by naming them with a reason.
    """
    _log_to_stderr()
    # A client waits for this: most of it is loading the SDK.
    with without_collection():
        from viska_assets.mcp.server import build_server

        server = build_server(Library(home), caller=Caller("stdio", granted=tuple(private)))
    server.run("stdio")


def serve_http(home: Home, host: str, port: int) -> None:
    """Serves many clients over streamable HTTP under ``/mcp``; each call needs a bearer token."""
    from viska_assets.mcp.auth import auth_settings, load_tokens
    from viska_assets.mcp.server import build_server

    _log_to_stderr()
    tokens = load_tokens(home.settings)
    server = build_server(Library(home), auth=auth_settings(f"http://{host}:{port}/mcp"), token_verifier=tokens)
    server.run("streamable-http", host=host, port=port, stateless_http=True, json_response=True)


def _log_to_stderr() -> None:
    """Standard output belongs to the protocol: handlers that were set up to write there are moved."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler) and handler.stream is sys.stdout:
            handler.setStream(sys.stderr)
