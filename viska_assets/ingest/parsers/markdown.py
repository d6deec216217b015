"""Markdown: headings, paragraphs, list items, code and pipe tables, read from the markdown-it token lines."""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt

from viska_assets.ingest.builder import DocumentBuilder
from viska_assets.ingest.covers import cover_of_text, finished
from viska_assets.ingest.grid import RawCell, build_grid
from viska_assets.ingest.layout import classify_line, emit_layout_rows, is_data_table
from viska_assets.ingest.pieces import Piece, join
from viska_assets.model.document import BlockKind, MediaType, ParsedDocument

_MARKUP = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|`|\\(?=[|*_`\\$#])")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+|\s+#+\s*$")
_LIST = re.compile(r"\s*[-*+]\s+")
_DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-*:?\s*)*\|?\s*")
_BAR = re.compile(r"(?<!\\)\|")


def parse_markdown(text: str, name: str, document_id: str) -> ParsedDocument:
    """Read a decoded Markdown file."""
    builder = DocumentBuilder()
    read_markdown(text, builder)
    cover = finished(cover_of_text(builder.text(), builder.blocks, name))
    return builder.build(document_id, MediaType.MARKDOWN, cover)


def read_markdown(text: str, builder: DocumentBuilder) -> None:
    """Read Markdown into a builder."""
    starts = _line_starts(text)
    depth = 0
    done = 0
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        depth += token.nesting if token.type in ("bullet_list_open", "ordered_list_open") else 0
        depth += token.nesting if token.type in ("bullet_list_close", "ordered_list_close") else 0
        if token.map is None or token.map[0] < done:
            continue
        first, last = token.map
        start, end = starts[first], starts[min(last, len(starts) - 1)]
        if token.type == "table_open":
            _read_table(text[start:end], start, builder)
        elif token.type == "heading_open":
            builder.add(BlockKind.HEADING, _inline(text[start:end], start, builder), level=int(token.tag[1]))
        elif token.type in ("fence", "code_block", "html_block"):
            piece = builder.reader.read(text[start:end], start, keep_lines=True)
            builder.add(BlockKind.PREFORMATTED, piece)
        elif token.type == "paragraph_open":
            piece = _inline(text[start:end], start, builder)
            kind, level = (BlockKind.LIST_ITEM, 0) if depth else _paragraph_kind(text[start:end], piece)
            builder.add(kind, piece, level=level)
        else:
            continue
        done = last


def _paragraph_kind(raw: str, piece: Piece) -> tuple[BlockKind, int]:
    stripped = raw.strip()
    is_bold = stripped.startswith("**") and stripped.endswith("**") and stripped.count("**") == 2
    return classify_line(piece.text, is_bold=is_bold)


def _line_starts(text: str) -> list[int]:
    """Offsets of lines as markdown-it counts them, the end of the text last."""
    return [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text)), len(text)]


def _inline(raw: str, start: int, builder: DocumentBuilder) -> Piece:
    heading = _HEADING.match(raw)
    listed = _LIST.match(raw)
    lead = heading.end() if heading else listed.end() if listed else 0
    return _without_markup(builder.reader.read(raw[lead:], start + lead).stripped())


def _without_markup(piece: Piece) -> Piece:
    """The piece without emphasis marks and escapes; a star that is not emphasis stays."""
    kept: list[Piece] = []
    position = 0
    for match in _MARKUP.finditer(piece.text):
        kept.append(piece.sliced(position, match.start()))
        position = match.end()
    if not kept:
        return piece
    return join([*kept, piece.sliced(position, len(piece.text))])


def _read_table(raw: str, start: int, builder: DocumentBuilder) -> None:
    cells: list[RawCell] = []
    row = 0
    offset = 0
    for line in raw.splitlines(keepends=True):
        if line.strip() and not (row == 1 and _DELIMITER.fullmatch(line.rstrip())):
            for column, (at, cell) in enumerate(_split_row(line)):
                piece = _without_markup(builder.reader.read(cell, start + offset + at).stripped())
                cells.append(RawCell(piece, row, column, column + 1))
            row += 1
        elif line.strip():
            row += 1
        offset += len(line)
    grid = build_grid(cells)
    if is_data_table(grid):
        builder.add_table(grid)
    else:
        emit_layout_rows(builder, [cell for cell in cells if cell.text], ())


def _split_row(line: str) -> Iterator[tuple[int, str]]:
    stripped = line.rstrip()
    bars = [match.start() for match in _BAR.finditer(stripped)]
    start = 0
    if stripped.lstrip().startswith("|"):
        start = bars.pop(0) + 1
    if bars and bars[-1] == len(stripped) - 1:
        stripped = stripped[: bars.pop()]
    for bar in [*bars, len(stripped)]:
        yield start, stripped[start:bar]
        start = bar + 1
