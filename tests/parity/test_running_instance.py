"""End to end on a running instance: one line of the maintainer's prompt closes the gate, and a run opens it again."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from tests.conftest import REPOSITORY
from tests.disposable import Disposable
from tests.parity.conftest import few_rounds, signed_by_an_analyst

PARTS = ("viska_assets", "resources", "sensors", "schedules", "samples", "eval_sets")
FILES = ("workspace.yaml", "dagster.yaml", "pyproject.toml")
QUESTION = "Summarise the thesis of Harbour Lane Securities on Apple."
PATIENCE_SECONDS = 400


@dataclass
class Deployment:
    """A deployed copy of the sources with a home of its own."""

    tree: Path
    home: Disposable

    @property
    def variables(self) -> dict[str, str]:
        return self.home.variables | {
            "PYTHONPATH": str(self.tree),
            "VISKA_NOW": "2024-12-02T08:00:00Z",
            "VISKA_POLICY": str(self.home.root / "policy.yaml"),
        }

    def viska(self, *arguments: str) -> str:
        """What one command prints; it must succeed."""
        done = subprocess.run(
            [sys.executable, "-m", "viska_assets.cli", *arguments],
            env=self.variables,
            cwd=self.tree,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    def route(self) -> dict[str, str]:
        return json.loads(self.viska("route", QUESTION, "--json"))

    def runs(self) -> list[tuple[str, str]]:
        """Engine and verdict of every run, in order."""
        with psycopg.connect(self.home.url) as connection:
            return connection.execute("SELECT engine, verdict FROM parity.run ORDER BY run_id").fetchall()


@pytest.fixture
def deployed(tmp_path: Path, server_url: str) -> Iterator[Deployment]:
    tree = tmp_path / "deployed"
    for part in PARTS:
        shutil.copytree(REPOSITORY / part, tree / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file in FILES:
        shutil.copy(REPOSITORY / file, tree / file)
    home = Disposable(tmp_path / "home", server_url)
    few_rounds(home.root / "policy.yaml")
    signed_by_an_analyst(home.root / "eval_sets")
    yield Deployment(tree, home)
    home.drop()


@pytest.fixture
def serving(deployed: Deployment) -> Iterator[Deployment]:
    deployed.viska("up", "--sample", "--headless")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    with (deployed.tree / "up.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "viska_assets.cli", "up", "--port", port],
            env=deployed.variables | {"PATH": os.environ["PATH"]},
            cwd=deployed.tree,
            stdout=log,
            stderr=log,
        )
        try:
            yield deployed
        finally:
            process.terminate()
            process.wait(60)


def wait_for(condition) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(1)


def test_a_line_of_the_prompt_closes_the_gate_and_a_run_by_itself_opens_it(serving: Deployment) -> None:
    serving.viska("parity", "demote", "--reason", "it reads well")
    (_, old), before = serving.runs()[-2:], serving.runs()
    assert old[1] == "PASS"
    assert serving.route()["tier"] == "synthesis"

    prompt = serving.tree / "viska_assets" / "maintain" / "llm" / "prompt.md"
    prompt.write_text(prompt.read_text("utf-8") + "- Write plainly.\n", "utf-8")
    closed = serving.route()
    assert (closed["tier"], closed["rule_id"]) == ("retrieval", "gate.closed")
    assert f"run {len(before)} is of engine {old[0]}" in closed["reason"]

    wait_for(lambda: len(serving.runs()) > len(before))
    engine, verdict = serving.runs()[-1]
    assert engine != old[0]
    assert verdict == "PASS"
    assert serving.route()["tier"] == "synthesis", "the flag was never touched: only the verdict was missing"
