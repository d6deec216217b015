"""Evidence of a table: every value cell, and every number inside its labels, with unit, scale and period."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import chain

from viska_assets.ingest import cell_forms
from viska_assets.ingest.calendars import Calendar
from viska_assets.ingest.evidence_periods import holds_balances, period_of_labels
from viska_assets.ingest.listed import with_listed_units
from viska_assets.ingest.plain_cells import read_plain_cell
from viska_assets.ingest.scales import ScaleStatement, find_statement
from viska_assets.ingest.statements import basis_of, scenario_of
from viska_assets.ingest.table_grid import Reading, TableReader, is_scale_note
from viska_assets.ingest.table_units import NeighbourUnits, announced_unit, unit_of
from viska_assets.model.document import Table
from viska_assets.model.evidence import Evidence, ScaleSource, Unit
from viska_assets.text.cells import read_cell
from viska_assets.text.quantities import read_quantities
from viska_assets.text.quantity import Quantity, Role
from viska_assets.text.units import currency_of

_SCALED = frozenset({Unit.MONEY, Unit.SHARES, Unit.COUNT})
_RAISED = re.compile(r"[⁰¹²³⁴-⁹⁽⁾ᵃ-ᶻʰʲʳˢʷˣʸˡ]")
_EXPLICIT_MONEY = re.compile(cell_forms.CURRENCY)


_LABELLED = re.compile(
    r"(?<![A-Za-z])(?:US|C|A|HK|NZ|S|R)?\$|[€£¥₹]|\b(?:USD|EUR|GBP|JPY|CHF|DKK|SEK|NOK|CNY|RMB|INR|CAD|AUD)(?=m?n?\b|bn\b|k\b)"
)
# A printed amount that its table's scale would lift beyond any company's books is printed in full (cover pages).
_LARGEST = {Unit.MONEY: 14, Unit.SHARES: 12, Unit.COUNT: 12}


@dataclass(frozen=True, slots=True)
class TableContext:
    """What stands around a table: captions nearest first, and scale statements by where they stand."""

    captions: tuple[str, ...]
    notes: tuple[tuple[ScaleSource, ScaleStatement], ...]
    currency: str | None
    locale: str
    calendar: Calendar
    entity: str | None = None


@dataclass(frozen=True, slots=True)
class _Scale:
    power: int
    source: ScaleSource
    currency: str | None = None


_UNSTATED = _Scale(0, ScaleSource.NONE)


class TableEvidence:
    """Reads one table; ``evidence`` yields records without a chunk yet."""

    def __init__(self, table: Table, context: TableContext) -> None:
        self._table = table
        self._context = context
        self._reader = TableReader(table)
        self._caption = self._caption_statement()
        labels = {r.cell.row: r.row_path[-1] for r in self._reader.readings() if r.row_path and r.column_path}
        caption = " ".join((table.caption, *context.captions[:2], *self._reader.stub_texts()))
        self._around = context.notes
        if self._caption is not None:
            self._around = ((ScaleSource.CAPTION, self._caption), *context.notes)
        self._by_path: dict[tuple[ScaleSource, tuple[str, ...]], tuple[tuple[ScaleSource, ScaleStatement], ...]] = {}
        self._corner = self._reader.corner_texts()
        self._balances = holds_balances([*labels.values(), *context.captions[:1]])
        self._neighbours = NeighbourUnits(table, labels, caption)
        self._has_money = self._states_money()

    def evidence(self) -> Iterator[Evidence]:
        """All numbers of the table, in reading order."""
        for reading in self._reader.readings():
            has_digit = any(map(str.isdigit, reading.cell.text))
            if not has_digit and not cell_forms.is_dash(reading.cell.text):
                continue
            is_value = bool(reading.column_path or reading.row_path) and cell_forms.is_value(reading.cell.text)
            if not reading.is_header and is_value and reading.cell.column >= self._reader.stub_columns:
                found = self._value(reading)
                if found is not None:
                    yield found
                    continue
            if has_digit:
                yield from self._inside_label(reading)

    def _caption_statement(self) -> ScaleStatement | None:
        """The statement of the caption or of a header cell that is no column's own header."""
        texts = [self._table.caption] if self._table.caption else []
        wide = max(2, self._table.columns - self._reader.stub_columns)
        for row in range(self._table.header_rows):
            for cell in self._reader.by_row[row]:
                if cell.column < self._reader.stub_columns or cell.column_span >= wide:
                    texts.append(cell.text)
        for row in range(self._table.header_rows, min(self._table.rows, self._table.header_rows + 2)):
            cells = self._reader.by_row[row]
            if len(cells) == 1 and not cell_forms.is_value(cells[0].text):
                texts.append(cells[0].text)
        for text in texts:
            statement = find_statement(text, loose=True)
            if statement is not None:
                return statement
        return None

    def _states_money(self) -> bool:
        if self._caption is not None and (self._caption.currency or self._caption.scale is not None):
            return True
        if any(statement.scale is not None and not statement.counted for _, statement in self._context.notes):
            return True
        heads = (find_statement(text, loose=True) for text in self._reader.stub_texts())
        if any(head is not None and head.scale is not None and not head.counted for head in heads):
            return True
        return any(
            _EXPLICIT_MONEY.search(cell.text)
            for cell in self._table.cells
            if cell.row < self._table.header_rows or cell_forms.is_value(cell.text)
        )

    def _scale(self, unit: Unit, reading: Reading) -> _Scale:
        """The nearest scale statement that speaks for a class of number (GUARDRAIL §2.3)."""
        labels = [text for text in (*reading.row_path, *reading.column_path) if not is_scale_note(text)]
        for source, statement in chain(
            self._stated(ScaleSource.COLUMN, reading.column_path),
            self._stated(ScaleSource.ROW, reading.row_path),
            self._around,
        ):
            if (power := statement.scale_for(unit, labels)) is not None:
                return _Scale(power, source, statement.currency)
        return _UNSTATED

    def _stated(self, source: ScaleSource, path: tuple[str, ...]) -> tuple[tuple[ScaleSource, ScaleStatement], ...]:
        """The scale statements of a path of labels, innermost first, read once for all cells under it."""
        stated = self._by_path.get((source, path))
        if stated is None:
            found = (find_statement(text, loose=True) for text in reversed(path))
            stated = tuple((source, statement) for statement in found if statement is not None)
            self._by_path[source, path] = stated
        return stated

    def _labelled_currency(self, reading: Reading) -> str | None:
        """The currency that the labels of a bare number print: its column, its row, the table's corner."""
        for text in (*reversed(reading.column_path), *reading.row_path[-1:], *self._corner, self._table.caption):
            if (mark := _labelled_mark(text)) is not None:
                return currency_of(mark, self._context.currency, self._context.locale)
        return None

    def _counts_things(self, reading: Reading) -> bool:
        """Whether the nearest statement scales things ("thousands of barrels daily") rather than money."""
        stated = self._stated(ScaleSource.COLUMN, reading.column_path)
        stated = stated or self._stated(ScaleSource.ROW, reading.row_path)
        if stated:
            return stated[0][1].counted
        return self._caption is not None and self._caption.counted

    def _value(self, reading: Reading) -> Evidence | None:
        cell = reading.cell
        hint = unit_of(reading, self._neighbours)
        if hint is None:
            hint = Unit.MONEY if self._has_money and not self._counts_things(reading) else Unit.COUNT
        if hint in (Unit.SHARES, Unit.COUNT, Unit.RATIO) and _EXPLICIT_MONEY.match(cell.text.lstrip("(")):
            hint = Unit.MONEY
        text = _plain(cell.text)
        quantity = None
        if self._context.locale == "en":
            quantity = read_plain_cell(text, unit=hint, currency=self._context.currency)
        if quantity is None:
            quantity = read_cell(text, locale=self._context.locale, unit=hint, currency=self._context.currency)
        if quantity is None:
            return None
        return self._evidence(quantity, reading, cell.span.start)

    def _evidence(self, quantity: Quantity, reading: Reading, start: int) -> Evidence:
        scale, source = quantity.scale, ScaleSource.CELL
        value, quantum = quantity.value, quantity.quantum
        is_marked = _EXPLICIT_MONEY.search(reading.cell.text) is not None
        currency = quantity.currency if is_marked else self._labelled_currency(reading)
        if not quantity.scale_explicit and quantity.unit in _SCALED:
            stated = self._scale(quantity.unit, reading)
            if stated.power and abs(quantity.value).adjusted() + stated.power > _LARGEST[quantity.unit]:
                stated = _UNSTATED
            if stated.power:
                value, quantum = value.scaleb(stated.power), _scaled_place(str(quantum), stated.power)
            scale, source = stated.power, stated.source
            if quantity.unit is Unit.MONEY:
                currency = currency or stated.currency
        elif not quantity.scale_explicit:
            source = ScaleSource.NONE
        is_amount = quantity.unit in (Unit.MONEY, Unit.PER_SHARE)
        currency = (currency or self._context.currency) if is_amount else None
        labels = (*reading.row_path, *reading.column_path, *self._context.captions[:1])
        return Evidence(
            chunk_id="",
            span=quantity.span.shifted(start),
            printed=quantity.extent.of(reading.cell.text) or reading.cell.text,
            value=value,
            quantum=quantum,
            unit=quantity.unit,
            currency=currency,
            scale=scale,
            scale_source=source,
            sign=quantity.sign,
            bound=quantity.bound,
            row_path=reading.row_path,
            column_path=reading.column_path,
            cell=_cell_name(reading.cell.column, reading.cell.row),
            period=period_of_labels(
                reading.column_path,
                reading.row_path,
                self._context.captions,
                self._context.calendar,
                balances=self._balances,
                corner=self._corner,
            ),
            entity=self._context.entity,
            basis=basis_of(labels),
            scenario=scenario_of(labels),
        )

    def _inside_label(self, reading: Reading) -> Iterator[Evidence]:
        """Numbers printed inside a label or a text cell (par values, allowances, share counts)."""
        text = reading.cell.text
        quantities = read_quantities(text, locale=self._context.locale, currency=self._context.currency)
        for quantity in with_listed_units(text, quantities):
            if quantity.role is not Role.FIGURE or quantity.malformed or quantity.spelled:
                continue
            if reading.is_header and quantity.unit is Unit.COUNT:
                continue
            if quantity.unit is Unit.COUNT and not quantity.noun and announced_unit(text) is Unit.SHARES:
                quantity = replace(quantity, unit=Unit.SHARES)
            yield self._evidence(
                quantity, replace(reading, row_path=(*reading.row_path, text)), reading.cell.span.start
            )


@lru_cache(maxsize=16384)
def _labelled_mark(label: str) -> str | None:
    """The mark of a currency that a label prints."""
    mark = _LABELLED.search(label)
    return mark[0] if mark is not None else None


def _plain(text: str) -> str:
    """The cell without the superscript marks behind its number; same length, so that spans hold."""
    return text if text.isascii() else _RAISED.sub(" ", text)


# A filing has few place values and few places of cells; one object each serves its million numbers.
@lru_cache(maxsize=256)
def _scaled_place(quantum: str, power: int) -> Decimal:
    return Decimal(quantum).scaleb(power)


@lru_cache(maxsize=16384)
def _cell_name(column: int, row: int) -> str:
    return f"{column_letters(column)}{row + 1}"


@lru_cache(maxsize=1024)
def column_letters(column: int) -> str:
    """A column as a spreadsheet names it: 0 is A, 26 is AA."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
