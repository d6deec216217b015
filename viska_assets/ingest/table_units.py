"""Which class of number a table cell holds where the cell itself prints no unit: from labels, sections, neighbours."""

# ruff: noqa: E501 (one alternative of a pattern a line)
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from viska_assets.ingest import cell_forms
from viska_assets.ingest.scales import find_statement
from viska_assets.ingest.table_grid import Reading
from viska_assets.model.document import Cell, Table
from viska_assets.model.evidence import Unit
from viska_assets.text.metrics import label_class
from viska_assets.text.periods import find_periods

_SHARE_COUNT = re.compile(
    r"\banti-?dilutive\b|\bshares\b.*\bexcluded\b|\bshares used\b|\bweighted[\s-]+average\b.*\bshares\b|\bnumber of (?:\w+ )?(?:shares|units|rsus|awards|options)\b"
    r"|\bshares? (?:outstanding|issued|authorized|repurchased|purchased|granted|vested|forfeited)\b"
    r"|^(?:\w+[\s-]+){0,2}shares$|\bshares of common stock\b|\bcommon shares\b$",
    re.IGNORECASE,
)
_PRICE = re.compile(
    r"\b(?:price|fair value|amount|cost|value)s?\b.*\bper\b|\bper\b.*\b(?:share|unit|rsu|award|option)\b", re.I
)
_LENGTH = re.compile(r"\b(?:ended|ending|months|weeks)\b|^\s*(?:fiscal\s+)?years?\s*$", re.IGNORECASE)
_ASIDE = re.compile(
    r"\([^()]*\d[^()]*\)|[,;:—–-]?\s*\(?[$€£]\s?[\d.,]+.*$|[,;—–-]?\s*\bpar value\b.*$|\bno par\b.*$", re.IGNORECASE
)
_STRONG_PERCENT = re.compile(r"%|\bper\s?cent|\bpct\b|\bpercentage", re.IGNORECASE)
_STRONG_RATIO = re.compile(r"\bratio\b|\bmultiple\b|\btimes\b|\(x\)", re.IGNORECASE)
_TIME_COUNT = re.compile(r"\((?:in )?(?:years|months|days)\)|\b(?:term|life|period|duration)\b", re.IGNORECASE)
_PERCENT_MARK = re.compile(r"%|\bper\s?cent", re.IGNORECASE)
_MONEY_MARK = re.compile(cell_forms.CURRENCY)


_NAMED_RATE = re.compile(r"\d[\d.,]*\s?%(?=\s+\w)")
_UNIT_PRICE = re.compile(
    r"\bgrant[\s-]+date (?:fair|market) value\b|\b(?:exercise|strike|conversion|average|purchase) price\b(?! allocation)"
    r"|\bprice paid\b|\baverage (?:cost|price)\b",
    re.IGNORECASE,
)
_TOTAL_AMOUNT = re.compile(r"\b(?:total|aggregate|intrinsic)\b", re.IGNORECASE)
_STRONG_COUNT = re.compile(
    r"\bnumber of\b|\bcount\b|\bemployees\b|\bheadcount\b|\((?:in )?(?:years|months|days|units)\)|\bin years\b|^years$|\b(?:life|lives|term)\b.*\byears$",
    re.IGNORECASE,
)
_STRONG_SHARES = re.compile(
    r"\banti-?dilutive\b|\bshares used\b|\bweighted[\s-]+average\b|\bnumber of\b|\boutstanding\b|\bauthorized\b|^denominator\b",
    re.IGNORECASE,
)
_STOCK_UNITS = re.compile(
    r"\brestricted stock units\b|\b(?:stock|share|equity)[\s-]+based awards\b|\bRSUs?\b|\bPSUs?\b", re.IGNORECASE
)
_SHARES_LISTED = re.compile(
    r"\b(?:potentially |anti-?)?dilutive (?:\w+ )?(?:shares|securities|stock)\b|\bshares\b.{0,60}\bexcluded\b|\bnumber of shares\b"
    r"|\bshares of (?:\w+ )*(?:common|ordinary|capital) stock\b|\bshares outstanding\b|\bweighted[\s-]average (?:\w+ )*shares\b",
    re.IGNORECASE,
)
_BASIC_OR_DILUTED = re.compile(
    r"\W*(?:basic|diluted|assuming dilution|basic and diluted)(?:\s*\(.*\))?\W*", re.IGNORECASE
)
_STATEMENT_ASIDE = re.compile(r"\([^()]*\)|,?\s*\bexcept\b.*$", re.IGNORECASE)


