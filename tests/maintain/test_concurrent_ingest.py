"""Ten ingest runs at once: one bundle history, no page lost, nobody waits for ever."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from git import Repo

from tests.disposable import VISKA, Disposable
from tests.maintain.filings import Report

pytestmark = pytest.mark.database
NAMES = ("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo", "Hazel", "Ivy", "Juniper")
RUNS = len(NAMES)


@pytest.fixture
def home(tmp_path: Path, server_url: str) -> Iterator[Disposable]:
    home = Disposable(tmp_path / "home", server_url)
    yield home
    home.drop()


def report(number: int) -> Report:
    rows = {"Total revenues": 1350, "Cost of revenues": 780, "Operating income": 352, "Net income": 271}
    return Report(
        f"{NAMES[number]} Works Inc.",
        2024,
        {label: {2024: value + number, 2023: value - number} for label, value in rows.items()},
    )


def test_ten_runs_at_once_leave_one_history_with_every_page(home: Disposable, tmp_path: Path) -> None:
    files = [report(number).write(tmp_path / "filings") for number in range(RUNS)]
    runs = [
        subprocess.Popen(
            [VISKA, "ingest", str(file), "--no-embed", "--json"],
            env=home.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for file in files
    ]
    ended = [(run.communicate(timeout=500), run.returncode) for run in runs]
    assert [code for _, code in ended] == [0] * RUNS, [said for (_, said), code in ended if code]

    pages = {path.stem for path in (home.root / "bundle" / "issuers").glob("*.md")} - {"index"}
    assert len(pages) == RUNS
    commits = list(Repo(home.root / "bundle").iter_commits())
    assert all(len(commit.parents) <= 1 for commit in commits)
    assert sum(1 for commit in commits if not commit.parents) == 1
    doctor = home.viska("doctor", "--json")
    assert (doctor.returncode, json.loads(doctor.stdout)["problems"]) == (0, [])
    assert json.loads(home.viska("status", "--json").stdout)["quarantined"] == 0

    again = home.viska("ingest", *map(str, files), "--no-embed", "--json")
    assert again.returncode == 0
    assert len(list(Repo(home.root / "bundle").iter_commits())) == len(commits)
