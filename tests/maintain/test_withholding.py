"""A page with a hard finding leaves the bundle, its index and the graph, and comes back with the same bytes."""

import json
from pathlib import Path

import psycopg
import pytest

from tests.maintain.conftest import Desk
from tests.maintain.test_restating import FIRST, ISSUER, RESTATING
from viska_assets.assets.linting import Linted, lint_home, review_withheld
from viska_assets.maintain.doctor import examine
from viska_assets.maintain.graph_file import write_graph
from viska_assets.store.policy import LintSection, Policy
from viska_assets.store.registry import live_pages
from viska_assets.store.withholding import WithholdingStep, withheld_pages, withholding_trail

pytestmark = pytest.mark.database
PATH = f"{ISSUER}.md"

BREAK_AND_MEND = {
    "source withdrawn": (
        "UPDATE raw.document SET withdrawn = true",
        "UPDATE raw.document SET withdrawn = false",
        "SOURCE_WITHDRAWN",
    ),
    "hash of the evidence changed": (
        "UPDATE retrieval.chunk SET text_sha256 = 'x' || text_sha256",
        "UPDATE retrieval.chunk SET text_sha256 = substr(text_sha256, 2)",
        "CHUNK_CHANGED",
    ),
    "value of the evidence changed": (
        "UPDATE retrieval.evidence SET record = jsonb_set(record, '{value}', to_jsonb('7' || (record ->> 'value')))",
        """
        UPDATE retrieval.evidence
        SET record = jsonb_set(record, '{value}', to_jsonb(substr(record ->> 'value', 2)))
        """,
        "UNGROUNDED",
    ),
    "citation broken": (
        "UPDATE registry.page_version SET text = replace(text, '[^', '[^x')",
        "UPDATE registry.page_version SET text = replace(text, '[^x', '[^')",
        "DANGLING_CITATION",
    ),
}


def run(desk: Desk, statement: str) -> None:
    with desk.home.database.transaction() as connection:
        connection.execute(statement)


def lint(desk: Desk) -> Linted:
    return lint_home(desk.home, "e")


def nodes(desk: Desk) -> set[str]:
    graph = json.loads(desk.home.settings.graph_path().read_text())
    return {str(node.get("attributes", {}).get("path", "")) or str(node["id"]) for node in graph["nodes"]}


def shown(desk: Desk) -> set[str]:
    with desk.home.database.transaction() as connection:
        return {page.concept_id for page in live_pages(connection)}


def trail(desk: Desk) -> list[WithholdingStep]:
    with desk.home.database.transaction() as connection:
        return withholding_trail(connection, ISSUER)


def is_indexed(desk: Desk) -> bool:
    name = PATH.rpartition("/")[2]
    return f"]({name})" in desk.home.bundle.files().get("issuers/index.md", "")


@pytest.fixture
def filled(desk: Desk, tmp_path: Path) -> Desk:
    desk.take([FIRST.write(tmp_path)])
    write_graph(desk.home.database, desk.home.settings.graph_path(), "c")
    assert lint(desk).report.hard == ()
    return desk


def break_citation(desk: Desk, statement: str) -> None:
    """The bundle's file and the registry's text alike, as a defect of the writer would leave them."""
    run(desk, statement)
    files = desk.home.bundle.files()
    with desk.home.database.transaction() as connection:
        texts = {f"{page.concept_id}.md": page.text for page in live_pages(connection)}
    changed = {path: text for path, text in texts.items() if path in files and files[path] != text}
    with desk.home.database.transaction() as connection:
        newest = max(page.known_at for page in live_pages(connection))
    desk.home.bundle.write(changed, (), "a defect", [], newest)


