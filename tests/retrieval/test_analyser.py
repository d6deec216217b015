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
        ("Operating expenses and losses", ["operating", "expenses", "expense", "losses", "loss"]),
        ("taxes on securities", ["taxes", "tax", "securities", "security"]),
        ("gas, class, basis, status", ["gas", "class", "basis", "status"]),
        ("September 28, 2024", ["september", "28", "2024", "2024-09-28"]),
        ("on 3 Sept. 2019", ["3", "sept", "2019", "2019-09-03"]),
        ("december 31 , 2007", ["december", "31", "2007", "2007-12-31"]),
        ("May 45, 2019", ["may", "45", "2019"]),
        ("Omsætning mio. kr.", ["omsætning", "mio", "kr"]),
        ("", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms_of(text) == expected


def test_a_question_and_a_filing_share_the_amount_however_it_is_written() -> None:
    assert set(terms_of("$1,577.00")) & set(terms_of("1577")) == {"1577"}


def test_a_date_is_found_in_words_and_in_digits() -> None:
    assert "2024-09-28" in set(terms_of("as of 2024-09-28")) & set(terms_of("at September 28, 2024"))
    assert "2024-09-28" in set(terms_of("28 September 2024")) & set(terms_of("SEPT 28, 2024"))


def test_singular_and_plural_meet_in_the_singular() -> None:
    for one, many in (("expense", "expenses"), ("loss", "losses"), ("liability", "liabilities"), ("tax", "taxes")):
        assert one in set(terms_of(one)) & set(terms_of(many))
