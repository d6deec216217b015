import pytest
from hypothesis import given, settings

from tests.okf.pages import EXAMPLE, page_text, pages
from viska_assets.model.claim_unit import ClaimUnit, UnitKind
from viska_assets.model.page import Page
from viska_assets.okf.claims import claim_units
from viska_assets.okf.errors import OkfError
from viska_assets.okf.page import parse_page, render_page

SOURCES = "sources:\n  - {id: c1, resource: /sources/s.md}\n  - {id: c2, resource: /sources/s.md}\n"


def units(body: str) -> list[ClaimUnit]:
    return list(claim_units(parse_page(page_text(body, sources=SOURCES), "issuers/acme.md")))


def marks(unit: ClaimUnit) -> list[str]:
    return [mark.source_id for mark in unit.marks]


def test_sentences_carry_their_own_marks_only() -> None:
    found = units("Revenue **rose** in\n  2025.[^c1] It fell. [^c2] And more.\n")
    assert [(unit.text, marks(unit)) for unit in found] == [
        ("Revenue rose in 2025.", ["c1"]),
        ("It fell.", ["c2"]),
        ("And more.", []),
    ]


def test_every_place_is_one_of_the_page_file() -> None:
    text = page_text("> quoted *word*\n> [A](/issuers/a.md) **$5** million[^c1].\n", sources=SOURCES)
    (unit,) = claim_units(parse_page(text, "issuers/acme.md"))
    at = unit.offsets.to_source(unit.text.index("$5"))
    assert text[at : at + 2] == "$5"
    assert unit.marks[0].span.of(text) == "[^c1]"
    assert unit.span.of(text).startswith("quoted") and unit.span.of(text).endswith(".")


def test_carriage_returns_do_not_shift_places() -> None:
    text = page_text("# Acme\n\nOne.\n\nTwo $7.\n").replace("\n", "\r\n")
    last = claim_units(parse_page(text, "issuers/acme.md"))[-1]
    assert last.span.of(text) == "Two $7."


def test_cells_know_their_row_and_column() -> None:
    cells = [unit for unit in claim_units(parse_page(EXAMPLE, "issuers/nvidia.md")) if unit.kind is UnitKind.CELL]
    figure = cells[-1]
    assert (figure.text, figure.row_label, figure.column_label) == (
        "$115,186 million",
        "Data Center revenue",
        "Fiscal 2025",
    )
    assert marks(figure) == ["c1"]
    assert [cell.exempt for cell in cells] == ["label", "label", "label", ""]


def test_a_label_that_states_an_amount_is_a_claim() -> None:
    cells = units("| a | up 20% |\n|--|--|\n| Revenue $9 million | x[^c1] |\n| Fiscal 2025 | y[^c1] |\n")
    assert [(cell.text, cell.exempt) for cell in cells if not marks(cell)] == [
        ("a", "label"),
        ("up 20%", ""),
        ("Revenue $9 million", ""),
        ("Fiscal 2025", "label"),
    ]


def test_a_cell_inherits_the_mark_of_its_rows_last_column_or_of_the_caption() -> None:
    body = "Table 1: Sales[^c1]\n\n| a | b | |\n|--|--|--|\n| l | 4 \\| 5 | [^c2] |\n| m | 6 | |\n"
    cells = [unit for unit in units(body) if unit.kind is UnitKind.CELL and not unit.exempt]
    assert [(cell.text, marks(cell)) for cell in cells] == [("4 | 5", ["c2"]), ("6", ["c1"])]


def test_a_cell_with_an_escaped_bar_keeps_its_places() -> None:
    text = page_text("| a | b |\n|--|--|\n| l | x \\| $5 |\n")
    cell = claim_units(parse_page(text, "issuers/acme.md"))[-1]
    at = cell.offsets.to_source(cell.text.index("$5"))
    assert text[at : at + 2] == "$5"


@pytest.mark.parametrize(
    ("item", "exempt"),
    [
        ("* [Annual report for fiscal 2025](/events/e.md)", "navigation"),
        ("* [A](/a.md), [B](b.md)", "navigation"),
        ("* [Revenue was $999 million](/a.md)", ""),
        ("* [Revenue was 999,000,000](/a.md)", ""),
        ("* [Apple Inc. 10-K](/a.md)", "navigation"),
        ("* [A](/a.md) grew 12", ""),
        ("* [A](https://example.org/a.md)", ""),
    ],
)
def test_only_lists_of_page_links_are_navigation(item: str, exempt: str) -> None:
    assert [unit.exempt for unit in units(item + "\n")] == [exempt]


@pytest.mark.parametrize(
    ("name", "exempt"), [("judgement", "judgement"), ("open_question", "open_question"), ("note", "")]
)
def test_declared_callouts_are_exempt_and_still_units(name: str, exempt: str) -> None:
    found = units(f"> [!{name}]\n> We like it at $5. So there.\n")
    assert [(unit.text, unit.exempt) for unit in found] == [("We like it at $5.", exempt), ("So there.", exempt)]


def test_a_callout_ends_with_its_quote() -> None:
    assert [unit.exempt for unit in units("> [!judgement]\n> So.\n\nPlain.\n")] == ["judgement", ""]


def test_the_generated_foot_yields_no_units_and_a_foreign_one_exempt_ones() -> None:
    assert "Citations" not in {unit.section for unit in claim_units(parse_page(EXAMPLE, "issuers/nvidia.md"))}
    foreign = units("# Acme\n\n# Citations\n\n[1] Somewhere, $999 million.\n")
    assert [unit.exempt for unit in foreign] == ["heading", "heading", "citations"]


def test_units_know_their_section() -> None:
    assert [unit.section for unit in units("# A\n\n## B\n\nText.\n")] == ["A", "B", "B"]


@settings(max_examples=150, deadline=None)
@given(pages)
def test_units_of_any_page_lie_inside_its_file(page: Page) -> None:
    try:
        text = render_page(page)
    except OkfError:
        return
    for unit in claim_units(parse_page(text, page.path)):
        assert unit.span.end <= len(text)
        assert all(0 <= mark.at <= len(unit.text) for mark in unit.marks)
        assert all(unit.offsets.to_source(at) < len(text) for at in range(len(unit.text)))