@pytest.mark.parametrize("defect", BREAK_AND_MEND)
def test_a_page_leaves_and_comes_back_with_the_same_bytes(filled: Desk, defect: str) -> None:
    desk = filled
    breaking, mending, code = BREAK_AND_MEND[defect]
    before = desk.home.bundle.files()
    graph_before = nodes(desk)
    if defect == "citation broken":
        break_citation(desk, breaking)
    else:
        run(desk, breaking)

    night = lint(desk)
    assert code in {finding.code for finding in night.report.hard if finding.path == PATH}
    assert ISSUER in night.consequences.withheld
    files = desk.home.bundle.files()
    assert PATH not in files
    assert not is_indexed(desk)
    assert ISSUER not in shown(desk)
    assert nodes(desk) < graph_before
    assert "is withheld: " in files["log.md"]
    assert [problem for problem in examine(desk.home, repair=False).problems if ".md" in problem] == []

    again = lint(desk)
    assert again.report.findings == lint_home(desk.home, "e", full=True).report.findings
    assert (again.consequences.withheld, again.consequences.restored) == ((), ())

    run(desk, mending)
    mended = lint(desk)
    assert ISSUER in mended.consequences.restored
    after = desk.home.bundle.files()
    assert {path: text for path, text in after.items() if path != "log.md"} == {
        path: text for path, text in before.items() if path != "log.md"
    }
    assert "is back: " in after["log.md"]
    assert nodes(desk) == graph_before
    assert [step.action for step in trail(desk)] == ["withheld", "restored"]
    assert code in trail(desk)[0].codes
    assert examine(desk.home, repair=False).problems == []


def test_a_page_that_new_documents_mend_comes_back_with_the_write(filled: Desk, tmp_path: Path) -> None:
    desk = filled
    run(desk, BREAK_AND_MEND["source withdrawn"][0])
    assert ISSUER in lint(desk).consequences.withheld
    run(desk, BREAK_AND_MEND["source withdrawn"][1])
    assert desk.take([RESTATING.write(tmp_path)]) == {}
    assert PATH not in desk.home.bundle.files()
    assert ISSUER in review_withheld(desk.home, "e").restored
    assert "$1,350 million" in desk.page(ISSUER)
    assert [step.action for step in trail(desk)] == ["withheld", "restored"]
    assert examine(desk.home, repair=False).problems == []


def test_a_write_does_not_bring_back_what_is_still_broken(filled: Desk) -> None:
    desk = filled
    run(desk, BREAK_AND_MEND["source withdrawn"][0])
    lint(desk)
    desk.take([])
    assert PATH not in desk.home.bundle.files()
    assert review_withheld(desk.home, "e").restored == ()
    assert ISSUER not in shown(desk)


def test_a_desk_that_only_warns_withholds_nothing(filled: Desk) -> None:
    desk = filled
    run(desk, BREAK_AND_MEND["hash of the evidence changed"][0])
    section = LintSection.model_validate({"severity": {"broken_citation": "warning", "provenance": "warning"}})
    desk.home.__dict__["policy"] = Policy(lint=section)
    night = lint(desk)
    assert "CHUNK_CHANGED" in {finding.code for finding in night.report.findings}
    assert night.consequences.withheld == ()
    assert PATH in desk.home.bundle.files()


def test_looking_changes_nothing(filled: Desk) -> None:
    desk = filled
    run(desk, BREAK_AND_MEND["source withdrawn"][0])
    head = desk.home.bundle.head()
    assert lint_home(desk.home, "e", only_look=True).report.hard != ()
    assert desk.home.bundle.head() == head
    assert trail(desk) == []


def test_a_persons_unsaved_edit_is_never_taken_away(filled: Desk) -> None:
    desk = filled
    file = desk.home.settings.bundle_path / PATH
    file.write_text(file.read_text() + "\nmine\n")
    run(desk, BREAK_AND_MEND["source withdrawn"][0])
    assert ISSUER not in lint(desk).consequences.withheld
    assert file.read_text().endswith("\nmine\n")


def test_the_trail_is_only_ever_added_to(filled: Desk) -> None:
    run(filled, BREAK_AND_MEND["source withdrawn"][0])
    lint(filled)
    with pytest.raises(psycopg.errors.RaiseException, match="only ever added"):
        run(filled, "DELETE FROM lint.withholding")


def test_an_interrupted_withholding_is_made_whole_by_the_next_night(
    filled: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = filled
    run(desk, BREAK_AND_MEND["source withdrawn"][0])

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("viska_assets.maintain.withholding.record_commit", crash)
        with pytest.raises(KeyboardInterrupt):
            lint(desk)
    assert PATH not in desk.home.bundle.files()
    assert ISSUER in shown(desk)
    assert ISSUER in lint(desk).consequences.withheld
    assert examine(desk.home, repair=False).problems == []
    with desk.home.database.transaction() as connection:
        assert ISSUER in {page.concept_id for page in withheld_pages(connection)}
