"""Delimited text: one table, the delimiter found by counting, offsets kept for every field."""

import re
from collections.abc import Iterator
from dataclasses import replace

from viska_assets.ingest.builder import DocumentBuilder
from viska_assets.ingest.covers import cover_of_text, finished
from viska_assets.ingest.delimited import delimited_grid, latest_date
from viska_assets.ingest.errors import ReadingError
from viska_assets.ingest.grid import RawCell
from viska_assets.model.document import BlockKind, MediaType, ParsedDocument

# A system that writes 612,40 writes 2.500 for two thousand five hundred in the same file.
_DECIMAL_COMMA = re.compile(r"[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+")
_DELIMITERS = (",", ";", "\t", "|")


def parse_csv(text: str, name: str, document_id: str) -> ParsedDocument:
    """Read a decoded CSV or TSV file as one table whose first row is its header."""
    builder = DocumentBuilder()
    delimiter = find_delimiter(text)
    cells = [
        RawCell(builder.reader.read(value, at).stripped(), row, column, column + 1, is_header=row == 0)
        for row, column, at, value in read_fields(text, delimiter, name)
    ]
    grid = delimited_grid(cells)
    if grid.columns > 1:
        builder.add_table(grid)
    else:
        for cell in cells:
            builder.add(BlockKind.PARAGRAPH, cell.piece)
    cover = finished(cover_of_text(builder.text(), (), name))
    table = builder.blocks[0].table if builder.blocks else None
    if table is not None and cover.published_at is None:
        cover = replace(cover, published_at=latest_date(table))
    if any(_DECIMAL_COMMA.fullmatch(cell.text) for cell in cells):
        cover = replace(cover, locale="de")
    return builder.build(document_id, MediaType.CSV, cover, metadata={"delimiter": delimiter})


def find_delimiter(text: str) -> str:
    """The delimiter that cuts the first lines into the same number of fields most often."""
    lines = [re.sub(r'"[^"]*"', "", line) for line in text[:65536].splitlines()[:50] if line.strip()]

    def evenness(delimiter: str) -> tuple[int, int]:
        counts = [line.count(delimiter) for line in lines]
        commonest = max(sorted(set(counts)), key=counts.count, default=0)
        return (counts.count(commonest) if commonest else 0, commonest)

    return max(_DELIMITERS, key=lambda d: (evenness(d), -_DELIMITERS.index(d)))


def read_fields(text: str, delimiter: str, name: str) -> Iterator[tuple[int, int, int, str]]:
    """Fields as ``(row, column, offset, value)`` after RFC 4180; a doubled quote inside quotes is one."""
    field = re.compile(
        rf'[ ]*"((?:[^"]|"")*)"[ ]*(?={re.escape(delimiter)}|\r?\n|\r|\Z)|([^{re.escape(delimiter)}\r\n]*)'
    )
    position = row = column = 0
    while position < len(text):
        match = field.match(text, position)
        if match is None:
            raise ReadingError(
                name, f"row {row + 1}, column {column + 1} cannot be read", "check the quotes of the row"
            )
        group = 1 if match[1] is not None else 2
        yield row, column, match.start(group), match[group].replace('""', '"') if group == 1 else match[group]
        position = match.end()
        if text.startswith(delimiter, position):
            position, column = position + len(delimiter), column + 1
            continue
        position += 2 if text.startswith("\r\n", position) else 1
        row, column = row + 1, 0
