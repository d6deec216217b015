"""The engine version is that of the files as they are: an edit is noticed by a process that loaded them before."""

import shutil
from pathlib import Path

import pytest

import viska_assets
from viska_assets.maintain import engine_version
from viska_assets.maintain.engine_version import ANSWERING_ROOMS, ROOMS, source_hash


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sources that the hash is taken over."""
    root = tmp_path / "viska_assets"
    for room in (*ROOMS, *ANSWERING_ROOMS):
        shutil.copytree(Path(viska_assets.__file__).parent / room, root / room)
    monkeypatch.setattr(engine_version.viska_assets, "__file__", str(root / "__init__.py"))
    return root


@pytest.mark.parametrize("file", ["maintain/llm/prompt.md", "guardrail/gate.py", "graph/build.py"])
def test_one_line_more_is_another_engine_and_without_it_the_old_one(tree: Path, file: str) -> None:
    before, path = source_hash(), tree / file
    text = path.read_text("utf-8") if path.exists() else ""
    path.write_text(text + "\nOne line more.\n", "utf-8")
    assert source_hash() != before
    if text:
        path.write_text(text, "utf-8")
        assert source_hash() == before


def test_the_answerers_prompt_changes_only_what_answers(tree: Path) -> None:
    drafting, answering = source_hash(), source_hash(ANSWERING_ROOMS)
    path = tree / "query" / "answerer_prompt.md"
    path.write_text(path.read_text("utf-8") + "\nBe brief.\n", "utf-8")
    assert source_hash() == drafting
    assert source_hash(ANSWERING_ROOMS) != answering


def test_the_judges_prompt_counts_too_and_a_note_beside_the_code_does_not(tree: Path) -> None:
    before = source_hash(ANSWERING_ROOMS)
    (tree / "parity" / "notes.txt").write_text("nothing", "utf-8")
    assert source_hash(ANSWERING_ROOMS) == before
    (tree / "parity" / "judge_prompt.md").write_text("changed", "utf-8")
    assert source_hash(ANSWERING_ROOMS) != before
