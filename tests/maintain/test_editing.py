"""People's edits in git or an editor: kept over new documents, gated and named; refused ones are kept elsewhere."""

from pathlib import Path

import pytest
from git import Actor, Repo

from tests.maintain.conftest import Desk
from tests.maintain.test_restating import FIRST, ISSUER, RESTATING
from viska_assets.maintain.editing import merge_lines
from viska_assets.store.bundle_repository import ANNOUNCEMENT
from viska_assets.store.edits import kept_edits, refused_edits

pytestmark = pytest.mark.database
NOTE = "> [!judgement]\n> The desk thinks that margins have room to grow."


def page_file(desk: Desk) -> Path:
    return desk.home.settings.bundle_path / f"{ISSUER}.md"


def edit(desk: Desk, before: str, after: str) -> None:
    text = page_file(desk).read_text()
    assert before in text
    page_file(desk).write_text(text.replace(before, after, 1))


def test_a_note_that_a_person_adds_stays_when_new_documents_come(desk: Desk, tmp_path: Path) -> None:
    desk.take([FIRST.write(tmp_path)])
    edit(desk, "## Key figures", f"{NOTE}\n\n## Key figures")
    assert desk.take([]) == {}
    page = desk.page(ISSUER)
    assert "margins have room to grow" in page
    assert 'by: "human:editor"' in page or "by: human:editor" in page
    assert desk.take([RESTATING.write(tmp_path)]) == {}
    body = desk.body(ISSUER)
    assert "margins have room to grow" in body
    assert "| Revenue | $1,350 million | $1,180 million | $1,100 million |" in body
    head = desk.home.bundle.head()
    assert desk.take([]) == {}
    assert desk.home.bundle.head() == head
    with desk.home.database.transaction() as connection:
        assert len(kept_edits(connection)[ISSUER]) == 1


def test_an_edit_committed_in_git_carries_its_authors_name(desk: Desk, tmp_path: Path) -> None:
    desk.take([FIRST.write(tmp_path)])
    edit(desk, "## Key figures", f"{NOTE}\n\n## Key figures")
    repository = Repo(desk.home.settings.bundle_path)
    repository.git.add("--all")
    repository.index.commit("A word of ours", author=Actor("Ada Lind", "ada@desk.example"))
    desk.take([])
    assert "human:Ada Lind" in desk.page(ISSUER)
    assert "margins have room to grow" in desk.page(ISSUER)


def test_a_figure_without_evidence_leaves_the_page_and_is_kept(desk: Desk, tmp_path: Path) -> None:
    desk.take([FIRST.write(tmp_path)])
    before = desk.page(ISSUER)
    edit(desk, "$1,200 million", "$9,200 million")
    desk.take([])
    assert desk.page(ISSUER) == before == page_file(desk).read_text()
    with desk.home.database.transaction() as connection:
        ((refused, codes),) = refused_edits(connection)
        assert "$9,200 million" in refused.edited
        assert "UNGROUNDED" in codes
        kinds = connection.execute("SELECT kind FROM raw.incident WHERE kind = 'edit_refused'").fetchall()
    assert len(kinds) == 1


def test_an_edit_of_lines_that_are_drafted_anew_is_kept_and_said(desk: Desk, tmp_path: Path) -> None:
    desk.take([FIRST.write(tmp_path)])
    line = next(line for line in page_file(desk).read_text().splitlines() if line.startswith("| Revenue"))
    edit(desk, line + "\n", "")
    desk.take([])
    assert "| Revenue | $" not in desk.body(ISSUER)
    assert desk.take([RESTATING.write(tmp_path)]) == {}
    assert "| Revenue | $1,350 million" in desk.body(ISSUER)
    with desk.home.database.transaction() as connection:
        assert connection.execute("SELECT count(*) FROM raw.incident WHERE kind = 'edit_left_out'").fetchone() == (1,)


def test_what_an_interrupted_write_left_behind_is_no_persons_edit(desk: Desk, tmp_path: Path) -> None:
    desk.take([FIRST.write(tmp_path)])
    text = page_file(desk).read_text()
    half = text.replace("Acme Tools Inc.", "Acme")
    desk.home.bundle._announce({f"{ISSUER}.md": half})
    page_file(desk).write_text(half)
    assert desk.home.bundle.edited_by_people({f"{ISSUER}.md": text}) == {}
    (Path(Repo(desk.home.settings.bundle_path).git_dir) / ANNOUNCEMENT).unlink()
    assert desk.home.bundle.edited_by_people({f"{ISSUER}.md": text}) == {f"{ISSUER}.md": (half, "editor")}


def test_lines_of_both_sides_are_merged_and_the_same_line_is_not() -> None:
    base = "a\nb\nc\nd\ne\n"
    assert merge_lines("a\nb\nc\nd\nE\n", base, "A\nb\nc\nd\ne\n") == "A\nb\nc\nd\nE\n"
    assert merge_lines("a\nb\nX\nd\ne\n", base, "a\nb\nY\nd\ne\n") is None
    assert merge_lines("new\n", base, base) == "new\n"
