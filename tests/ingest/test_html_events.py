"""Parsing while reading: events are those of the whole tree, wherever it is cut; a page given up leaves nothing."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from lxml import etree

from tests.ingest.conftest import evidence_in, page, table
from viska_assets.ingest.parsers import html_events
from viska_assets.ingest.parsers.html_events import tables_settled
from viska_assets.ingest.reading import read_document
from viska_assets.model.document import BlockKind

EVENTS = ("start", "end", "comment", "pi")
PIECES = [
    *(f"<{tag}>" for tag in "table tr td p div b ul li a hr select pre script title".split()),  # noqa: SIM905
    *(f"</{tag}>" for tag in "table tr td p div b ul li a select pre script title".split()),  # noqa: SIM905
    *("<!-- c -->", "<?pi x?>", "<![CDATA[q]]>", "<", "&", "&amp;", "&#8212;", " ", "\n", "word", "1,234", "é—"),
]


def shown(event: str, element: Any) -> tuple[object, ...]:
    if event == "start":
        return event, str(element.tag), dict(element.attrib), element.text
    return event, str(element.tag) if event == "end" else "", element.tail


def told(events: Iterator[tuple[str, Any]]) -> list[tuple[object, ...]]:
    """Every event as it is known when the next one comes, the elements that have ended cleared."""
    known: list[tuple[object, ...]] = []
    last: tuple[str, Any] | None = None
    for event in events:
        if last is not None:
            known.append(shown(*last))
            if last[0] == "end":
                last[1].clear(keep_tail=True)
        last = event
    return [*known, shown(*last)] if last else known


@pytest.mark.parametrize("seed", range(60))
def test_events_are_those_of_the_whole_tree(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pick = random.Random(seed)
    text = "<html><body>" + "".join(pick.choice(PIECES) for _ in range(pick.randint(1, 80)))
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True)
    root = etree.fromstring(text.encode(), parser)
    whole = [shown(*event) for event in etree.iterwalk(root, events=EVENTS)]
    for cut in (1, 7, 4096):
        monkeypatch.setattr(html_events, "_SLICE", cut)
        assert told(html_events.html_events(text, "page.html")) == whole
        assert told(tables_settled(html_events.html_events(text, "page.html"))) == whole


def test_a_table_inside_a_table_far_behind_its_start_makes_the_outer_one_layout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(html_events, "_SLICE", 16)
    inner = table("(in millions) | 2024 | 2023", "Net sales | 5 | 6")
    outer = f"<table><tr><td>First words</td></tr><tr><td>{inner}</td></tr><tr><td>Last words</td></tr></table>"
    document = page(outer)
    assert [block.kind for block in document.blocks] == [BlockKind.PARAGRAPH, BlockKind.TABLE, BlockKind.PARAGRAPH]
    assert [found.value for found in evidence_in(document)] == [5_000_000, 6_000_000]


XHTML = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>'


def test_markup_found_to_be_no_xml_at_its_end_is_read_once() -> None:
    rows = table("| 2024", "Net sales | $5", "Gross profit | $3")
    whole = read_document(f"{XHTML}{rows}<p>The end.</p></body></html>".encode(), "a.html")
    broken = read_document(f"{XHTML}{rows}<p>The end.<br></p></body></html>".encode(), "a.html")
    assert broken.text == whole.text
    assert broken.blocks == whole.blocks
    assert len(evidence_in(broken)) == len(evidence_in(whole)) == 2


def test_pages_of_a_submission_given_up_leave_nothing_behind() -> None:
    deep = "<p>Net sales were $7 million.</p>" + "<div>" * 3000 + "deep"
    pages = (f"<html><body><p>Before.\u200b</p>{table('| 2024', 'Net sales | $5')}</body></html>", deep, XHTML + "<p>x")
    submission = "".join(
        f"<DOCUMENT>\n<TYPE>EX-{n}\n<TEXT>\n<html>{body}</html>\n</TEXT>\n</DOCUMENT>\n"
        for n, body in enumerate(pages, start=1)
    )
    document = read_document(f"<SEC-DOCUMENT>\n{submission}".encode(), "submission.txt")
    assert document.text.count("$7 million") == 1
    assert document.text.count("Before.") == 1
    assert [notice.detail for notice in document.notices if "2048" in notice.detail]
    assert [notice.count for notice in document.notices if "zero-width" in notice.detail] == [1]
    assert all(block.span.of(document.text).strip() for block in document.blocks)


def test_entities_that_a_page_declares_do_not_cut_its_text() -> None:
    declared = '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY co "Acme">]>'
    body = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>At &co; net sales were $5 million.</p></body></html>'
    document = read_document(f"{declared}{body}".encode(), "a.html")
    assert document.text.startswith("At &co; net sales were $5 million.")
