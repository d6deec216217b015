"""Positions and closes out of the stored tables, and the calculation delivered as a document of its own."""

from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path

from viska_assets.maintain.calculations.document import twr_document
from viska_assets.maintain.calculations.portfolio import CalculationError, Close, Snapshot, value_portfolio
from viska_assets.maintain.extractive.holdings import table_lines
from viska_assets.maintain.extractive.view import DocumentClass, classify
from viska_assets.model.views import CitedChunk
from viska_assets.store.chunks import document_chunks
from viska_assets.store.database import Connection
from viska_assets.store.documents import StoredDocument, add_incident, tables_of_figures

FEED = "calculations"


def calculate_portfolio(connection: Connection, folder: Path) -> Path | None:
    """Writes the calculation of the portfolio's return into a folder, named by its last day.

    Args:
        connection: the retrieval tier; a calculation that is impossible is noted there as an incident, once.
        folder: where calculation documents are kept as files; made if missing.

    Returns:
        The file, or None where the documents do not suffice.
    """
    snapshots, closes = read_tables(connection)
    if not snapshots or not closes:
        return None
    try:
        portfolio = value_portfolio(snapshots, closes)
    except CalculationError as error:
        add_incident(connection, "no_calculation", f"portfolio-twr: {error}")
        return None
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"portfolio-twr-{portfolio.valuations[-1].day.isoformat()}.md"
    scratch = path.with_suffix(".partial")
    scratch.write_text(twr_document(portfolio), encoding="utf-8")
    scratch.replace(path)
    return path


def read_tables(connection: Connection) -> tuple[list[Snapshot], list[Close]]:
    """The position tables and closes of all stored documents."""
    snapshots: list[Snapshot] = []
    closes: list[Close] = []
    for stored in tables_of_figures(connection):
        chunks = document_chunks(connection, stored.document_id)
        match classify(stored, chunks[0].text if chunks else ""):
            case DocumentClass.HOLDINGS:
                snapshots += _snapshots(stored, _rows(chunks))
            case DocumentClass.PRICES:
                closes += [close for row in _rows(chunks) if (close := _close(stored, row))]
            case _:
                pass
    return snapshots, closes


def _rows(chunks: Iterable[CitedChunk]) -> Iterator[dict[str, str]]:
    """The complete rows by column name."""
    for _, values, header, _ in table_lines(chunks):
        if len(values) == len(header):
            yield dict(zip(header, values, strict=True))


def _snapshots(stored: StoredDocument, rows: Iterable[dict[str, str]]) -> list[Snapshot]:
    """One snapshot a day and currency that the table names; a table without days holds from when it was known."""
    found: dict[tuple[date, str], dict[str, Decimal]] = {}
    for row in rows:
        quantity = _decimal(row.get("quantity", ""))
        ticker = row.get("ticker", "").upper() or row.get("isin", "").upper()
        day = _day(row.get("as_of", "")) or stored.known_at.date()
        if quantity is not None and ticker:
            held = found.setdefault((day, row.get("currency", "")), {})
            held[ticker] = held.get(ticker, Decimal(0)) + quantity
    return [Snapshot(day, held, currency, _named(stored)) for (day, currency), held in found.items()]


def _close(stored: StoredDocument, row: dict[str, str]) -> Close | None:
    day, price = _day(row.get("date", "")), _decimal(row.get("close", ""))
    ticker = (row.get("ticker") or row.get("symbol") or "").upper()
    if day is None or price is None or not ticker:
        return None
    return Close(day, ticker, price, row.get("currency", ""), _named(stored))


def _named(stored: StoredDocument) -> str:
    return f"{stored.name} (sha256 {stored.document_id})"


def _decimal(text: str) -> Decimal | None:
    try:
        value = Decimal(text.replace(",", ""))
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None
