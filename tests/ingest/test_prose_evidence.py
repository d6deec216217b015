"""Numbers of sentences: scale words, shares, par values, and the period each number belongs to."""

from datetime import date
from decimal import Decimal

import pytest

from tests.ingest.conftest import evidence_in, page
from viska_assets.model.evidence import Period, ScaleSource, Scenario, Unit


def readings(sentence: str) -> list[tuple[Decimal, Unit]]:
    return [(one.value, one.unit) for one in evidence_in(page(f"<p>{sentence}</p>"))]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Revenue was $1.5 billion.", [("1500000000", Unit.MONEY)]),
        ("We lost $(3.2) billion.", [("-3200000000", Unit.MONEY)]),
        ("Margin rose 130 basis points to 38.7%.", [("130", Unit.BASIS_POINT), ("38.7", Unit.PERCENT)]),
        ("We repurchased 31 million shares at $5.10 per share.", [("31000000", Unit.SHARES), ("5.10", Unit.PER_SHARE)]),
        (
            "Total shares withheld were 31 million and 37 million.",
            [("31000000", Unit.SHARES), ("37000000", Unit.SHARES)],
        ),
        ("The stock has a par value of $0.01.", [("0.01", Unit.PER_SHARE)]),
        ("See Note 14 and Item 7A of Form 10-K.", []),
    ],
)
def test_prose_is_read_as_printed(sentence: str, expected: list[tuple[str, Unit]]) -> None:
    assert readings(sentence) == [(Decimal(value), unit) for value, unit in expected]


def periods(sentence: str) -> list[Period | None]:
    return [one.period for one in evidence_in(page(f"<p>{sentence}</p>"))]


YEAR_2023 = Period(date(2023, 12, 31), date(2023, 1, 1))
YEAR_2024 = Period(date(2024, 12, 31), date(2024, 1, 1))


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Sales were $5 million in 2024.", [YEAR_2024]),
        ("Sales were $5 million in 2024 compared to $4 million in 2023.", [YEAR_2024, YEAR_2023]),
        ("Sales were $5 million and $4 million in 2024 and 2023, respectively.", [YEAR_2024, YEAR_2023]),
        (
            "Debt was $5 million and $4 million as of December 31, 2024 and 2023.",
            [Period(date(2024, 12, 31)), Period(date(2023, 12, 31))],
        ),
        (
            "For the three and six months ended June 30, 2024, cost was $5 million and $9 million.",
            [Period(date(2024, 6, 30), date(2024, 4, 1)), Period(date(2024, 6, 30), date(2024, 1, 1))],
        ),
        ("Sales were $5 million.", [None]),
    ],
)
def test_each_number_takes_the_period_its_sentence_gives_it(sentence: str, expected: list[Period | None]) -> None:
    assert periods(sentence) == expected


def test_guidance_is_marked() -> None:
    found = evidence_in(page("<p>We expect revenue of $5 million in fiscal 2026.</p>"))
    assert found[0].scenario is Scenario.GUIDANCE


def test_scale_stated_for_all_amounts_reaches_the_prose() -> None:
    body = "<p>Amounts in millions of dollars unless otherwise specified.</p><p>Net cash used was $1,234.</p>"
    found = evidence_in(page(body))
    assert (found[-1].value, found[-1].scale_source) == (Decimal(1_234_000_000), ScaleSource.DOCUMENT)


def test_prose_without_a_statement_stays_unscaled() -> None:
    found = evidence_in(page("<p>The fee was $1,234.</p>"))
    assert (found[0].value, found[0].scale, found[0].scale_source) == (Decimal(1234), 0, ScaleSource.NONE)


def test_prose_that_prints_bare_amounts_takes_the_tables_scale() -> None:
    body = "<p>(Dollars in millions, except per share data)</p>" + "".join(
        f"<p>Orders of year {n} were $1,2{n} and costs were ${n}7.</p>" for n in range(10, 30)
    )
    orders = [one for one in evidence_in(page(body)) if one.unit is Unit.MONEY]
    assert (orders[0].printed, orders[0].value) == ("$1,210", Decimal(1_210_000_000))
    assert orders[0].scale_source is ScaleSource.DOCUMENT


def test_prose_with_scale_words_does_not_take_the_tables_scale() -> None:
    body = "<p>(Dollars in millions)</p>" + "".join(f"<p>Sales were ${n} million.</p>" for n in range(10, 40))
    found = evidence_in(page(body + "<p>The filing fee was $350.</p>"))
    assert (found[-1].value, found[-1].scale) == (Decimal(350), 0)
