"""The sample feed from outside: what a stranger's first run leaves behind, byte for byte."""

import json
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.disposable import Disposable

pytestmark = pytest.mark.database


def markdown(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.md")}


def test_the_bundle_in_the_repository_is_what_a_fresh_run_writes(sample_home: Disposable) -> None:
    fresh, kept = markdown(sample_home.root / "bundle"), markdown(REPOSITORY / "bundle")
    assert sorted(fresh) == sorted(kept), "run `make bundle` and look at the difference"
    assert [path for path in fresh if fresh[path] != kept[path]] == [], "run `make bundle` and look at the difference"


def test_a_second_run_writes_nothing_and_says_so(sample_home: Disposable) -> None:
    before = sample_home.fingerprint()
    again = sample_home.viska("up", "--sample", "--headless")
    assert again.returncode == 0
    assert "Nothing was new" in again.stdout
    assert sample_home.fingerprint() == before


def test_one_file_of_each_kind_has_the_outcome_that_the_readme_of_the_samples_says(sample_home: Disposable) -> None:
    queue = json.loads(sample_home.viska("quarantine", "list", "--json").stdout)
    assert {item["document"]: item["codes"] for item in queue} == {
        "fjordland-aapl-2024-11-04-2.eml": ["CONTRADICTION"],
        "hostile-aapl-2024-11-21.eml": ["SOURCE_UNAUTHENTICATED", "UNGROUNDED"],
    }


def test_every_side_of_the_store_agrees(sample_home: Disposable) -> None:
    report = sample_home.viska("doctor", "--json")
    assert json.loads(report.stdout)["problems"] == []
    assert report.returncode == 0


def test_the_status_counts_what_is_there(sample_home: Disposable) -> None:
    status = json.loads(sample_home.viska("status", "--json").stdout)
    feed = [path for path in (REPOSITORY / "samples" / "feed").iterdir() if path.is_file()]
    calculations = list((sample_home.root / "calculations").glob("*.md"))
    assert status["documents"] == len(feed) + len(calculations) == len(feed) + 1
    assert status["embeddings"] == status["chunks"]
    assert status["pages"] == len([p for p in (REPOSITORY / "bundle").rglob("*/*.md") if p.name != "index.md"])


def test_every_page_of_the_bundle_holds_and_a_changed_digit_does_not(sample_home: Disposable, tmp_path: Path) -> None:
    bundle = sample_home.root / "bundle"
    pages = [str(p) for p in sorted(bundle.rglob("*/*.md")) if p.name != "index.md"]
    assert sample_home.viska("gate", *pages).returncode == 0
    page = (bundle / "issuers" / "apple.md").read_text()
    forged = tmp_path / "issuers" / "apple.md"
    forged.parent.mkdir()
    forged.write_text(page.replace("$391,035 million", "$391,053 million"))
    judged = sample_home.viska("gate", str(forged))
    assert judged.returncode == 1
    assert "UNGROUNDED" in judged.stdout
    assert "391,035" in judged.stdout
