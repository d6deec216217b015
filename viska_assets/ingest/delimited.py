"""Delimited tables: what a column holds by its name, the grid without any gluing, and the evidence of each cell.

A file of a system has one header and exact columns; nothing here guesses from layout, as tables of filings need.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from enum import StrEnum

from viska_assets.ingest.grid import Grid, PlacedCell, RawCell
from viska_assets.ingest.table_evidence import column_letters
from viska_assets.model.document import Cell, Table
from viska_assets.model.evidence import Evidence, Period, ScaleSource, Unit
from viska_assets.text.cells import read_cell


class ColumnKind(StrEnum):
    """What a column holds."""

    DATE = "date"
    CURRENCY = "currency"
    IDENTIFIER = "identifier"
    SHARES = "shares"
    MONEY = "money"
    PERCENT = "percent"
    OTHER = "other"


_KINDS: tuple[tuple[ColumnKind, re.Pattern[str]], ...] = (
    (ColumnKind.DATE, re.compile(r"^(?:date|day|as[ _]of|.*[ _]date)$")),
    (ColumnKind.CURRENCY, re.compile(r"^(?:currency|ccy|cur)$")),
    (ColumnKind.IDENTIFIER, re.compile(r"^(?:isin|cusip|sedol|lei|cik|ticker|symbol|figi|.*\bid)$")),
    (ColumnKind.PERCENT, re.compile(r"%|percent|weight|\bpct\b")),
    (ColumnKind.SHARES, re.compile(r"^(?:quantity|shares|units|position size|holding)$|\bshares\b")),
    (
        ColumnKind.MONEY,
        re.compile(r"\b(?:cost|price|close|open|high|low|value|amount|nav|proceeds|fees?|cash|bid|ask|dividend)\b"),
    ),
)
_UNITS = {
    ColumnKind.SHARES: Unit.SHARES,
    ColumnKind.MONEY: Unit.MONEY,
    ColumnKind.PERCENT: Unit.PERCENT,
    ColumnKind.OTHER: Unit.COUNT,
}
_NUMBER = re.compile(r"[-+(]?\d[\d.,' ]*\)?%?")


def column_kind(header: str) -> ColumnKind:
    """What the column of this name holds."""
    name = header.strip().lower().replace("_", " ")
    return next((kind for kind, pattern in _KINDS if pattern.search(name)), ColumnKind.OTHER)


def delimited_grid(cells: Sequence[RawCell]) -> Grid:
    """The cells at exactly the rows and columns of the file, empty ones left out; the first row is the header."""
    rows: dict[int, list[PlacedCell]] = {}
    for cell in cells:
        if cell.text:
            rows.setdefault(cell.row, []).append(PlacedCell(cell.piece, cell.start))
    columns = max((cell.end for cell in cells), default=0)
    return Grid(tuple(tuple(rows[number]) for number in sorted(rows)), columns, 1 if rows else 0)


def latest_date(table: Table) -> datetime | None:
    """The newest day of the table's date columns, as midnight UTC: when its last row can have been known."""
    dated = {column for column, name in _headers(table).items() if column_kind(name) is ColumnKind.DATE}
    days = [day for cell in _body(table) if cell.column in dated and (day := _day(cell.text))]
    return datetime.combine(max(days), datetime.min.time(), UTC) if days else None


def delimited_evidence(table: Table, locale: str, entity: str | None) -> Iterator[Evidence]:
    """The numbers of a delimited table: labelled by the row's names and the column, dated by its date column."""
    headers = _headers(table)
    kinds = {column: column_kind(name) for column, name in headers.items()}
    by_row: dict[int, list[Cell]] = {}
    for cell in table.cells:
        by_row.setdefault(cell.row, []).append(cell)
    for row in range(table.header_rows, table.rows):
        cells = by_row.get(row, [])
        labels = _row_labels(cells, kinds)
        day = next((d for c in cells if kinds.get(c.column) is ColumnKind.DATE and (d := _day(c.text))), None)
        currency = next((c.text for c in cells if kinds.get(c.column) is ColumnKind.CURRENCY), None)
        for cell in cells:
            unit = _UNITS.get(kinds.get(cell.column, ColumnKind.OTHER))
            if unit is not None and _NUMBER.fullmatch(cell.text):
                header = headers.get(cell.column, "")
                found = _evidence(cell, unit, currency, locale, labels, header, day, entity)
                if found is not None:
                    yield found


def _evidence(
    cell: Cell,
    unit: Unit,
    currency: str | None,
    locale: str,
    labels: tuple[str, ...],
    header: str,
    day: date | None,
    entity: str | None,
) -> Evidence | None:
    quantity = read_cell(cell.text, locale=locale, unit=unit, currency=currency if unit is Unit.MONEY else None)
    if quantity is None:
        return None
    return Evidence(
        chunk_id="",
        span=quantity.span.shifted(cell.span.start),
        printed=cell.text,
        value=quantity.value,
        quantum=quantity.quantum,
        unit=quantity.unit,
        currency=currency if quantity.unit is Unit.MONEY else None,
        scale=quantity.scale,
        scale_source=ScaleSource.COLUMN,
        sign=quantity.sign,
        bound=quantity.bound,
        row_path=labels,
        column_path=(header,),
        cell=f"{column_letters(cell.column)}{cell.row + 1}",
        period=Period(end=day) if day else None,
        entity=entity,
    )


def _row_labels(cells: Sequence[Cell], kinds: dict[int, ColumnKind]) -> tuple[str, ...]:
    """The row's day where it leads the row, and its first name."""
    labels: list[str] = []
    for cell in sorted(cells, key=lambda cell: cell.column):
        kind = kinds.get(cell.column, ColumnKind.OTHER)
        is_name = kind in (ColumnKind.OTHER, ColumnKind.IDENTIFIER) and not _NUMBER.fullmatch(cell.text)
        if is_name:
            return (*labels, cell.text)
        if kind is ColumnKind.DATE and not labels:
            labels.append(cell.text)
    return tuple(labels)


def _headers(table: Table) -> dict[int, str]:
    return {cell.column: cell.text for cell in table.cells if cell.row < table.header_rows}


def _body(table: Table) -> Iterator[Cell]:
    return (cell for cell in table.cells if cell.row >= table.header_rows)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError:
        return None
