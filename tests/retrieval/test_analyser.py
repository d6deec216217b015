"""Terms as finance writes them."""

import pytest

from viska_assets.retrieval.analyser import terms_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FY2018 revenue", ["fy2018", "2018", "revenue"]),
        ("in FY18", ["fy18", "2018"]),
        ("$1,577.00", ["1,577.00", "1577.00", "1577"]),
        ("1,577", ["1,577", "1577"]),
        ("INR 1,23,456 lakh", ["inr", "1,23,456", "123456", "lakh"]),
        ("the Form 10-K", ["form", "10-k"]),
        ("BRK-B fell", ["brk-b", "brk", "fell"]),
        ("us-gaap:Revenues", ["us-gaap:revenues"]),
        ("as of 2024-09-28", ["2024-09-28"]),
        ("S&P 500", ["s&p", "500"]),
        ("Apple's year-end", ["apple's", "apple", "year-end", "year", "end"]),
        ("Omsætning mio. kr.", ["omsætning", "mio", "kr"]),
        ("", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms_of(text) == expected


def test_a_question_and_a_filing_share_the_amount_however_it_is_written() -> None:
    assert set(terms_of("$1,577.00")) & set(terms_of("1577")) == {"1577"}
