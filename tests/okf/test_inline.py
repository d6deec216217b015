import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viska_assets.okf.inline import read_inline, read_plain, read_with_parser

PLAIN_PIECES = ["Net sales ", "$5 ", "[^c1]", "[^d-2]", "[Acme](/issuers/acme.md)", "[b](./b.md#x)", "a\nb", "(x) "]
MARKUP = [*"*_`[]()\\x \n", "**", "&amp;", "<b>", "![i](u.png)", "[c1](/u)"]


@given(st.lists(st.sampled_from(PLAIN_PIECES), max_size=8).map("".join))
def test_the_plain_reader_agrees_with_the_parser(content: str) -> None:
    content = content.strip()
    plain = read_plain(content)
    if plain is not None:
        parsed = read_with_parser(content, (), {})
        assert (plain.text, plain.marks, plain.links) == (parsed.text, parsed.marks, parsed.links)
        assert [plain.to_content(at) for at in range(len(plain.text))] == [
            parsed.to_content(at) for at in range(len(parsed.text))
        ]


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PLAIN_PIECES + MARKUP), max_size=10).map("".join))
def test_both_readers_agree_on_arbitrary_markup(content: str) -> None:
    content = content.strip()
    plain = read_plain(content)
    parsed = read_with_parser(content, (), {})
    if plain is not None:
        assert (plain.text, plain.marks, plain.links) == (parsed.text, parsed.marks, parsed.links)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PLAIN_PIECES + MARKUP), max_size=10).map("".join))
def test_every_visible_character_stands_where_the_map_says(content: str) -> None:
    content = content.strip()
    inline = read_inline(content, (), {})
    for at, character in enumerate(inline.text):
        place = inline.to_content(at)
        assert 0 <= place < len(content)
        assert content[place] in {character, "\n", "&", "\\"} or character == " "


def test_emphasis_code_links_and_entities_leave_only_what_a_reader_sees() -> None:
    content = r"a *b* `c  d` [x **y**](</a b.md> 't') z[^c1]. &amp; \* end"
    inline = read_inline(content, (), {})
    assert inline.text == "a b c  d x y z. & * end"
    assert inline.links[0].target == "/a%20b.md"
    assert content[inline.to_content(inline.text.index("end")) :] == "end"
    assert [(mark.label, content[mark.start : mark.end]) for mark in inline.marks] == [("c1", "[^c1]")]


def test_adjacent_bare_brackets_are_two_citations() -> None:
    assert [mark.label for mark in read_inline("claim.[1][2]", (), {}).marks] == ["1", "2"]


def test_the_link_form_of_a_citation_is_tracked_beside_the_bare_form() -> None:
    inline = read_inline("first[c1](/s.md), second[c9], third[nvda-10k] [sic]", {"c1", "nvda-10k"}, {})
    assert [mark.label for mark in inline.marks] == ["c1", "c9", "nvda-10k"]
    assert inline.text == "first, second, third [sic]"


def test_a_mark_in_code_is_text() -> None:
    assert read_inline("`x[^c1]`", (), {}).marks == []


@pytest.mark.parametrize("content", ["a <b>x</b>", "a <!-- hidden --> b"])
def test_inline_html_is_reported_and_not_visible(content: str) -> None:
    inline = read_inline(content, (), {})
    assert inline.html
    assert "<" not in inline.text


def test_an_inline_footnote_stays_visible_text() -> None:
    assert "hidden" in read_inline("fact^[hidden $5]", (), {}).text
