"""Nothing visible is lost: every character that a source shows stands in exactly one chunk, punctuation too."""

import html
import sys
from collections import Counter, defaultdict
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ingest.conftest import count_words
from viska_assets.ingest.chunking import chunk_document
from viska_assets.ingest.print_lines import is_rule
from viska_assets.ingest.reading import read_document
from viska_assets.model.document import ParsedDocument

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from parsing_truth import Parsed, Tally, measure_coverage

WORDS = st.sampled_from(
    [
        "Sales",
        "rose",
        "to",
        "$1,234",
        "(5.2)%",
        "*",
        "**",
        "* Omitted",
        "________",
        ".",
        "...",
        "a.",
        "----",
        ";",
        "†",
        "“so”",
    ]
)
LINES = st.lists(WORDS, min_size=1, max_size=14).map(" ".join)
BLOCKS = st.lists(
    st.one_of(
        LINES.map(lambda line: ("p", [line])),
        st.lists(LINES, min_size=2, max_size=6).map(lambda lines: ("table", lines)),
    ),
    min_size=1,
    max_size=12,
)


def as_html(blocks: list[tuple[str, list[str]]]) -> str:
    shown = []
    for kind, lines in blocks:
        if kind == "p":
            shown.append(f"<p>{html.escape(lines[0])}</p>")
        else:
            rows = ("".join(f"<td>{html.escape(word)}</td>" for word in line.split(" ")) for line in lines)
            shown.append("<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>")
    return "<!doctype html><html><body>" + "".join(shown) + "</body></html>"


def visible(text: str) -> Counter[str]:
    """Characters but for white space and the bars that part cells."""
    return Counter(character for character in text if not character.isspace() and character != "|")


def parsed(document: ParsedDocument) -> Parsed:
    return Parsed(document, chunk_document(document, count_words, target=6, ceiling=12), ())


def lost(format_: str, data: bytes, name: str) -> tuple[int, int]:
    """Characters shown and characters held, as the benchmark counts them."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    measure_coverage({"format": format_, "doc_id": name}, data, parsed(read_document(data, name)), tallies)
    return tallies["coverage"].hits, tallies["coverage"].total


@settings(max_examples=60, deadline=None)
@given(BLOCKS)
def test_every_character_of_a_page_stands_in_exactly_one_chunk(blocks: list[tuple[str, list[str]]]) -> None:
    read = parsed(read_document(as_html(blocks).encode(), "page.html"))
    shown = sum((visible(line) for _, lines in blocks for line in lines), Counter[str]())
    assert visible("\n".join(chunk.text for chunk in read.chunks)) == shown
    ends = [0, *(chunk.span.end for chunk in read.chunks)]
    for end, chunk in zip(ends, read.chunks, strict=False):
        assert chunk.span.start >= end
        assert not read.document.text[end : chunk.span.start].strip()


@settings(max_examples=60, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=20), st.sampled_from(["\n", "\n\n"]))
def test_every_mark_of_a_plain_text_stands_in_some_chunk(lines: list[str], gap: str) -> None:
    read = parsed(read_document(gap.join(lines).encode(), "note.txt"))
    held = visible("\n".join(chunk.text for chunk in read.chunks))
    assert held == visible("\n".join(line for line in lines if not is_rule(line)))


def test_the_measure_counts_a_mark_beside_a_rule_of_the_next_chunk() -> None:
    body = "<p>" + "word " * 12 + "omitted *</p>\n<p>____ " + "word " * 12 + "</p>"
    hits, total = lost("html", f"<!doctype html><html><body>{body}</body></html>".encode(), "page.html")
    assert hits == total > 90
