"""Plain text: paragraphs by blank lines, and tables set in columns by spaces."""

import re
from collections.abc import Iterator

from viska_assets.ingest.builder import DocumentBuilder
from viska_assets.ingest.covers import cover_of_text, finished
from viska_assets.ingest.pieces import PieceReader
from viska_assets.ingest.print_lines import PrintLine, Segment, emit_lines, is_rule
from viska_assets.model.document import MediaType, ParsedDocument

_GAP = re.compile(r" {2,}|\t+")
_DOLLAR_GAP = re.compile(r"(?<=[\d%)]) (?=[$€£]\s*[\d(])")


def parse_text(text: str, name: str, document_id: str) -> ParsedDocument:
    """Read a decoded plain text."""
    builder = DocumentBuilder()
    emit_lines(builder, read_lines(text, builder.reader))
    cover = finished(cover_of_text(builder.text(), builder.blocks, name))
    return builder.build(document_id, MediaType.TEXT, cover)


def read_lines(text: str, reader: PieceReader, source_start: int = 0) -> list[PrintLine]:
    """The printed lines of a text with their character columns; blank and ruling lines only leave a gap."""
    lines: list[PrintLine] = []
    gap = 0
    for start, raw in split_lines(text):
        if not raw.strip():
            gap += 1
        elif not is_rule(raw):
            lines.append(PrintLine(tuple(_segments(raw, source_start + start, reader)), gap))
            gap = 0
    return lines


def split_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines without their ends, each with its offset."""
    start = 0
    for line in re.split(r"(?<=[\n\x0c])", text):
        yield start, line.rstrip("\r\n\x0c")
        start += len(line)


def _segments(raw: str, start: int, reader: PieceReader) -> Iterator[Segment]:
    has_tabs = "\t" in raw
    position = 0
    gaps = [match.span() for match in _GAP.finditer(raw)] + [match.span() for match in _DOLLAR_GAP.finditer(raw)]
    for gap_start, gap_end in [*sorted(gaps), (len(raw), len(raw))]:
        piece = reader.read(raw[position:gap_start], start + position).stripped()
        if piece.text:
            left = len(raw[:position].expandtabs(8)) if has_tabs else position
            yield Segment(piece, left, left + gap_start - position)
        position = gap_end
