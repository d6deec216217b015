"""A real client over stdio and over HTTP: every tool, clean standard output, tokens, and what starting costs."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import anyio
import httpx
import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.disposable import VISKA, Disposable
from tests.mcp.test_server import CALLS, text_of

pytestmark = pytest.mark.database
TOKEN = "a-token-of-the-test-0123456789"


@pytest.fixture
def variables(sample_home: Disposable) -> dict[str, str]:
    return sample_home.variables | {"VISKA_NOW": "2024-12-01T00:00:00+00:00", "VISKA_MCP_TOKEN": TOKEN}


async def call_all(client: Client) -> None:
    names = {tool.name for tool in (await client.list_tools()).tools}
    assert names == {name for name, _ in CALLS}
    for name, arguments in CALLS:
        result = await client.call_tool(name, arguments)
        assert not result.is_error, (name, text_of(result))


def test_a_client_over_stdio_calls_every_tool(variables: dict[str, str]) -> None:
    async def run() -> None:
        from mcp import stdio_client

        transport = stdio_client(StdioServerParameters(command=VISKA, args=["mcp"], env=variables))
        async with Client(transport) as client:
            await call_all(client)

    anyio.run(run)


def test_standard_output_holds_json_rpc_alone_with_every_logger_on_debug(variables: dict[str, str]) -> None:
    start = (
        "import logging, sys; logging.basicConfig(stream=sys.stdout, level=logging.DEBUG); "
        "from viska_assets.store.home import Home; from viska_assets.mcp.serve import serve_stdio; serve_stdio(Home())"
    )
    said: list[dict[str, Any]] = [
        request(
            1, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"}
        ),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request(2, "tools/list"),
        request(3, "tools/call", name="viska_search", arguments={"question": "net sales"}),
        request(4, "tools/call", name="viska_search", arguments={"nonsense": 1}),
        request(5, "no/such/method"),
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", start],
        env=variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for message in said:
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
    lines, ids = [], set()
    while ids < {1, 2, 3, 4, 5}:
        line = process.stdout.readline()
        assert line, process.stderr.read() if process.stderr else ""
        lines.append(line)
        ids.add(json.loads(line).get("id"))
    rest, _ = process.communicate(timeout=30)
    for line in [*lines, *rest.splitlines()]:
        assert json.loads(line)["jsonrpc"] == "2.0"


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def test_starting_loads_no_heavy_package(variables: dict[str, str]) -> None:
    probe = (
        "import sys; import viska_assets.cli.main, viska_assets.cli.mcp_command; "
        "from viska_assets.mcp.server import build_server; from viska_assets.query.library import Library; "
        "from viska_assets.store.home import Home; build_server(Library(Home())); "
        "heavy = ('dagster', 'torch', 'llama_index', 'pandas', 'onnxruntime', 'alembic', 'sqlalchemy', 'git', 'numpy', "
        "'networkx', 'viska_assets.hermes', 'viska_assets.guardrail', 'viska_assets.query.search'); "
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", probe], env=variables, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr


@pytest.fixture
def http_address(variables: dict[str, str]) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [VISKA, "mcp", "--http", "--port", str(port)], env=variables, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    address = f"http://127.0.0.1:{port}/mcp"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        try:
            httpx.get(address, timeout=5)
            break
        except httpx.TransportError:
            time.sleep(0.1)
    yield address
    process.terminate()
    process.communicate(timeout=30)


def test_a_client_over_http_calls_every_tool_with_a_token_and_none_without(http_address: str) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong-wrong-wrong-wrong"}):
        refused = httpx.post(http_address, json=request(1, "tools/list"), headers=headers, timeout=10)
        assert refused.status_code == 401
        assert "resource_metadata" in refused.headers["www-authenticate"]

    async def run() -> None:
        import httpx2

        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60) as http,
            Client(streamable_http_client(http_address, http_client=http)) as client,
        ):
            await call_all(client)

    anyio.run(run)


def test_http_without_any_token_does_not_start(variables: dict[str, str]) -> None:
    bare = {name: value for name, value in variables.items() if name != "VISKA_MCP_TOKEN"}
    done = subprocess.run([VISKA, "mcp", "--http"], env=bare, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 3
    assert "VISKA_MCP_TOKEN" in done.stderr
