"""Chunks: nothing lost, tables cut between rows only, prefixes, stable ids."""

import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ingest.conftest import chunks_of, count_words, page, table
from viska_assets.ingest.chunking import chunk_document
from viska_assets.ingest.reading import read_document
from viska_assets.model.document import BlockKind, Chunk, ParsedDocument


def reassembled(document: ParsedDocument, chunks: tuple[Chunk, ...]) -> str:
    for chunk in chunks:
        assert chunk.text == chunk.span.of(document.text)
    for before, after in pairwise(chunks):
        assert before.span.end <= after.span.start
    return "".join("".join(chunk.text.split()) for chunk in chunks)


LONG_TABLE = table(
    "(in millions) | 2024 | 2023",
    *(f"Line item number {n} | ${n},100 | ${n},200" for n in range(1, 200)),
    before="<p>Sales by line:</p>",
)


def test_a_long_table_is_cut_between_rows_and_repeats_its_head() -> None:
    document = page(f"<h1>Acme</h1><h2>Results</h2>{LONG_TABLE}")
    chunks = [chunk for chunk in chunks_of(document) if chunk.kind is BlockKind.TABLE]
    assert len(chunks) > 3
    lines = document.text.split("\n")
    for chunk in chunks:
        assert all(line in lines for line in chunk.text.split("\n"))
        assert chunk.tokens <= 480
    for chunk in chunks[1:]:
        assert "(in millions) | 2024 | 2023" in chunk.prefix
        assert "Sales by line:" in chunk.prefix
        assert chunk.headings == ("Acme", "Results")


def test_rows_tied_by_a_row_span_stay_together() -> None:
    rows = "".join(
        f"<tr><td rowspan=2>Group {n} with many words to fill the chunk</td><td>gross</td><td>{n}01</td></tr>"
        f"<tr><td>net</td><td>{n}02</td></tr>"
        for n in range(1, 60)
    )
    document = page(f"<table>{rows}</table>")
    for chunk in chunk_document(document, count_words, target=60, ceiling=90):
        assert len(re.findall("Group", chunk.text)) == len(re.findall(r"\d+02\b", chunk.text))


def test_a_scale_stated_far_above_stands_in_the_prefix() -> None:
    filler = "".join(f"<p>Paragraph {n} of words.</p>" for n in range(6))
    document = page(f"<p><b>Note 3</b></p><p>(in thousands)</p>{filler}" + table(" | 2024 | 2023", "Sales | $5 | $6"))
    chunk = next(chunk for chunk in chunks_of(document) if chunk.kind is BlockKind.TABLE)
    assert "in thousands" in chunk.prefix


def test_long_paragraphs_are_cut_at_sentences_and_unbroken_runs_at_characters() -> None:
    document = page("<p>" + "The company sold more. " * 400 + "</p><p>" + "x" * 9000 + "</p>")
    chunks = chunk_document(document, lambda text: len(text) // 4)
    assert all(chunk.tokens <= 480 for chunk in chunks)
    assert reassembled(document, chunks) == "".join(document.text.split())
    assert chunks[0].text.endswith("more.")


def test_ids_are_stable_short_and_unique() -> None:
    document = page(f"<h1>Acme</h1><p>Words.</p><p>Words.</p>{LONG_TABLE}")
    once, again = chunks_of(document), chunks_of(document)
    assert once == again
    assert len({chunk.chunk_id for chunk in once}) == len(once)
    assert all(re.fullmatch(r"[0-9a-f]{16}", chunk.chunk_id) for chunk in once)


def test_an_empty_document_has_no_chunks() -> None:
    document = read_document(b"<html><body><img src='x'></body></html>", "page.html")
    assert chunks_of(document) == ()


BLOCKS = st.lists(
    st.one_of(
        st.text(alphabet="ab. ", min_size=1, max_size=300).map(lambda text: f"<p>{text}</p>"),
        st.text(alphabet="ab ", min_size=1, max_size=30).map(lambda text: f"<h2>{text}</h2>"),
        st.integers(1, 40).map(lambda rows: table(*(f"row {n} | {n} | {n},000" for n in range(rows)))),
    ),
    max_size=12,
)


@settings(max_examples=60)
@given(BLOCKS, st.integers(5, 60))
def test_every_character_is_in_exactly_one_chunk(blocks: list[str], target: int) -> None:
    document = page("<p>start</p>" + "".join(blocks))
    chunks = chunk_document(document, count_words, target=target, ceiling=2 * target)
    assert reassembled(document, chunks) == "".join(document.text.split())