@lru_cache(maxsize=65536)
def announced_unit(label: str) -> Unit | None:
    """The class that a label announces, its dates, par values, scale notes and bracketed figures set aside."""
    text = _NAMED_RATE.sub(" ", _ASIDE.sub(" ", label))
    if find_statement(text, loose=True) is not None:
        text = _STATEMENT_ASIDE.sub(" ", text)
    text = _without_periods(text).strip()
    if not text:
        return None
    if _UNIT_PRICE.search(text) and not _TOTAL_AMOUNT.search(text):
        return Unit.PER_SHARE
    if re.match(r"denominator\b", text, re.IGNORECASE):
        return Unit.SHARES
    if _SHARE_COUNT.search(text) and not _PRICE.search(text.replace("per share", "")):
        return Unit.SHARES
    unit = label_class(text)
    if unit is Unit.COUNT and _LENGTH.search(label) and not _TIME_COUNT.search(label):
        return None
    return unit


def _without_periods(text: str) -> str:
    for mention in reversed(find_periods(text)):
        text = text[: mention.span.start] + " " + text[mention.span.end :]
    return text


def is_possible(unit: Unit | None, text: str, labels: Iterable[str]) -> bool:
    """Whether a printed value can be of an announced class: large round amounts are no percentages or ratios."""
    whole = re.sub(r"\D", "", text.split(".")[0])
    grouped = "," in text or len(whole) > 3
    if unit in (Unit.PERCENT, Unit.RATIO, Unit.PERCENTAGE_POINT):
        strong = _STRONG_PERCENT if unit is not Unit.RATIO else _STRONG_RATIO
        is_strong = any(strong.search(label) for label in labels)
        return not grouped and (is_strong or "." in text or not whole)
    if unit is Unit.PER_SHARE:
        return "." in text or not grouped
    return True


class NeighbourUnits:
    """Units that bare numbers take from what stands around them in their column, row and table."""

    def __init__(self, table: Table, labels: Mapping[int, str], caption: str) -> None:
        self._units: dict[tuple[int, int], Unit] = {}
        self._money_columns = {
            column
            for cell in table.cells
            if cell.row >= table.header_rows and _MONEY_MARK.search(cell.text) and cell_forms.is_value(cell.text)
            for column in range(cell.column, cell.column + cell.column_span)
        }
        self._shares_rows = _sandwiched(table, labels)
        self._lists_shares = not self._money_columns and bool(_SHARES_LISTED.search(caption))
        self.has_money_marks = bool(self._money_columns)
        columns: dict[int, list[Cell]] = {}
        rows: dict[int, list[Cell]] = {}
        for cell in table.cells:
            if cell.row >= table.header_rows and (cell_forms.is_numeric(cell.text) or cell_forms.is_dash(cell.text)):
                columns.setdefault(cell.column, []).append(cell)
                rows.setdefault(cell.row, []).append(cell)
        for cells in columns.values():
            self._read_column(cells)
        for cells in rows.values():
            self._read_row(cells)

    def unit_at(self, cell: Cell) -> Unit | None:
        """The unit that the neighbours of a cell give it."""
        if cell.row in self._shares_rows and not _MONEY_MARK.search(cell.text):
            return Unit.SHARES
        return self._units.get((cell.row, cell.column))

    def default(self) -> Unit | None:
        """The unit that the caption gives to every bare number of the table."""
        return Unit.SHARES if self._lists_shares else None

    def is_money_column(self, column: int) -> bool:
        """Whether a currency sign stands anywhere in the body of a column."""
        return column in self._money_columns

    def _read_column(self, cells: list[Cell]) -> None:
        marks = [_mark(cell.text) for cell in cells]
        above = None
        following = _following_marks(marks)
        for cell, mark, below in zip(cells, marks, following, strict=True):
            if mark is not None:
                above = mark
                continue
            if above is Unit.PERCENT and below in (Unit.PERCENT, None) and _could_be_percent(cell.text):
                self._units[(cell.row, cell.column)] = Unit.PERCENT

    def _read_row(self, cells: list[Cell]) -> None:
        marks = [_mark(cell.text) for cell in cells]
        if Unit.PERCENT in marks and Unit.MONEY not in marks and len(cells) > 1:
            bare = [cell for cell, mark in zip(cells, marks, strict=True) if mark is None]
            framed = marks[0] is Unit.PERCENT and marks[-1] is Unit.PERCENT
            if all(_could_be_percent(cell.text) for cell in bare) and (framed or len(bare) < len(cells) / 2):
                for cell in bare:
                    self._units.setdefault((cell.row, cell.column), Unit.PERCENT)


