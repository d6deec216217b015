import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.okf.pages import EXAMPLE
from viska_assets.okf.blocks import Part, read_tree
from viska_assets.okf.page import parse_page
from viska_assets.okf.plain_blocks import read_plain_blocks
from viska_assets.okf.positions import LineTable

PLAIN = [
    "",
    "# Title",
    "## Key figures",
    "* [Item](/a.md)",
    "* “Quote”[^c1]",
    "Plain text[^c1] of a line.",
    "$5 million more",
    "| a | b |",
    "| --- | --- |",
    "| 1 |  |",
    "|  | 2 |",
    "||",
]
ODD = [
    "---",
    "===",
    "> quote",
    "1. one",
    "12) two",
    "- dash",
    "*** ",
    "***",
    "  indented",
    "    code",
    "```",
    "[x]: /u",
    "[^c1]: def",
    "<b>",
    "a | b",
    "--|--",
    "| 1 | 2 | 3 |",
    "| 1 \\| 2 | 3 |",
    "# closed #",
    "#no",
    "*tight*",
    "* ",
    "*",
    "* # in list",
    "* 1. in list",
    "tab\there",
    "soft  ",
    "\u00a0",
    "* a | b",
    "| :-- | --- |",
    "#",
    "|",
    "| `a | b` |",
    "2026 was",
    "3.",
    "(a) b",
]


def tree(text: str) -> object:
    return read_tree(text, 0, len(text), LineTable.of(text)).blocks


@settings(max_examples=600, deadline=None)
@given(st.lists(st.sampled_from(PLAIN + ODD), max_size=9).map("\n".join))
@example("* a\n\n* b\n\ntext\n# h\n\n| a | b |\n| --- | --- |\n| 1 |  |\n")
def test_the_plain_reader_gives_the_tree_or_gives_up(body: str) -> None:
    plain = read_plain_blocks(body, 0, len(body))
    if plain is not None:
        assert plain == tree(body)


@settings(max_examples=600, deadline=None)
@given(st.lists(st.sampled_from(PLAIN), max_size=12).map("\n".join))
def test_plain_bodies_of_any_order_agree_with_the_tree(body: str) -> None:
    plain = read_plain_blocks(body, 0, len(body))
    if plain is not None:
        assert plain == tree(body)


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("#*|-> \n\tab1.)[]^:`~$\\<"), max_size=40))
def test_noise_agrees_with_the_tree(body: str) -> None:
    plain = read_plain_blocks(body, 0, len(body))
    if plain is not None:
        assert plain == tree(body)


def test_what_the_renderer_writes_is_plain() -> None:
    parsed = parse_page(EXAMPLE, "issuers/nvidia.md")
    assert read_plain_blocks(EXAMPLE, parsed.body_start, parsed.foot_start) is not None


@pytest.mark.parametrize(
    ("body", "parts"),
    [
        ("> [!judgement]\n> so\n", [Part.PARAGRAPH]),
        ("```\ncode\n```\n", [Part.CODE]),
        ("<div>\nx\n</div>\n", [Part.HTML]),
        ("[^c1]: note\n", [Part.DEFINITION]),
        ("* a\n  * b\n", [Part.LIST_ITEM, Part.LIST_ITEM]),
    ],
)
def test_everything_else_goes_through_the_tree(body: str, parts: list[Part]) -> None:
    assert read_plain_blocks(body, 0, len(body)) is None
    assert [block.part for block in read_tree(body, 0, len(body), LineTable.of(body)).blocks] == parts
