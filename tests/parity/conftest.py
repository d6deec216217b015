"""A home with the sample feed whose demonstration questions are signed by an analyst, so that runs of it count."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.disposable import Disposable
from viska_assets.parity.running import DEMONSTRATION
from viska_assets.store.home import Home
from viska_assets.store.settings import Settings


def signed_by_an_analyst(folder: Path) -> Path:
    """The demonstration set as if analysts had asked it."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.loads(line) | {"sourced_by": "analyst"} for line in DEMONSTRATION.read_text("utf-8").splitlines()]
    file = folder / "desk.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return file


def few_rounds(file: Path, more: str = "") -> Path:
    """A policy under which a run takes little time; its latencies are not what these tests are about."""
    file.write_text(f"parity:\n  repeats: 1\n  least_timings: 1\n  most_latency: 1000\n{more}", "utf-8")
    return file


@pytest.fixture(scope="session")
def analyst_home(tmp_path_factory: pytest.TempPathFactory, untouched_sample: Disposable) -> Iterator[Disposable]:
    """Tests of this room change only its parity tables."""
    with untouched_sample.copied(tmp_path_factory.mktemp("analysts")) as home:
        signed_by_an_analyst(home.root / "eval_sets")
        yield home


@pytest.fixture
def opened(analyst_home: Disposable, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """The home opened in the days of its notes, its parity tables empty."""
    monkeypatch.setenv("VISKA_HOME", str(analyst_home.root))
    monkeypatch.setenv("VISKA_DATABASE_URL", analyst_home.url)
    monkeypatch.setenv("VISKA_NOW", "2024-12-02T08:00:00Z")
    monkeypatch.setenv("VISKA_POLICY", str(few_rounds(analyst_home.root / "policy.yaml")))
    home = Home(Settings())
    with home.database.transaction() as connection:
        connection.execute("TRUNCATE parity.flip, parity.run RESTART IDENTITY")
    yield home
    home.close()