def _following_marks(marks: Sequence[Unit | None]) -> list[Unit | None]:
    """For each place of a column the next mark below it."""
    following: list[Unit | None] = []
    below: Unit | None = None
    for mark in reversed(marks):
        following.append(below)
        below = mark or below
    return following[::-1]


def _sandwiched(table: Table, labels: Mapping[int, str]) -> frozenset[int]:
    """Rows without a class of their own between two rows of share counts (the dilutive effect of awards)."""
    units = [(row, announced_unit(labels[row])) for row in sorted(labels)]
    money = {cell.row for cell in table.cells if _MONEY_MARK.search(cell.text)}
    rows: set[int] = set()
    pending: list[int] = []
    open_above = False
    for row, unit in units:
        if unit is Unit.SHARES and _STRONG_SHARES.search(labels[row]):
            rows.update(pending if open_above else ())
            pending, open_above = [], True
        elif unit not in (None, Unit.SHARES) or row in money:
            pending, open_above = [], False
        else:
            pending.append(row)
    return frozenset(rows)


def _mark(text: str) -> Unit | None:
    if _PERCENT_MARK.search(text):
        return Unit.PERCENT
    return Unit.MONEY if _MONEY_MARK.search(text) else None


def _could_be_percent(text: str) -> bool:
    return "," not in text and len(re.sub(r"\D", "", text.split(".")[0])) <= 3


def unit_of(reading: Reading, neighbours: NeighbourUnits) -> Unit | None:
    """The class of a value that prints none: its row's, its column's, its neighbours', its sections'; else None."""
    text = reading.cell.text
    labels = (*reading.row_path, *reading.column_path)
    row = _row_unit(reading, neighbours)
    column = next((unit for head in reversed(reading.column_path) if (unit := announced_unit(head)) is not None), None)
    candidates: list[Unit | None] = []
    if Unit.PER_SHARE in (row, column):
        candidates.append(Unit.PER_SHARE)
    if column in (Unit.PERCENT, Unit.RATIO, Unit.SHARES):
        candidates.append(column)
    candidates += [row, column, neighbours.unit_at(reading.cell)]
    if row is None or not is_possible(row, text, labels):
        candidates += [announced_unit(section) for section in reversed(reading.row_path[:-1])]
        candidates += [neighbours.default(), _basic_or_diluted(reading)]
    if not neighbours.has_money_marks and any(_names_stock_units(label) for label in labels):
        candidates = [*(Unit.SHARES if unit is Unit.COUNT else unit for unit in candidates), Unit.SHARES]
    if neighbours.has_money_marks:
        is_counted = any(_counts(label) for label in labels)
        candidates = [unit for unit in candidates if unit is not Unit.COUNT or is_counted]
    return next((unit for unit in candidates if unit is not None and is_possible(unit, text, labels)), None)


@lru_cache(maxsize=16384)
def _names_stock_units(label: str) -> bool:
    return _STOCK_UNITS.search(label) is not None


@lru_cache(maxsize=16384)
def _counts(label: str) -> bool:
    return _STRONG_COUNT.search(label) is not None


def _basic_or_diluted(reading: Reading) -> Unit | None:
    """Rows that say only "Basic" or "Diluted" print earnings per share to the cent, and shares without cents."""
    if not reading.row_path or not _BASIC_OR_DILUTED.fullmatch(reading.row_path[-1]):
        return None
    return Unit.PER_SHARE if re.search(r"(?<!\d)\d{1,3}\.\d\d(?!\d)", reading.cell.text) else Unit.SHARES


def _row_unit(reading: Reading, neighbours: NeighbourUnits) -> Unit | None:
    """The class of the row label; a loose word of shares yields to a column that prints money."""
    if not reading.row_path:
        return None
    label = reading.row_path[-1]
    unit = announced_unit(label)
    if unit is Unit.SHARES and neighbours.is_money_column(reading.cell.column) and not _STRONG_SHARES.search(label):
        return None
    return unit
