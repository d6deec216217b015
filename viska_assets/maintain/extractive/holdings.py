"""What a table of positions adds: one Holding page a position, each number cited to its cell."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from viska_assets.maintain.extractive.citing import cite_cell
from viska_assets.maintain.extractive.formatting import CURRENCY_SIGNS, print_digits
from viska_assets.maintain.extractive.view import DocumentView
from viska_assets.maintain.identity import AliasKind, AliasTable, normalise_name
from viska_assets.model.delta import ConceptDelta, FigureCell, FigureRow, FigureTable, Section, SectionName
from viska_assets.model.evidence import Evidence
from viska_assets.model.page import FOLDER_OF_TYPE, ConceptType
from viska_assets.model.span import Span
from viska_assets.model.views import CitedChunk
from viska_assets.okf.slugs import slugify

HOLDING_FRESHNESS = timedelta(days=7)
_NOT_FIGURES = frozenset({"date", "as_of", "as of", "isin", "ticker", "cik", "lei"})


@dataclass(frozen=True)
class Position:
    """One row of the table: its texts by column name, and its evidence by column name."""

    row: dict[str, str]
    figures: dict[str, tuple[CitedChunk, Evidence]]


def draft_holdings(view: DocumentView, aliases: AliasTable) -> tuple[list[ConceptDelta], list[str]]:
    """The Holding deltas of a table of positions, and the names that no issuer is known by."""
    deltas, unresolved = [], []
    for position in _positions(view):
        delta, resolved = _holding(view, position, aliases)
        deltas.append(delta)
        if not resolved:
            unresolved.append(position.row.get("ticker") or position.row.get("isin") or position.row.get("name", "?"))
    return deltas, unresolved


def _positions(view: DocumentView) -> Iterator[Position]:
    """The rows of the delimited text, each with the evidence that lies on its line."""
    header: list[str] | None = None
    for chunk in view.chunks:
        offset = chunk.span.start
        for line in chunk.text.splitlines(keepends=True):
            span = Span(offset, offset + len(line))
            offset = span.end
            values = next(csv.reader(io.StringIO(line)), [])
            if header is None:
                header = [value.strip().lower() for value in values]
                continue
            if len(values) != len(header):
                continue
            row = {name: value.strip() for name, value in zip(header, values, strict=True)}
            if row.get("ticker") or row.get("isin"):
                yield Position(row, _figures_on(chunk, span))


def _figures_on(chunk: CitedChunk, line: Span) -> dict[str, tuple[CitedChunk, Evidence]]:
    return {
        evidence.column_path[-1].lower(): (chunk, evidence)
        for evidence in chunk.evidence
        if line.covers(evidence.span) and evidence.column_path
    }


def _holding(view: DocumentView, position: Position, aliases: AliasTable) -> tuple[ConceptDelta, bool]:
    row = position.row
    ticker = row.get("ticker", "").upper()
    names = [(row.get("isin", ""), AliasKind.ISIN), (ticker, AliasKind.TICKER)]
    if row.get("name"):
        names.append((normalise_name(row["name"]), AliasKind.NAME))
    issuer = aliases.resolve([(alias, kind) for alias, kind in names if alias]).concept_id
    slug = issuer.rsplit("/", 1)[-1] if issuer else slugify(row.get("name") or ticker or row["isin"])
    title = row.get("name") or ticker
    delta = ConceptDelta(
        concept_id=f"{FOLDER_OF_TYPE[ConceptType.HOLDING]}/{slug}",
        type=ConceptType.HOLDING,
        title=f"Holding of {title}",
        description=f"The position in {title} as the holdings file states it.",
        document_id=view.stored.document_id,
        known_at=view.stored.known_at,
        about=issuer or "",
        identifiers={key: value for key, value in (("ticker", ticker), ("isin", row.get("isin", ""))) if value},
        currency=row.get("currency", ""),
        facts={"as_of": row["as_of"]} if row.get("as_of") else {},
        sections=(Section(name=SectionName.POSITION, blocks=(_position_table(view, position),)),),
        stale_after=view.stored.known_at + HOLDING_FRESHNESS,
    )
    return delta, issuer is not None


def _position_table(view: DocumentView, position: Position) -> FigureTable:
    rows = []
    column = f"At {view.stored.known_at.date().isoformat()}"
    for name, (chunk, evidence) in position.figures.items():
        citation = cite_cell(chunk, evidence, view.title)
        if citation is None or name in _NOT_FIGURES:
            continue
        label = name.replace("_", " ").capitalize()
        cell = FigureCell(text=_print(evidence), support=citation)
        rows.append(FigureRow(label=label, cells={column: cell}))
    return FigureTable(corner="Position", columns=(column,), rows=tuple(rows))


def _print(evidence: Evidence) -> str:
    sign = "-" if evidence.value < 0 else ""
    currency = CURRENCY_SIGNS.get(evidence.currency, f"{evidence.currency} ") if evidence.currency else ""
    return f"{sign}{currency}{print_digits(evidence)}"
