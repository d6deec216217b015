"""The MCP server measured with real clients: what it puts into a context, and what each transport costs a call."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Any

import anyio
import httpx
import httpx2
from mcp import StdioServerParameters, stdio_client
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from viska_assets.query.library import Library
from viska_assets.query.search import search
from viska_assets.query.weights import CAP
from viska_assets.store.home import Home

TOKEN = "bench-token-0123456789abcdef"
CALLS, STARTS = 40, 5
QUESTION = {"question": "net sales of services in fiscal 2024", "limit": 10}
LARGEST: tuple[tuple[str, dict[str, Any]], ...] = (
    ("viska_search", {"question": "net sales", "limit": CAP, "detail": "full"}),
    ("viska_answer", {"question": "What is our thesis on Apple?", "tier": "mixed", "detail": "full"}),
    ("viska_open", {"reference": "viska://source/c73463278f1080d4", "limit": 6_000}),
    ("viska_trace_provenance", {"page": "issuers/apple"}),
    ("query_graph", {"question": "Apple", "depth": 6}),
    ("get_neighbors", {"label": "issuers/apple"}),
    ("god_nodes", {"top_n": 50}),
)
Count = Callable[[str], int]


def mcp_figures(home: Home, count: Count) -> dict[str, Any]:
    """Sizes and times over a home with the sample feed."""
    layer = function_layer_ms(home)
    variables = os.environ | {
        "VISKA_HOME": str(home.settings.home_path),
        "VISKA_DATABASE_URL": home.settings.database_url,
        "VISKA_MCP_TOKEN": TOKEN,
    }
    sizes: dict[str, Any] = {}

    async def stdio() -> list[float]:
        command = [sys.executable, "-m", "viska_assets.cli"]
        transport = stdio_client(StdioServerParameters(command=command[0], args=[*command[1:], "mcp"], env=variables))
        async with Client(transport) as client:
            sizes.update(await _sizes(client, count))
            return await _timed(client)

    async def over_http(address: str) -> list[float]:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            return await _timed(client)

    by_stdio = anyio.run(stdio)
    by_http = _with_server(variables, over_http)
    return sizes | {
        "function_layer_ms_p50": round(layer, 2),
        "stdio_overhead_ms_p50": round(median(by_stdio) - layer, 2),
        "http_overhead_ms_p50": round(median(by_http) - layer, 2),
        "stdio_connect_cpu_s": round(connect_cpu(variables), 3),
        "sdk_alone_cpu_s": round(sdk_cpu(), 3),
    }


async def _sizes(client: Client, count: Count) -> dict[str, Any]:
    listed = await client.list_tools()
    replies = {}
    for name, arguments in LARGEST:
        result = await client.call_tool(name, arguments)
        replies[name] = count(json.dumps(result.model_dump(mode="json", by_alias=True, exclude_none=True)))
    text = json.dumps(listed.model_dump(mode="json", by_alias=True, exclude_none=True))
    return {
        "tools": len(listed.tools),
        "tools_list_tokens": count(text),
        "max_reply_tokens": max(replies.values()),
        "reply_tokens": replies,
    }


async def _timed(client: Client) -> list[float]:
    times = []
    for _ in range(CALLS):
        started = time.perf_counter()
        await client.call_tool("viska_search", QUESTION)
        times.append((time.perf_counter() - started) * 1000)
    return times[3:]


def function_layer_ms(home: Home) -> float:
    """The median of the same question asked in this process, the engines warm."""
    library = Library(home)
    times = []
    for _ in range(CALLS):
        started = time.perf_counter()
        with library.reader() as reader:
            search(reader, str(QUESTION["question"]), limit=CAP, pool=CAP)
        times.append((time.perf_counter() - started) * 1000)
    return median(times[3:])


def _with_server(variables: dict[str, str], ask: Callable[[str], Awaitable[list[float]]]) -> list[float]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "viska_assets.cli", "mcp", "--http", "--port", str(port)]
    process = subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}/mcp"
    try:
        for _ in range(300):
            try:
                httpx.get(address, timeout=5)
                break
            except httpx.TransportError:
                time.sleep(0.1)
        return anyio.run(ask, address)
    finally:
        process.terminate()
        process.wait(30)


def connect_cpu(variables: dict[str, str]) -> float:
    """CPU seconds of a server's process from its start until its first answer, the least of five."""
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}},
    }
    spent = []
    for _ in range(STARTS):
        with subprocess.Popen(
            [sys.executable, "-m", "viska_assets.cli", "mcp"],
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert answer["result"]["serverInfo"]["name"] == "viska", answer
            spent.append(_cpu_of(process.pid))
            process.stdin.close()
    return min(spent)


def sdk_cpu() -> float:
    """CPU seconds of an interpreter that loads the SDK's server and does nothing else, the least of five."""
    spent = []
    for _ in range(STARTS):
        command = "import time, mcp.server; print(time.process_time())"
        done = subprocess.run([sys.executable, "-c", command], check=True, capture_output=True, text=True)
        spent.append(float(done.stdout))
    return min(spent)


def _cpu_of(pid: int) -> float:
    """User and system time of a running process so far (``man 5 proc``)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
