"""The edges of the room: the inspection page, llama-index nodes, and what they keep of a chunk."""

from html.parser import HTMLParser

import pytest

from tests.ingest.conftest import chunks_of, evidence_in, page, read_chunks_of, table
from viska_assets.ingest.inspect import inspect_html, inspect_text
from viska_assets.ingest.llama_nodes import from_node, to_node

BODY = "<h1>Acme &lt;script&gt;alert(1)&lt;/script&gt;</h1>" + table(
    "(in millions) | 2024 | 2023", 'Sales "net" <b>&amp;</b> more | $5 | (6)'
)


class Balance(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.readings: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag != "script"
        assert not any(name in ("src", "href", "onload") for name, _ in attrs)
        if tag != "meta":
            self.open.append(tag)
        self.readings += [value or "" for name, value in attrs if name == "data-r"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_self_contained_escaped_and_marks_each_number() -> None:
    document = page(BODY)
    evidence = evidence_in(document)
    parser = Balance()
    parser.feed("".join(inspect_html(document, read_chunks_of(document))))
    assert parser.open == []
    assert len(parser.readings) == len(evidence) == 2
    assert "5,000,000" in parser.readings[0]
    assert "2024" in parser.readings[0]
    assert "-6,000,000" in parser.readings[1]


def test_the_text_shows_chunks_and_readings() -> None:
    document = page(BODY)
    shown = inspect_text(document, read_chunks_of(document))
    assert "media type   html" in shown
    assert "$5" in shown
    assert "scale      10^6 from caption" in shown
    assert shown == inspect_text(document, read_chunks_of(document))


def test_nodes_round_trip() -> None:
    for chunk in chunks_of(page(BODY)):
        node = to_node(chunk)
        assert from_node(node) == chunk
        assert node.ref_doc_id == chunk.document_id
        assert node.get_content() == chunk.text


def test_a_node_of_other_origin_is_refused() -> None:
    from llama_index.core.schema import TextNode

    with pytest.raises(ValueError, match="no Viska chunk"):
        from_node(TextNode(text="x"))
