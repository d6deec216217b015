import pytest

from tests.okf.pages import EXAMPLE, page_text
from viska_assets.model.page import ConceptType
from viska_assets.okf.amounts import has_amount
from viska_assets.okf.form import page_issues, path_issues
from viska_assets.okf.issue import Level
from viska_assets.okf.page import parse_page
from viska_assets.okf.slugs import concept_id, slugify


def codes(text: str, path: str = "issuers/acme.md") -> list[str]:
    return [issue.code for issue in page_issues(parse_page(text, path))]


def test_the_worked_example_is_well_formed() -> None:
    assert codes(EXAMPLE, "issuers/nvidia.md") == []


@pytest.mark.parametrize(
    ("body", "code", "line"),
    [
        ("# A\n\n<div>x</div>\n", "RAW_HTML", 10),
        ("# A\n\n<!-- hidden -->\n", "RAW_HTML", 10),
        ("# A\n\ntext <b>bold</b>\n", "RAW_HTML", 10),
        ("# A\n\n![x](https://example.org/x.png)\n", "REMOTE_IMAGE", 10),
        ("# A\n\n![x](//example.org/x.png)\n", "REMOTE_IMAGE", 10),
        ("# A\n\nzero\u200bwidth\n", "HIDDEN_CHARACTER", 10),
        ("# A\n\nbell \x07\n", "HIDDEN_CHARACTER", 10),
        ("# A\n\ntag \U000e0041\n", "HIDDEN_CHARACTER", 10),
        ("# A\n\ncafe\u0301\n", "NOT_NFC", 10),
        ("# A\n\non 06/07/2026 it rose\n", "AMBIGUOUS_DATE", 10),
        ("# A\n\n### C\n", "HEADING_ORDER", 10),
        ("## B\n", "HEADING_ORDER", 8),
        ("# A\n\n[x](/../../etc/passwd)\n", "PATH_TRAVERSAL", 10),
        ("# A\n\n```\nrevenue 999\n```\n", "CODE_BLOCK", 10),
    ],
)
def test_a_defect_of_the_body_is_named_with_its_line(body: str, code: str, line: int) -> None:
    issues = [issue for issue in page_issues(parse_page(page_text(body), "issuers/acme.md")) if issue.code == code]
    assert issues and issues[0].line == line
    assert issues[0].level is Level.ERROR


@pytest.mark.parametrize(
    "text", ["13/07/2026", "2026-07-06", "07/07/2026", "1/2 of it", "version 1.2.3", "6 July 2026"]
)
def test_clear_dates_and_other_numbers_are_not_ambiguous(text: str) -> None:
    assert "AMBIGUOUS_DATE" not in codes(page_text(f"# A\n\nIt was {text} then\n"))


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("# A\n\n# Citations\n\nRevenue was high.\n", "FOOT_DRIFT"),
        ("# A\n\nCitations\n===\n\nRevenue was high.\n", "FOOT_DRIFT"),
        ("# A\n\n# *Citations* #\n\nRevenue was high.\n", "FOOT_DRIFT"),
        ("# A\n\n[^zz]: Revenue was high.\n", "FOOT_DRIFT"),
        ("# A\n\n```\nApple is bankrupt\n```\n", "CODE_BLOCK"),
        ('# A\n\n[b](/issuers/b.md "Revenue was 9")\n', "LINK_TITLE_FIGURES"),
        ('# A\n\n[b]\n\n[b]: /issuers/b.md "Revenue was 9"\n', "LINK_TITLE_FIGURES"),
    ],
)
def test_no_exempt_place_can_hide_a_claim(body: str, code: str) -> None:
    issues = page_issues(parse_page(page_text(body), "issuers/acme.md"))
    assert code in {issue.code for issue in issues if issue.level is Level.ERROR}


def test_the_head_states_no_amount() -> None:
    text = page_text("# A\n").replace("A company.", "Revenue was $999 million.")
    assert codes(text) == ["HEAD_FIGURES"]
    assert codes(page_text("# A\n").replace("title: Acme", 'title: "Acme, up 20%"')) == ["HEAD_FIGURES"]
    assert codes(page_text("# A\n").replace("A company.", "Its fiscal 2025 ended on 2025-09-27.")) == []


def test_a_metric_may_show_its_formula() -> None:
    text = page_text("# M\n\n```\nebitda / sales\n```\n", kind="Metric")
    assert codes(text, "metrics/margin.md") == []


@pytest.mark.parametrize("text", ["$9", "9%", "9,999", "1.5", "12 million", "3 times", "2x", "9999999", "(4,123)"])
def test_amounts_are_seen(text: str) -> None:
    assert has_amount(f"sales {text} more")


@pytest.mark.parametrize(
    "text", ["2025", "10-K", "2025-09-27", "Q3 2025", "7-Eleven", "3M", "Phillips 66", "v1.2.3", "600519"]
)
def test_names_and_years_are_no_amounts(text: str) -> None:
    assert not has_amount(f"the {text} one")


def test_a_thesis_needs_its_view() -> None:
    assert "MISSING_SECTION" in codes(page_text("# A\n", kind="Thesis"), "theses/acme.md")
    assert "MISSING_SECTION" not in codes(page_text("# A\n\n## View\n", kind="Thesis"), "theses/acme.md")


def test_a_page_in_the_wrong_folder_is_named() -> None:
    assert codes(page_text("# A\n"), "theses/acme.md") == ["WRONG_FOLDER"]


def test_two_sources_of_one_id_are_named() -> None:
    sources = "sources:\n  - {id: c1, resource: /sources/s.md}\n  - {id: c1, resource: /sources/t.md}\n"
    assert codes(page_text("# A\n", sources=sources)).count("DUPLICATE_SOURCE") == 2


def test_a_source_outside_the_bundle_is_named() -> None:
    sources = "sources:\n  - {id: c1, resource: ../../secret.md}\n"
    assert "PATH_TRAVERSAL" in codes(page_text("# A\n", sources=sources))


def test_a_foot_that_differs_from_the_sources_is_named() -> None:
    assert "FOOT_DRIFT" in codes(EXAMPLE.replace('"115,186"\n\n', '"999,999"\n\n'), "issuers/nvidia.md")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../x.md", "PATH_TRAVERSAL"),
        ("/etc/x.md", "PATH_TRAVERSAL"),
        ("issuers/../x.md", "PATH_TRAVERSAL"),
        ("issuers\\x.md", "PATH_TRAVERSAL"),
        ("issuers/index.md", "RESERVED_NAME"),
        ("issuers/ø.md", "UNPORTABLE_PATH"),
    ],
)
def test_bad_paths_are_named(path: str, code: str) -> None:
    assert [issue.code for issue in path_issues(path)] == [code]


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Novo Nordisk A/S", "novo-nordisk-a-s"),
        ("Ørsted", "oersted"),
        ("AT&T Inc.", "at-and-t-inc"),
        ("Moody's", "moodys"),
        ("L'Oréal", "loreal"),
    ],
)
def test_names_become_slugs(name: str, slug: str) -> None:
    assert slugify(name) == slug


def test_a_name_without_letters_has_no_slug() -> None:
    with pytest.raises(ValueError, match="no slug"):
        slugify("…")


def test_a_concept_id_is_folder_and_slug() -> None:
    assert concept_id(ConceptType.THESIS, "Apple") == "theses/apple"
