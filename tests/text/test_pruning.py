"""The quick look at how an expression begins turns nothing away that the whole pattern finds."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viska_assets.text import periods, spelled

VOCABULARY = [
    "three",
    "months",
    "ended",
    "June",
    "30",
    "2024",
    "fiscal",
    "year",
    "FY25",
    "Q3",
    "3Q",
    "H1",
    "9M",
    "first",
    "second",
    "quarter",
    "half",
    "from",
    "to",
    "May",
    "2,",
    "of",
    "the",
    "full",
    "financial",
    "twelve",
    "weeks",
    "nine",
    "Dec.",
    "31",
    "2023-2024",
    "F2024",
    "a",
    "an",
    "dozen",
    "hundred",
    "million",
    "doubled",
    "threefold",
    "one",
    "ten",
    "eleven",
    "zero",
    "seventeen",
    "forty-two",
    "and",
    "a half",
    "third",
    "halved",
    "quadrupled",
    "tenfold",
    "1st",
    "2024E",
    "12/31/2024",
]
TEXTS = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=10).map(" ".join)


@pytest.mark.parametrize(
    ("pattern", "begins"),
    [(periods._PATTERN, periods._BEGINS), (spelled._WORD, spelled._BEGINS)],
)
def test_the_pruned_pattern_finds_what_the_whole_one_finds(pattern: re.Pattern[str], begins: str) -> None:
    assert begins in pattern.pattern
    whole = re.compile(pattern.pattern.replace(begins, "", 1), pattern.flags)

    @settings(max_examples=300, deadline=None)
    @given(st.one_of(TEXTS, TEXTS.map(str.upper), TEXTS.map(str.title)))
    def check(text: str) -> None:
        assert [m.span() for m in pattern.finditer(text)] == [m.span() for m in whole.finditer(text)]

    check()
