"""Behaviour of the quantity reader: signs, scales, units, ranges, bounds, directions and exemptions."""

from decimal import Decimal

import pytest

from viska_assets.model.evidence import Bound, Unit
from viska_assets.text.cells import read_cell
from viska_assets.text.quantities import Role, read_quantities


def only(text: str, **kwargs: str):
    figures = [q for q in read_quantities(text, **kwargs) if q.is_figure]
    assert len(figures) == 1, [f.raw for f in figures]
    return figures[0]


@pytest.mark.parametrize(
    ("text", "value", "unit", "currency"),
    [
        ("Revenue of $3.2 billion", "3200000000", Unit.MONEY, "USD"),
        ("a charge of $(3.2) billion", "-3200000000", Unit.MONEY, "USD"),
        ("Umsatz 1,5 Mrd. EUR", None, Unit.MONEY, "EUR"),
        ("US$4.213bn", "4213000000", Unit.MONEY, "USD"),
        ("C$5m", "5000000", Unit.MONEY, "CAD"),
        ("RMB 5.2bn", "5200000000", Unit.MONEY, "CNY"),
        ("46 cents per share", "0.46", Unit.PER_SHARE, "USD"),
        ("450p", "4.50", Unit.MONEY, "GBP"),
        ("1.25 million shares", "1250000", Unit.SHARES, None),
        ("12 bps", "12", Unit.BASIS_POINT, None),
        ("1.2 percentage points", "1.2", Unit.PERCENTAGE_POINT, None),
        ("7 pct", "7", Unit.PERCENT, None),
        ("18.5 times earnings", "18.5", Unit.RATIO, None),
        ("1.5:1", "1.5", Unit.RATIO, None),
        ("a ten-for-one stock split", "10", Unit.RATIO, None),
        ("12.3k", "12300", Unit.COUNT, None),
        ("minus ten percent", "-10", Unit.PERCENT, None),
        ("three hundred and forty-two staff", "342", Unit.COUNT, None),
        ("₹ 1,23,456 lakh", "12345600000", Unit.MONEY, "INR"),
    ],
)
def test_value_unit_and_currency(text: str, value: str | None, unit: Unit, currency: str | None) -> None:
    figure = only(text, locale="de" if "Umsatz" in text else "en")
    assert figure.unit is unit
    assert figure.currency == currency
    assert figure.value == Decimal(value or "1500000000")


@pytest.mark.parametrize("text", ["12,34", "11,11.11", "1,O34", "l,234", "1・234", "12-10%", "1,23,456", "1000,2500"])
def test_malformed_numerals_are_not_repaired(text: str) -> None:
    assert all(q.malformed for q in read_quantities(f"It was {text} then") if q.is_figure)
    assert any(q.malformed for q in read_quantities(f"It was {text} then"))


@pytest.mark.parametrize(
    "text",
    ["Note 14", "Form 10-K", "Item 7A", "IFRS 16", "the S&P 500", "COVID-19", "a 52-week high", "3M", "SMA50",
     "VaR 95%", "FY2025", "Q2 2026", "June 30, 2026", "in 2012-13", "CIK 0000353278", "+1 212 555 0100",
     "ranked 2nd", "text[^3]"],
)  # fmt: skip
def test_names_references_and_dates_are_no_figures(text: str) -> None:
    assert [q.raw for q in read_quantities(text) if q.is_figure] == []


def test_a_count_before_a_noun_is_no_year() -> None:
    roles = [(q.raw, q.role) for q in read_quantities("The plant opened in 2019; 2018 units were sold.")]
    assert roles == [("2019", Role.PERIOD), ("2018", Role.FIGURE)]


def test_range_distributes_scale_unit_and_currency() -> None:
    low, high = read_quantities("Guidance is $4.0-4.2 billion.")
    assert (low.value, high.value) == (Decimal("4000000000"), Decimal("4200000000"))
    assert (low.bound, high.bound) == (Bound.RANGE_LOW, Bound.RANGE_HIGH)
    assert low.currency == high.currency == "USD"


def test_from_to_is_a_change_and_no_range() -> None:
    assert {q.bound for q in read_quantities("Margin rose from 10% to 12%")} == {Bound.EQUAL}


@pytest.mark.parametrize(
    ("text", "directions"),
    [
        ("Sales fell 5.2%", [-1]),
        ("Sales fell to $5 million", [0]),
        ("a net loss of $45 million", [-1]),
        ("revenue decreased by $31.3 million or 9.9%", [-1, -1]),
        ("a 35.3% increase over last year's 46 cents", [1, 0]),
        ("Net income (loss) of $5 million", [0]),
        ("up 12.5% from $88.9 million", [1, 0]),
    ],
)
def test_direction_words(text: str, directions: list[int]) -> None:
    assert [q.direction for q in read_quantities(text) if q.is_figure] == directions


def test_cell_with_open_bracket_and_tail() -> None:
    money = read_cell("(1,234", tail=")", unit=Unit.MONEY, scale=6, currency="USD")
    assert money is not None and money.value == Decimal("-1234000000")
    percent = read_cell("(5", tail=")%", scale=6)
    assert percent is not None and (percent.value, percent.unit) == (Decimal(-5), Unit.PERCENT)


def test_dash_is_zero_and_not_available_is_nothing() -> None:
    zero = read_cell("—", scale=6)
    assert zero is not None and zero.value == 0
    assert read_cell("n/a") is None and read_cell("") is None


def test_per_share_cell_takes_no_caption_scale() -> None:
    figure = read_cell("2.37", unit=Unit.PER_SHARE, scale=6, currency="USD")
    assert figure is not None and (figure.value, figure.currency) == (Decimal("2.37"), "USD")
