"""Numbers of tables: one number from many cells, and unit, scale, labels and period from what stands around it."""

from datetime import date
from decimal import Decimal

import pytest

from tests.ingest.conftest import evidence_in, page, table
from viska_assets.model.evidence import Basis, Evidence, Period, ScaleSource, Unit


def numbers(*rows: str, before: str = "") -> list[Evidence]:
    return evidence_in(page(table(*rows, before=before)))


def by_label(evidence: list[Evidence], label: str) -> list[Evidence]:
    return [one for one in evidence if one.row_path and one.row_path[-1] == label]


def test_signs_brackets_and_percents_in_neighbouring_cells_are_one_number() -> None:
    found = numbers(
        "(in millions) | | 2024 | | | 2023 | ",
        "Loss | $ | (1,234 | ) | $ | (56 | )",
        "Change | | (5.2 | )% | | 7 | %",
        "Leverage | | 2.4 | x | | 2.1 | x",
    )
    assert [(one.value, one.unit) for one in found] == [
        (Decimal("-1234000000"), Unit.MONEY),
        (Decimal("-56000000"), Unit.MONEY),
        (Decimal("-5.2"), Unit.PERCENT),
        (Decimal("7"), Unit.PERCENT),
        (Decimal("2.4"), Unit.RATIO),
        (Decimal("2.1"), Unit.RATIO),
    ]


def test_a_missing_value_keeps_its_column() -> None:
    found = numbers("$ in thousands | 2024 | 2023 | 2022", "Goodwill | 500 | | 300", "Other assets | 1 | 2 | 3")
    assert [one.column_path for one in by_label(found, "Goodwill")] == [("2024",), ("2022",)]


def test_a_dash_is_zero_and_na_is_no_value() -> None:
    found = numbers("(in millions) | 2024 | 2023", "Sales | $5 | $6", "Impairment | — | n/a")
    dash = by_label(found, "Impairment")
    assert [(one.value, one.column_path) for one in dash] == [(Decimal(0), ("2024",))]


def test_spanned_headers_stand_over_all_their_columns() -> None:
    body = (
        "<table><tr><td></td><td colspan=4>Three Months Ended</td><td colspan=4>Six Months Ended</td></tr>"
        "<tr><td>(In millions)</td><td colspan=2>Jul 27, 2025</td><td colspan=2>Jul 28, 2024</td>"
        "<td colspan=2>Jul 27, 2025</td><td colspan=2>Jul 28, 2024</td></tr>"
        "<tr><td>Revenue</td><td>$</td><td>46,743</td><td>$</td><td>30,040</td><td>$</td><td>90,805</td><td>$</td>"
        "<td>56,084</td></tr></table>"
    )
    found = evidence_in(page(body))
    assert found[1].column_path == ("Three Months Ended", "Jul 28, 2024")
    assert found[2].column_path == ("Six Months Ended", "Jul 27, 2025")
    assert found[2].period == Period(date(2025, 7, 27), date(2025, 1, 28))


def test_sections_lead_the_row_path_and_row_spans_label_every_row() -> None:
    body = (
        "<table><tr><td></td><td></td><td>2024</td><td>2023</td></tr><tr><td>Americas:</td><td></td><td></td><td></td></tr>"
        "<tr><td rowspan=2>Net sales</td><td>gross</td><td>$10</td><td>$11</td></tr>"
        "<tr><td>net</td><td>$8</td><td>$9</td></tr></table>"
    )
    found = evidence_in(page(body))
    assert found[0].row_path == ("Americas", "Net sales gross")
    assert found[2].row_path[0] == "Americas"
    assert "net" in found[2].row_path[-1]


@pytest.mark.parametrize(
    ("note", "label", "printed", "value", "unit", "source"),
    [
        ("(in millions, except per share data)", "Diluted earnings per share", "$6.08", "6.08", Unit.PER_SHARE, "none"),
        ("(in millions, except share and per share data)", "Shares outstanding", "1,500", "1500", Unit.SHARES, "note"),
        ("(in millions, except shares in thousands)", "Shares outstanding", "1,500", "1500000", Unit.SHARES, "note"),
        ("(in millions)", "Effective tax rate", "24.1", "24.1", Unit.PERCENT, "none"),
        ("(in millions)", "Weighted-average shares", "1,500", "1500000000", Unit.SHARES, "note"),
        ("(Millions, except employees)", "Employees", "37,412", "37412", Unit.COUNT, "note"),
        ("(dollars in thousands)", "Revenue", "$1,500", "1500000", Unit.MONEY, "note"),
        ("", "Revenue", "$1,500", "1500", Unit.MONEY, "none"),
        ("", "Revenue", "$1.5 billion", "1500000000", Unit.MONEY, "cell"),
    ],
)
def test_only_the_right_class_of_row_inherits_the_scale(
    note: str, label: str, printed: str, value: str, unit: Unit, source: str
) -> None:
    before = f"<p>{note}</p>" if note else ""
    found = by_label(
        numbers(" | 2024 | 2023", "Net sales | $10 | $11", f"{label} | {printed} | 1", before=before), label
    )
    assert (found[0].value, found[0].unit, found[0].scale_source) == (Decimal(value), unit, ScaleSource(source))


