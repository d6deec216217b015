"""The state of a night as rows: read back it is the same, and only what changed is written again."""

from dataclasses import replace

import pytest

from bench.lint import make_bundle
from tests.lint.clean_bundle import AS_OF, clean_pages, files_of, snapshot
from tests.lint.test_incremental import counting
from viska_assets.assets.linting import lint_home
from viska_assets.lint.bundle import LintState
from viska_assets.lint.remembering import recall, to_remember
from viska_assets.lint.run import lint_bundle
from viska_assets.store.home import Home
from viska_assets.store.lint_rows import PageState, keep_page_states, page_states

VERSION = "v1"


def defective_files() -> dict[str, str]:
    pages, _ = clean_pages()
    files = files_of(pages)
    files["issuers/alder.md"] = files["issuers/alder.md"].replace("4,120", "9,120")
    files["issuers/x.md"] = "no frontmatter"
    files["theses/birch.md"] = files["theses/birch.md"].replace("# Birch thesis\n", "# Birch\x00 thesis\n")
    return files


def first_night() -> tuple[LintState, list[PageState]]:
    _, evidence = clean_pages()
    state = lint_bundle(snapshot(defective_files(), evidence), AS_OF).state
    return state, to_remember(state, LintState(), VERSION)


def test_a_state_is_read_back_as_it_was() -> None:
    state, rows = first_night()
    back = recall(rows, VERSION)
    assert back == state
    assert len(rows) == len(state.summaries)


def test_rows_of_other_code_count_for_nothing() -> None:
    _, rows = first_night()
    assert recall(rows, "v2") == LintState()


def test_a_night_after_a_restart_judges_only_what_changed_and_reports_the_same() -> None:
    _, evidence = clean_pages()
    _, rows = first_night()
    files = defective_files()
    files["issuers/cedar.md"] = files["issuers/cedar.md"].replace("About Cedar.", "About the cedar.")
    evidence.chunks["note4"] = replace(evidence.chunks["note4"], withdrawn=True)
    before = recall(rows, VERSION)
    snap, gate = counting(snapshot(files, evidence))
    night = lint_bundle(snap, AS_OF, before=before)
    assert gate.asked == ["issuers/cedar.md", "theses/downy-oak.md"]
    assert night.findings == lint_bundle(snapshot(files, evidence), AS_OF).findings
    changed = to_remember(night.state, before, VERSION)
    assert [row.path for row in changed] == ["issuers/cedar.md", "theses/downy-oak.md"]


def test_ten_changed_pages_of_a_large_bundle_are_ten_judgements() -> None:
    files, world, _ = make_bundle(60)
    snap, gate = counting(snapshot(files, world))  # type: ignore[arg-type]
    before = recall(to_remember(lint_bundle(snap, AS_OF).state, LintState(), VERSION), VERSION)
    gate.asked.clear()
    changed = {f"issuers/company-{n:05d}.md" for n in range(0, 60, 6)}
    edited = {p: t.replace("a company of", "an enterprise of") if p in changed else t for p, t in files.items()}
    night = lint_bundle(replace(snap, files=edited), AS_OF, before=before)
    assert set(gate.asked) == changed
    assert {row.path for row in to_remember(night.state, before, VERSION)} == changed


@pytest.mark.database
def test_the_store_keeps_states_and_forgets_pages_that_are_gone(home: Home) -> None:
    _, rows = first_night()
    paths = [row.path for row in rows]
    with home.database.transaction() as connection:
        keep_page_states(connection, rows, paths)
    with home.database.transaction() as connection:
        assert page_states(connection) == sorted(rows, key=lambda row: row.path)
        keep_page_states(connection, [replace(rows[0], version="v2")], paths[:2])
        assert {(row.path, row.version) for row in page_states(connection)} == {(paths[0], "v2"), (paths[1], VERSION)}


@pytest.mark.database
def test_an_empty_home_lints_twice(home: Home) -> None:
    assert lint_home(home, "e").report.findings == lint_home(home, "e", full=True).report.findings == ()
