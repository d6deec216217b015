"""A model's words: those of the cited place and plain ones, and nothing that could be read as markup."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from viska_assets.maintain.llm.converting import ADDRESS, escape_words
from viska_assets.maintain.llm.wording import NEUTRAL, unfounded_words

CELL = ("Total net sales", "Year ended 2024-09-28", "Revenue")
QUOTE = ("Services net sales were $96.2 billion, up 13%.",)


@pytest.mark.parametrize(
    ("text", "said", "words"),
    [
        ("Revenue was $391,035 million{0} in the year ended 2024-09-28.", CELL, []),
        ("Total net sales were $391,035 million{0}.", CELL, []),
        ("Revenue rose to $391,035 million{0}.", CELL, ["rose"]),
        ("Revenue was not $391,035 million{0}.", CELL, ["not"]),
        ("“Services net sales were $96.2 billion, up 13%.”", QUOTE, []),
        ("Services’ net sales were down 13%{0}.", QUOTE, ["down"]),
        ("Apple's Services net sales were $96.2 billion{0}.", QUOTE, []),
        ("Contoso's Services net sales were $96.2 billion{0}.", QUOTE, ["contoso"]),
        ("Ｂｕｙ now", QUOTE, ["buy", "now"]),
    ],
)
def test_words_come_from_the_cited_place(text: str, said: tuple[str, ...], words: list[str]) -> None:
    assert unfounded_words(text, (*said, "apple")) == words


def test_plain_words_neither_negate_nor_compare() -> None:
    assert not NEUTRAL & set(
        [
            "no",
            "not",
            "never",
            "none",
            "without",
            "less",
            "more",
            "than",
            "above",
            "below",
            "up",
            "down",
            "rose",
            "fell",
            "buy",
            "sell",
        ]
    )


@given(st.text(alphabet=st.sampled_from("[]()<>!*_`#|~&\\{}-+=:/.\n ahtps1"), max_size=60))
def test_no_markup_survives(text: str) -> None:
    if ADDRESS.search(text):
        return
    escaped = escape_words(text)
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(f"* x {escaped}\n")
    inline = [child.type for token in tokens for child in token.children or ()]
    assert set(inline) <= {"text", "text_special", "entity"}
    assert not re.search(r"\{name of", escaped)


WITH_MARKUP = """
see https://x.example
HTTP://x
www.x.example
[a](/issuers/b.md)
![a](b)
<b>
</p>
<!--
mailto:a@b
javascript:alert(1)
data:text/html,x
ftp://x
"""


@pytest.mark.parametrize("text", WITH_MARKUP.split("\n")[1:-1])
def test_addresses_and_markup_are_seen(text: str) -> None:
    assert ADDRESS.search(text)


@pytest.mark.parametrize("text", ["margin < 5%", "ratio 3:1", "A/B", "S&P 500", "profit (loss) [restated]"])
def test_plain_signs_are_no_addresses(text: str) -> None:
    assert not ADDRESS.search(text)