def test_the_nearest_statement_wins() -> None:
    found = numbers(
        " | 2024 (in thousands) | 2023",
        "Sales | $5 | $5",
        "Fees (in billions) | $5 | $5",
        before="<p>(in millions)</p>",
    )
    assert [(one.value, one.scale_source) for one in found] == [
        (Decimal(5000), ScaleSource.COLUMN),
        (Decimal(5_000_000), ScaleSource.NOTE),
        (Decimal(5000), ScaleSource.COLUMN),
        (Decimal(5_000_000_000), ScaleSource.ROW),
    ]


def test_things_in_thousands_are_counts_not_money() -> None:
    found = numbers("Production | 2024 | 2023", " | (thousands of barrels daily)", "Permian | 1,200 | 600")
    assert (found[0].value, found[0].unit, found[0].currency) == (Decimal(1_200_000), Unit.COUNT, None)


@pytest.mark.parametrize(
    ("rows", "period"),
    [
        (("(in millions) | December 31, 2024", "Cash | $5"), Period(date(2024, 12, 31))),
        (("Years ended December 31, | 2024", "Sales | $5"), Period(date(2024, 12, 31), date(2024, 1, 1))),
        (("As of December 31, | 2024", "Inventories | $5"), Period(date(2024, 12, 31))),
        (("(in millions) | Q2 2025", "Sales | $5"), Period(date(2025, 6, 30), date(2025, 4, 1))),
        (("(in millions) | Total", "Balance at June 30, 2024 | $5"), Period(date(2024, 6, 30))),
        (("Year ended December 31, | 2024", "Cash at beginning of year | $5"), Period(date(2023, 12, 31))),
        (("Year ended December 31, | 2024", "Cash at end of year | $5"), Period(date(2024, 12, 31))),
    ],
)
def test_periods_come_from_columns_corners_and_rows(rows: tuple[str, ...], period: Period) -> None:
    assert numbers(*rows)[0].period == period


def test_numbers_inside_labels_are_read_with_their_own_units() -> None:
    found = numbers(
        "(in millions, except shares in thousands and par value) | 2024 | 2023",
        "Common stock, $0.001 par value: 50,400 shares authorized; 15,116 and 15,550 shares issued | $83 | $73",
    )
    read = {one.printed: (one.value, one.unit) for one in found}
    assert read["$0.001"] == (Decimal("0.001"), Unit.PER_SHARE)
    assert read["50,400"] == (Decimal(50_400_000), Unit.SHARES)
    assert read["15,116"] == (Decimal(15_116_000), Unit.SHARES)
    assert read["$83"] == (Decimal(83_000_000), Unit.MONEY)


def test_footnote_marks_are_no_digits() -> None:
    found = evidence_in(
        page(
            "<table><tr><td></td><td>2024</td></tr><tr><td>Sales<sup>2</sup></td><td>$15<sup>(1)</sup></td></tr></table>"
        )
    )
    assert [(one.printed, one.row_path) for one in found] == [("$15", ("Sales",))]


def test_stated_basis_is_kept_and_silence_is_none() -> None:
    found = numbers("(in millions) | 2024", "Adjusted EBITDA (non-GAAP) | $5", "Net income | $4")
    assert [one.basis for one in found] == [Basis.NON_GAAP, None]


def test_other_currencies_come_from_header_and_sign() -> None:
    found = numbers(
        " | 2019 | 2018", " | €m | €m", "Investment income | 433 | 685", "Financing costs | (2,088) | (1,074)"
    )
    assert [(one.value, one.currency) for one in found][:2] == [
        (Decimal(433_000_000), "EUR"),
        (Decimal(685_000_000), "EUR"),
    ]


def test_cells_have_addresses() -> None:
    found = numbers("(in millions) | 2024 | 2023", "Sales | $5 | $6")
    assert [one.cell for one in found] == ["B2", "C2"]


def test_a_comparison_of_years_has_no_period_of_its_own() -> None:
    found = numbers("(in millions) | 2024 | 2023 | 2024 vs. 2023", "Sales | $5 | $6 | $(1)")
    assert [one.period is None for one in found] == [False, False, True]


def test_a_lone_time_or_scale_over_one_column_stands_over_all() -> None:
    found = numbers(
        " | | Year Ended December 31, | ", " | 2018 | 2017 | 2016", " | | (in thousands) | ", "Sales | $5 | $6 | $7"
    )
    assert {(one.value, one.scale_source) for one in found} == {
        (Decimal(value), ScaleSource.COLUMN) for value in (5000, 6000, 7000)
    }
    assert found[0].period == Period(date(2018, 12, 31), date(2018, 1, 1))


def test_intensities_are_no_scale_and_lakh_are_rupees() -> None:
    found = numbers(" | 2019", "Normalised per $ million of revenues | 10.67", before="<p>Emissions</p>")
    assert found[0].value == Decimal("10.67")
    found = numbers("Name | Fees | Total", " | ( lakh) | ", "Mehta | 4.80 | 319.80")
    assert [(one.value, one.currency) for one in found] == [(Decimal(480_000), "INR"), (Decimal(31_980_000), "INR")]


def test_an_excepted_word_in_the_note_itself_excepts_nothing() -> None:
    found = numbers(" | 2019 | % of sales", " | (In thousands, except percentages) | ", "License | $64,798 | 47.1")
    assert [one.value for one in found] == [Decimal(64_798_000), Decimal("47.1")]
