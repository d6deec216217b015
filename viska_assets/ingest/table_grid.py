"""How a table is read: which labels stand over and beside each cell, outermost first."""

# ruff: noqa: E501 (one alternative of a pattern a line)
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from viska_assets.ingest import cell_forms
from viska_assets.ingest.scales import find_statement
from viska_assets.model.document import Cell, Table

_LABEL_NOISE = re.compile(
    r"[\s…:·_]*(?:\s?\.){2,}[\s…:·_]*$|(?<=[a-z)])\.$|[\s…:·_]+$|(?<=\w)[⁰¹²³⁴-⁹⁽⁾ᵃ-ᶻʰʲʳˢʷˣʸˡ, ]+$|(?<=\S)\s*(?:\(\d{1,2}\)|\([a-z]\)|\*+)$"
)
_OPEN_TIME = re.compile(r"\b(?:ended|ending|as of|as at|at)\b|^\(?[A-Z][a-z]+ \d{1,2},?\)?$", re.IGNORECASE)
_TOTAL = re.compile(r"^(?:total|net|balance|ending|beginning)\b", re.IGNORECASE)
_ENDS_SECTION = re.compile(r"^total\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """The labels of one value cell."""

    cell: Cell
    row_path: tuple[str, ...]
    column_path: tuple[str, ...]
    is_header: bool = False


@dataclass(slots=True)
class TableReader:
    """Answers for a table: what heads each row and column."""

    table: Table
    by_row: list[list[Cell]] = field(init=False)
    stub_columns: int = field(init=False)
    _readings: list[Reading] | None = field(init=False, default=None)
    _paths: dict[tuple[tuple[int, ...], int, int], tuple[str, ...]] = field(init=False, default_factory=dict)
    _spanning: dict[int, str] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.by_row = [[] for _ in range(self.table.rows)]
        for cell in self.table.cells:
            self.by_row[cell.row].append(cell)
        self.stub_columns = self._count_stub_columns()

    def _count_stub_columns(self) -> int:
        """Leading columns that hold labels rather than values."""
        values = [0] * (self.table.columns + 1)
        words = [0] * (self.table.columns + 1)
        for cell in self.table.cells:
            if cell.row >= self.table.header_rows and cell.column_span == 1:
                bucket = values if cell_forms.is_value(cell.text) and not _is_label_year(cell) else words
                bucket[cell.column] += 1
        count = 0
        while count < self.table.columns - 1 and words[count] > values[count]:
            count += 1
        return max(1, count) if words[0] >= values[0] or not values[0] else 1

    def header_cells(self, row: int) -> bool:
        """Whether a row below the header is a header again: no label, no values but years."""
        cells = self.by_row[row]
        beyond = [cell for cell in cells if cell.column >= self.stub_columns]
        if not beyond or any(cell_forms.is_data_number(cell.text) for cell in beyond):
            return False
        labelled = any(cell.column < self.stub_columns for cell in cells)
        heads = [cell for cell in beyond if cell_forms.is_year(cell.text) or not cell_forms.is_no_value(cell.text)]
        if not heads:
            return False
        if labelled:
            years = [cell for cell in beyond if cell_forms.is_year(cell.text)]
            return len(years) == len(beyond) and len(years) > 1
        return True

    def readings(self) -> Sequence[Reading]:
        """Every cell with the labels that stand over and beside it."""
        if self._readings is None:
            self._readings = self._read()
        return self._readings

    def _read(self) -> list[Reading]:
        header_rows: list[int] = list(range(self.table.header_rows))
        fresh = True
        section: list[tuple[int, str]] = []
        found: list[Reading] = []
        for row in range(self.table.rows):
            cells = self.by_row[row]
            is_header = row < self.table.header_rows
            if not is_header and self.header_cells(row):
                header_rows = [row] if fresh is False else [*header_rows, row]
                fresh, is_header = True, True
            elif not is_header:
                fresh = False
            stub = [cell for cell in cells if cell.column < self.stub_columns]
            label = " ".join(tidy_label(cell.text) for cell in stub) or self._spanning_label(row)
            values = [cell for cell in cells if cell.column >= self.stub_columns]
            if is_header:
                found.extend(Reading(cell, (), (), True) for cell in cells)
                if not values and label and not is_scale_note(label):
                    section = [(0, label)]
                continue
            if not values and label and is_scale_note(label):
                found.extend(Reading(cell, (), ()) for cell in cells)
                continue
            if not values and label:
                section = self._open_section(section, stub[0] if stub else None, label)
                found.extend(Reading(cell, tuple(name for _, name in section[:-1]), ()) for cell in cells)
                continue
            sections = tuple(name for _, name in section)
            path = (*sections, label) if label else sections
            found.extend(Reading(cell, sections, ()) for cell in stub)
            heads = tuple(header_rows)
            found.extend(Reading(cell, path, self._column_path(cell, heads)) for cell in values)
            if label and _ENDS_SECTION.match(label):
                section = section[:-1]
        return found

    def _spanning_label(self, row: int) -> str:
        """The label of the first label cell above that spans the row."""
        if self._spanning is None:
            self._spanning = {}
            for cell in self.table.cells:
                if cell.row_span > 1 and cell.column < self.stub_columns:
                    for covered in range(cell.row + 1, min(cell.row + cell.row_span, self.table.rows)):
                        self._spanning.setdefault(covered, tidy_label(cell.text))
        return self._spanning.get(row, "")

    def _open_section(self, section: list[tuple[int, str]], cell: Cell | None, label: str) -> list[tuple[int, str]]:
        """A label alone in its row heads the rows below; two in a row nest."""
        row = cell.row if cell else 0
        if section and section[-1][0] == row - 1 and row - 1 >= self.table.header_rows:
            return [*section[-2:], (row, label)]
        return [(row, label)]

    def _column_path(self, cell: Cell, header_rows: tuple[int, ...]) -> tuple[str, ...]:
        """The labels over a cell, found once for all cells of the same columns under the same headers."""
        place = (header_rows, cell.column, cell.column_span)
        path = self._paths.get(place)
        if path is None:
            path = self._paths[place] = self._labels_over(cell, header_rows)
        return path

    def _labels_over(self, cell: Cell, header_rows: Sequence[int]) -> tuple[str, ...]:
        path: list[str] = []
        for row in header_rows:
            lone = self._lone_head(row)
            for head in self.by_row[row]:
                covers = head is lone or (
                    head.column < cell.column + cell.column_span and cell.column < head.column + head.column_span
                )
                if covers and not (head.column < self.stub_columns and head.column_span == 1):
                    label = tidy_label(head.text)
                    if label and (not path or path[-1] != label):
                        path.append(label)
        return tuple(path)

    def _lone_head(self, row: int) -> Cell | None:
        """The only header of a row where it says a time or a scale: it stands over all columns, spanned or not."""
        heads = [cell for cell in self.by_row[row] if cell.column >= self.stub_columns]
        if len(heads) != 1 or heads[0].column_span > 1 or self.table.columns - self.stub_columns < 2:
            return None
        text = heads[0].text
        says_time = _OPEN_TIME.search(text) is not None and re.search(r"\b(?:19|20)\d\d\b", text) is None
        return heads[0] if says_time or is_scale_note(text) else None

    def corner_texts(self) -> list[str]:
        """Texts of header rows over the label column ("Years ended December 31,")."""
        rows = self.by_row[: self.table.header_rows]
        return [cell.text for row in rows for cell in row if cell.column < self.stub_columns]

    def stub_texts(self) -> list[str]:
        """Texts of header rows, label column included, for scale statements."""
        return [cell.text for row in range(self.table.header_rows) for cell in self.by_row[row]]


@lru_cache(maxsize=16384)
def is_scale_note(label: str) -> bool:
    """Whether a label says nothing but a scale: "(In millions, except per share data)"."""
    statement = find_statement(label, loose=True)
    if statement is None:
        return False
    rest = re.sub(r"\b(?:except|other than)\b.*$", "", label.replace(statement.text, " "), flags=re.IGNORECASE)
    return not re.search(
        r"[a-z]{3}", re.sub(r"\b(?:amounts?|dollars|in|of|and|shares|u\.s\.)\b", "", rest, flags=re.IGNORECASE)
    )


def _is_label_year(cell: Cell) -> bool:
    return cell.column == 0 and cell_forms.is_year(cell.text)


@lru_cache(maxsize=16384)
def tidy_label(text: str) -> str:
    """A label without leaders, colons and footnote marks at its end."""
    previous = None
    while text != previous:
        previous, text = text, _LABEL_NOISE.sub("", text, count=1).strip()
    return text
