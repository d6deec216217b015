"""Commands over the bundle from outside: tracing a footnote, mending what is mechanical, naming what is unreadable."""

import json
from pathlib import Path

import pytest

from tests.disposable import Disposable

pytestmark = pytest.mark.database


def test_a_footnote_leads_to_the_printed_number_and_to_its_bytes(module_sample: Disposable) -> None:
    page = str(module_sample.root / "bundle" / "issuers" / "apple.md")
    steps = json.loads(module_sample.viska("trace", page, "--json").stdout)
    revenue = next(step for step in steps if "Total net sales" in step["locator"] and "2024" in step["locator"])
    assert "⟦391,035⟧" in revenue["passage"].replace("$", "")
    assert revenue["pinned"] is True
    blob = Path(revenue["blob"].removeprefix("file://"))
    start, end = revenue["source_span"]
    assert "391,035" in blob.read_bytes().decode()[start - 1 : end + 1]
    assert module_sample.viska("trace", page, "nowhere").returncode == 2


def test_lint_mends_a_broken_index_and_commits_it(module_sample: Disposable) -> None:
    from git import Repo

    bundle = module_sample.root / "bundle"
    index = bundle / "issuers" / "index.md"
    before = index.read_text()
    index.write_text(before.replace("apple.md", "pear.md"))
    repository = Repo(bundle)
    repository.git.commit("--all", "--message", "a slip of the hand")
    assert "INDEX" in module_sample.viska("lint").stdout
    module_sample.viska("lint", "--fix")
    assert index.read_text() == before
    assert not repository.is_dirty()


def test_one_unreadable_file_does_not_keep_the_others_from_the_gate(module_sample: Disposable, tmp_path: Path) -> None:
    (tmp_path / "binary.md").write_bytes(b"\xff\xfe\x00")
    good = str(module_sample.root / "bundle" / "issuers" / "apple.md")
    judged = module_sample.viska("gate", str(tmp_path / "binary.md"), good, "--json")
    assert judged.returncode == 1
    assert "no UTF-8 text" in judged.stderr
    assert len(json.loads(judged.stdout)) == 1


def test_search_names_what_it_was_not_given(module_sample: Disposable) -> None:
    assert module_sample.viska("search", " ").returncode == 2
    assert "no issuer is known as" in module_sample.viska("search", "revenue", "--issuer", "issuers/nobody").stderr
    found = json.loads(module_sample.viska("search", "Apple services net sales fiscal 2024", "--json").stdout)
    assert any("96,169" in passage["text"] or "96.2" in passage["text"] for passage in found["hits"])


def test_incidents_are_listed(module_sample: Disposable) -> None:
    kinds = {row["kind"] for row in json.loads(module_sample.viska("incidents", "--json").stdout)}
    assert {"hidden_text", "unauthenticated_mail"} <= kinds
