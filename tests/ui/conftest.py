"""A running Viska for the browser: the sample feed ingested, webserver and daemon up, torn down with all children."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Running:
    """Where the UI is, and the home behind it."""

    url: str
    home: Path

    def graphql(self, query: str, **variables: object) -> dict:
        """One GraphQL answer."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(f"{self.url}/graphql", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)["data"]


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    home = tmp_path_factory.mktemp("ui") / "home"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    variables = {k: v for k, v in os.environ.items() if k != "VISKA_DATABASE_URL"} | {"VISKA_HOME": str(home)}
    viska = str(Path(sys.executable).with_name("viska"))
    log = (home.parent / "viska.log").open("w")
    process = subprocess.Popen(
        [viska, "up", "--sample", "--port", str(port)],
        env=variables,
        stdout=log,
        stderr=log,
    )
    running = Running(f"http://127.0.0.1:{port}", home)
    try:
        wait_for(lambda: process.poll() is None and len(running.graphql("{assetNodes{id}}")["assetNodes"]) >= 11, 240)
        yield running
    finally:
        process.terminate()
        try:
            process.wait(40)
        except subprocess.TimeoutExpired:
            process.kill()
        subprocess.run([viska, "db", "stop"], env=variables, check=False)
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port)) != 0, "the web server outlived `viska up`"


def wait_for(condition, seconds: float) -> None:
    """Polls until the condition holds; what it raises counts as not yet."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
        except (OSError, KeyError, ValueError) as error:
            last = error
        else:
            last = None
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds} s; last error: {last}")
        time.sleep(0.5)


@pytest.fixture(scope="session")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where screenshots go: the folder that ``VISKA_UI_SHOTS`` names, or a temporary one."""
    wanted = os.environ.get("VISKA_UI_SHOTS")
    folder = Path(wanted).resolve() if wanted else tmp_path_factory.mktemp("shots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
