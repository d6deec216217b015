"""The grid of a table: raw cells at raw columns (HTML columns or print positions) become logical rows and columns.

``$``, ``(1,234``, ``)`` and ``%`` in neighbouring cells become one number; spacer columns go; a missing value
keeps its place. What a column means is not decided here (see ``table_grid``).
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from viska_assets.ingest import cell_forms
from viska_assets.ingest.pieces import Piece, join

Range = tuple[int, int]
_SPANNING_TIME = re.compile(r"\b(?:ended|ending|months|weeks|as of|at)\b|^[A-Z][a-z]+ \d{1,2},?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RawCell:
    """A cell as the source lays it out: half-open raw columns ``[start, end)`` in ``row``."""

    piece: Piece
    row: int
    start: int
    end: int
    row_span: int = 1
    is_header: bool = False

    @property
    def text(self) -> str:
        """The text of the cell."""
        return self.piece.text


@dataclass(frozen=True, slots=True)
class PlacedCell:
    """A cell at its logical column."""

    piece: Piece
    column: int
    column_span: int = 1
    row_span: int = 1


@dataclass(frozen=True, slots=True)
class Grid:
    """Logical rows of placed cells; the first ``header_rows`` are headers."""

    rows: tuple[tuple[PlacedCell, ...], ...]
    columns: int
    header_rows: int

    @property
    def has_numbers(self) -> bool:
        """Whether any body cell is a number that is not a bare year."""
        return any(cell_forms.is_data_number(cell.piece.text) for row in self.rows[self.header_rows :] for cell in row)


def build_grid(raw: Sequence[RawCell], *, spread_headers: bool = False) -> Grid:
    """Lay raw cells on a grid of logical rows and columns.

    ``spread_headers`` lets printed headers, which have no column spans, stand over equal groups of columns.
    """
    rows = _glued_rows(raw)
    if not rows:
        return Grid((), 0, 0)
    header_rows = _count_header_rows(rows)
    columns = _logical_columns(rows, header_rows)
    placed = tuple(_place(row, columns) for row in rows)
    if spread_headers:
        placed = tuple(_spread(row, len(columns)) if i < header_rows else row for i, row in enumerate(placed))
    return Grid(placed, len(columns), header_rows)


def _spread(row: tuple[PlacedCell, ...], columns: int) -> tuple[PlacedCell, ...]:
    """Printed headers centred over equal groups of columns ("2024" over an amount and a percentage) span them."""
    heads = [cell for cell in row if cell.column > 0]
    values = columns - 1
    if len(heads) == 1 and values % 2 and heads[0].column == (values + 1) // 2 and heads[0].column_span == 1:
        if not _SPANNING_TIME.search(heads[0].piece.text):
            return row
        return (*row[:-1], PlacedCell(heads[0].piece, 1, values, heads[0].row_span))
    if len(heads) < 2 or values % len(heads) or values == len(heads):
        return row
    width = values // len(heads)
    groups = [(cell.column - 1) // width for cell in heads]
    if groups != list(range(len(heads))):
        return row
    spread = [PlacedCell(c.piece, 1 + i * width, width, c.row_span) for i, c in enumerate(heads)]
    return (*(cell for cell in row if cell.column == 0), *spread)


def _glued_rows(raw: Sequence[RawCell]) -> list[list[RawCell]]:
    by_row: dict[int, list[RawCell]] = {}
    for cell in raw:
        if cell.text:
            by_row.setdefault(cell.row, []).append(cell)
    kept = sorted(by_row)
    rows: list[list[RawCell]] = []
    for index in kept:
        cells = sorted(by_row[index], key=lambda cell: (cell.start, cell.end))
        glued = [cells[0]]
        for cell in cells[1:]:
            separator = cell_forms.glue_between(glued[-1].text, cell.text)
            if separator is None:
                glued.append(cell)
                continue
            last = glued[-1]
            glued[-1] = RawCell(
                join((last.piece, cell.piece), separator),
                last.row,
                last.start,
                max(last.end, cell.end),
                max(last.row_span, cell.row_span),
                last.is_header,
            )
        rows.append([_with_visible_span(cell, kept) for cell in glued])
    return rows


def _with_visible_span(cell: RawCell, kept: Sequence[int]) -> RawCell:
    """The cell with its row span counted in rows that hold text."""
    if cell.row_span == 1:
        return cell
    visible = sum(1 for row in kept if cell.row <= row < cell.row + cell.row_span)
    return RawCell(cell.piece, cell.row, cell.start, cell.end, max(1, visible), cell.is_header)


def _count_header_rows(rows: Sequence[Sequence[RawCell]]) -> int:
    """Leading rows up to the first row of data; a title or section alone after the last header row is body."""
    left = min(cell.start for row in rows for cell in row)
    labelled = [row for row in rows if len(row) > 1 and not cell_forms.is_value(row[0].text)]
    stub_end = min((row[1].start for row in labelled), default=left + 1)
    count = 0
    for index, row in enumerate(rows):
        if all(cell.is_header for cell in row):
            count = index + 1
            continue
        beyond = [cell for cell in row if cell.start >= stub_end]
        if any(cell_forms.is_data_number(cell.text) for cell in beyond) and not _heads_numbers(rows, index, beyond):
            break
        if len(row) == 1 and not beyond:
            continue
        if beyond and len(row) > len(beyond) and not _could_head(beyond):
            break
        count = index + 1
    else:
        headed = [i for i, row in enumerate(rows) if all(cell.is_header for cell in row)]
        return (headed[-1] + 1) if headed else min(1, len(rows) - 1)
    return count


def _heads_numbers(rows: Sequence[Sequence[RawCell]], index: int, cells: Sequence[RawCell]) -> bool:
    """Whether a row with plain small numbers ("1 year", "91–180", "Total") stands over numeric columns by its words."""
    if index + 1 >= len(rows) or any(re.search(r"[$€£,.%()]", cell.text) for cell in cells):
        return False
    words = [cell for cell in cells if not cell_forms.is_value(cell.text)]
    below = [cell for cell in rows[index + 1] if cell_forms.is_data_number(cell.text)]
    return any(word.start < cell.end and cell.start < word.end for word in words for cell in below)


def _could_head(cells: Sequence[RawCell]) -> bool:
    """Whether cells beside a stub label can be column headers: years, dates and short labels."""
    return all(len(cell.text) <= 80 and not cell.text.endswith(".") for cell in cells)


def _logical_columns(rows: Sequence[Sequence[RawCell]], header_rows: int) -> list[Range]:
    """Disjoint raw ranges, left to right, one a logical column.

    Narrow ranges come first, so that a wide cell never merges the columns it spans; numbers come before words.
    """
    body = [cell for row in rows[header_rows:] for cell in row]
    numbers = Counter((c.start, c.end) for c in body if cell_forms.is_value(c.text))
    words = Counter((c.start, c.end) for c in body if not cell_forms.is_value(c.text))
    columns: list[Range] = []
    for ranges in (numbers, words):
        for candidate in sorted(ranges, key=lambda r: (r[1] - r[0], r)):
            columns = _with_range(columns, candidate)
    for row in rows[:header_rows]:
        columns = _with_headers(columns, row)
    return sorted(columns)


def _with_range(columns: list[Range], candidate: Range) -> list[Range]:
    touching = [column for column in columns if column[0] < candidate[1] and candidate[0] < column[1]]
    if not touching:
        return [*columns, candidate]
    if len(touching) > 1:
        return columns
    column = touching[0]
    merged = (min(column[0], candidate[0]), max(column[1], candidate[1]))
    return [merged if other == column else other for other in columns]


def _with_headers(columns: list[Range], row: Sequence[RawCell]) -> list[Range]:
    """Columns widened or added for header cells that stand over none of them."""
    covered = {column for column in columns for cell in row if column[0] < cell.end and cell.start < column[1]}
    for cell in row:
        if any(column[0] < cell.end and cell.start < column[1] for column in columns):
            continue
        free = [
            column
            for column in columns
            if column not in covered and _gap(column, cell) <= max(3, cell.end - cell.start)
        ]
        if free:
            nearest = min(free, key=lambda column: (_gap(column, cell), column))
            widened = (min(nearest[0], cell.start), max(nearest[1], cell.end))
            others = [column for column in columns if column != nearest]
            if not any(column[0] < widened[1] and widened[0] < column[1] for column in others):
                columns = [*others, widened]
                covered.add(widened)
                continue
        columns = [*columns, (cell.start, cell.end)]
    return columns


def _gap(column: Range, cell: RawCell) -> int:
    return max(column[0] - cell.end, cell.start - column[1], 0)


def _place(row: Sequence[RawCell], columns: Sequence[Range]) -> tuple[PlacedCell, ...]:
    claims = [
        [i for i, column in enumerate(columns) if column[0] < cell.end and cell.start < column[1]] for cell in row
    ]
    sole = {claim[0] for claim in claims if len(claim) == 1}
    placed: list[PlacedCell] = []
    for cell, claim in zip(row, claims, strict=True):
        if len(claim) > 1:
            claim = [i for i in claim if i not in sole] or claim[:1]
        first = claim[0] if claim else (placed[-1].column if placed else 0)
        if placed and first < placed[-1].column + placed[-1].column_span:
            first = _resolve_overlap(placed, first, claim)
        if placed and placed[-1].column == first:
            last = placed[-1]
            placed[-1] = PlacedCell(join((last.piece, cell.piece), " "), last.column, last.column_span, last.row_span)
            continue
        span = max(1, (claim[-1] - first + 1) if claim else 1)
        placed.append(PlacedCell(cell.piece, first, span, cell.row_span))
    return tuple(placed)


def _resolve_overlap(placed: list[PlacedCell], first: int, claim: Sequence[int]) -> int:
    """Where a cell starts when its left neighbour's span reaches into it: the neighbour is cut back if it can be."""
    last = placed[-1]
    if first > last.column:
        placed[-1] = PlacedCell(last.piece, last.column, first - last.column, last.row_span)
        return first
    free = [i for i in claim if i >= last.column + 1]
    return free[0] if free else last.column
