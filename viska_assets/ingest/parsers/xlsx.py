"""Workbooks: each sheet a heading and a table, numbers printed as their cell format shows them."""

import io
import re
import zipfile
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import openpyxl
from openpyxl.utils.exceptions import InvalidFileException

from viska_assets.ingest.archives import check_archive
from viska_assets.ingest.builder import DocumentBuilder
from viska_assets.ingest.covers import cover_of_text, finished
from viska_assets.ingest.errors import ReadingError
from viska_assets.ingest.grid import RawCell, build_grid
from viska_assets.model.document import BlockKind, MediaType, ParsedDocument


def parse_xlsx(data: bytes, name: str, document_id: str) -> ParsedDocument:
    """Read the stored values of a workbook (formulas are not computed again)."""
    check_archive(data, name)
    try:
        workbook = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    except (InvalidFileException, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise ReadingError(name, f"the workbook cannot be read ({error})", "save it again as .xlsx") from error
    builder = DocumentBuilder()
    for sheet in workbook.worksheets:
        builder.add(BlockKind.HEADING, builder.reader.read(str(sheet.title)), level=1)
        _read_sheet(sheet, builder)
    workbook.close()
    cover = finished(cover_of_text(builder.text(), builder.blocks, name))
    return builder.build(document_id, MediaType.XLSX, cover, metadata={"sheets": str(len(workbook.worksheets))})


def _read_sheet(sheet: Any, builder: DocumentBuilder) -> None:
    """Tables are parted by blank rows; a block of one column is text."""
    cells: list[RawCell] = []
    blank = True
    for row_number, row in enumerate(sheet.iter_rows()):
        printed = [
            (column, print_cell(cell.value, cell.number_format))
            for column, cell in enumerate(row)
            if cell.value is not None
        ]
        if not printed:
            blank = True
            continue
        if blank and cells:
            _emit(cells, builder)
            cells = []
        blank = False
        cells.extend(
            RawCell(builder.reader.read(text).stripped(), row_number, column, column + 1) for column, text in printed
        )
    _emit(cells, builder)


def _emit(cells: list[RawCell], builder: DocumentBuilder) -> None:
    grid = build_grid(cells)
    if grid.columns > 1:
        builder.add_table(grid)
        return
    for cell in cells:
        builder.add(BlockKind.PARAGRAPH, cell.piece)


def print_cell(value: Any, number_format: str | None) -> str:
    """A cell's value as its number format prints it (decimals, thousands, percent); else plainly."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == datetime.min.time() else value.isoformat(sep=" ")
    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, int | float):
        return str(value)
    return _print_number(Decimal(repr(value)), number_format or "General")


def _print_number(number: Decimal, number_format: str) -> str:
    positive = number_format.split(";")[0]
    pattern = re.sub(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.', "", positive)
    is_percent = "%" in pattern
    number = number * 100 if is_percent else number
    if re.search(r"[0#]", pattern):
        decimals = re.search(r"\.([0#?]+)", pattern)
        quantum = Decimal(1).scaleb(-len(decimals[1]) if decimals else 0)
        text = f"{number.quantize(quantum, ROUND_HALF_UP):{',' if ',' in pattern else ''}f}"
    else:
        text = f"{number.normalize():f}"
    currency = re.search(r"[$€£¥]", positive)
    sign = "-" if text.startswith("-") else ""
    return f"{sign}{currency.group() if currency else ''}{text.lstrip('-')}{'%' if is_percent else ''}"
