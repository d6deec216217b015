"""HTML: blocks, offsets back to the source, superscripts, layout tables, hidden parts and broken markup."""

from hypothesis import given
from hypothesis import strategies as st

from tests.ingest.conftest import chunks_of, page
from viska_assets.ingest.reading import read_document
from viska_assets.model.document import BlockKind


def test_blocks_come_in_reading_order() -> None:
    document = page(
        "<h1>Report</h1><p>First <b>bold</b>\n  words.</p><div><b>Item 7. Discussion</b></div>"
        "<ul><li>one</li><li>two</li></ul><table><tr><td>•</td><td>a bullet</td></tr></table><pre>a\n  b</pre>"
    )
    read = [(block.kind, block.span.of(document.text)) for block in document.blocks]
    assert read == [
        (BlockKind.HEADING, "Report"),
        (BlockKind.PARAGRAPH, "First bold words."),
        (BlockKind.HEADING, "Item 7. Discussion"),
        (BlockKind.LIST_ITEM, "one"),
        (BlockKind.LIST_ITEM, "two"),
        (BlockKind.LIST_ITEM, "• a bullet"),
        (BlockKind.PREFORMATTED, "a\n  b"),
    ]
    assert document.blocks[2].level == 2


def test_offsets_lead_back_to_the_source_through_entities_and_tags() -> None:
    source = (
        "<html><body><script>var x = '<p>1,234</p>';</script><p>A&nbsp;&amp;&#32;B <i>of</i> 5</p><!-- 1,234 -->"
        "<table><tr><td>Sales</td><td>$</td><td>1,234</td></tr><tr><td>Cost</td><td>$</td><td>(99</td><td>)</td></tr>"
        "</table></body></html>"
    )
    document = read_document(source.encode(), "page.html")
    for printed in ("B", "of", "1,234", "(99"):
        at = document.offsets.to_source(document.text.index(printed))
        assert source[at : at + len(printed)] == printed
    assert document.offsets.to_source(document.text.index("1,234")) == source.rindex("1,234")


def test_raised_footnotes_never_join_the_number_before_them() -> None:
    document = page(
        "<p>Sales of 15<sup>1</sup> and 10<span style='vertical-align:super'>(a)</span>, 1<sup>st</sup></p>"
    )
    assert document.text == "Sales of 15¹ and 10⁽ᵃ⁾, 1st"


def test_a_table_around_tables_only_lays_out() -> None:
    document = page(
        "<table><tr><td><p>Left</p></td><td><table><tr><td>Sales</td><td>5</td></tr><tr><td>Cost</td><td>4</td></tr></table>"
        "</td></tr></table>"
    )
    assert [block.kind for block in document.blocks] == [BlockKind.PARAGRAPH, BlockKind.TABLE]


def test_broken_and_deeply_nested_markup_is_read() -> None:
    document = page("<div>" * 3000 + "<p>deep<td>cell<b>unclosed <table><tr><td>x</td><td>7" + "</div>" * 10)
    assert "deep" in document.text
    assert "7" in document.text


def test_huge_spans_do_not_blow_up_the_grid() -> None:
    document = page(
        "<table><tr><td colspan=99999999>a</td><td>5</td></tr><tr><td rowspan=-3>b</td><td>6</td></tr></table>"
    )
    assert max(block.table.columns for block in document.blocks if block.table) <= 4


def test_entities_of_a_dtd_are_not_expanded_and_nothing_is_fetched() -> None:
    source = (
        '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">'
        '<!ENTITY x SYSTEM "file:///etc/hostname">]>'
        '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>T &b; &x; end</p></body></html>'
    )
    text = read_document(source.encode(), "x.html").text
    assert "aaaa" not in text
    assert "end" in text


WORDS = st.text(alphabet=st.sampled_from("abc12,. &<é€\u00a0\u00ad\u200b"), min_size=1, max_size=12)


@given(st.lists(st.tuples(st.sampled_from(["p", "td", "li", "b", "h2", "span"]), WORDS), max_size=12))
def test_no_visible_character_is_lost_and_every_span_is_true(parts: list[tuple[str, str]]) -> None:
    escaped = [(tag, text.replace("&", "&amp;").replace("<", "&lt;")) for tag, text in parts]
    body = "".join(
        f"<table><tr><td>{text}</td><td>{text}</td></tr></table>" if tag == "td" else f"<{tag}>{text}</{tag}>"
        for tag, text in escaped
    )
    document = page(f"<p>start</p>{body}")
    wanted = "".join(text * 2 if tag == "td" else text for tag, text in parts)
    hidden = str.maketrans("", "", "\u00ad\u200b \u00a0")
    assert "".join(document.text.split()).replace("|", "") == "start" + wanted.translate(hidden)
    for block in document.blocks:
        for cell in block.table.cells if block.table else ():
            assert cell.span.of(document.text) == cell.text
    joined = "".join("".join(chunk.text.split()) for chunk in chunks_of(document))
    assert joined == "".join(document.text.split())
