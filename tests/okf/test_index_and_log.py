import random
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.okf.pages import head, pages
from viska_assets.model.page import ConceptType, Page
from viska_assets.okf.conformance import check_bundle, is_conformant
from viska_assets.okf.index import listed_paths, read_index, render_indexes
from viska_assets.okf.issue import Level
from viska_assets.okf.log import LogEntry, LogKind, read_log, render_log

ACME = Page(concept_id="issuers/acme", head=head(title="Acme", description="Maker of [anvils]."), body="# Acme")
ZETA = Page(concept_id="issuers/zeta", head=head(title="zeta"), body="# Z")
NOTE = Page(concept_id="theses/acme", head=head(title="Acme thesis", type=ConceptType.THESIS), body="# T")


def test_a_folder_lists_its_pages_by_title_and_the_root_its_folders() -> None:
    indexes = render_indexes([ZETA, NOTE, ACME])
    assert indexes == {
        "index.md": (
            '---\nokf_version: "0.2"\n---\n# Subdirectories\n\n'
            "* [issuers](issuers/) - Companies whose securities are held or followed.\n"
            "* [theses](theses/) - Views of analysts and brokers with their arguments.\n"
        ),
        "issuers/index.md": "# Issuer\n\n* [Acme](acme.md) - Maker of \\[anvils\\].\n* [zeta](zeta.md)\n",
        "theses/index.md": "# Thesis\n\n* [Acme thesis](acme.md)\n",
    }


def test_a_rendered_index_reads_back() -> None:
    text = render_indexes([ACME, ZETA])["issuers/index.md"]
    index = read_index(text, "issuers/index.md")
    assert set(listed_paths(index, "issuers/index.md")) == {"issuers/acme.md", "issuers/zeta.md"}
    assert index.entries()[0].description == "Maker of [anvils]."


@settings(max_examples=60, deadline=None)
@given(st.lists(pages, min_size=1, max_size=4, unique_by=lambda page: page.concept_id), st.randoms())
def test_indexes_do_not_depend_on_the_order_of_pages_and_conform(found: list[Page], rnd: random.Random) -> None:
    shuffled = list(found)
    rnd.shuffle(shuffled)
    indexes = render_indexes(found)
    assert render_indexes(shuffled) == indexes
    errors = [issue for issue in check_bundle(indexes) if issue.level is Level.ERROR]
    assert errors == []


def test_a_log_is_newest_first_with_one_heading_a_day() -> None:
    entries = [
        LogEntry(date(2026, 11, 29), LogKind.INGEST, "one"),
        LogEntry(date(2026, 11, 30), LogKind.INGEST, "two"),
        LogEntry(date(2026, 11, 30), LogKind.QUARANTINE, "three\nlines"),
    ]
    text = render_log(entries)
    assert text == (
        "# Bundle log\n\n## 2026-11-30\n\n* **Quarantine**: three lines\n* **Ingest**: two\n"
        "\n## 2026-11-29\n\n* **Ingest**: one\n"
    )
    log = read_log(text, "log.md")
    assert log.issues == ()
    first = log.entries[0]
    assert (first.day, first.kind, first.text) == (date(2026, 11, 30), "Quarantine", "three lines")


@given(st.lists(st.builds(LogEntry, st.dates(), st.sampled_from(LogKind), st.just("done")), max_size=6))
def test_any_rendered_log_conforms(entries: list[LogEntry]) -> None:
    assert is_conformant(check_bundle({"log.md": render_log(entries)}))
