"""What a table of positions adds: one Holding page a position, each number cited to its cell."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from viska_assets.maintain.extractive.citing import cite
from viska_assets.maintain.extractive.view import DocumentView
from viska_assets.maintain.identity import AliasKind, AliasTable, name_of, normalise_name
from viska_assets.model.delta import ConceptDelta, FigureCell, FigureRow, FigureTable, Section, SectionName
from viska_assets.model.evidence import Evidence
from viska_assets.model.page import FOLDER_OF_TYPE, ConceptType
from viska_assets.model.span import Span
from viska_assets.model.views import CitedChunk
from viska_assets.okf.slugs import slugify
from viska_assets.text.printing import print_figure

HOLDING_FRESHNESS = timedelta(days=7)
SEPARATOR = " | "  # how a cleaned table parts its cells


@dataclass(frozen=True)
class Position:
    """One row of the table: its texts by column name, and its evidence by column name."""

    row: dict[str, str]
    figures: dict[str, tuple[CitedChunk, Evidence]]


def draft_holdings(view: DocumentView, aliases: AliasTable) -> list[ConceptDelta]:
    """The Holding deltas of a table of positions, and the issuers that they are positions in."""
    deltas: list[ConceptDelta] = []
    for position in _positions(view.chunks):
        holding = _holding(view, position, aliases)
        deltas += [_issuer(view, holding), holding] if holding.about else [holding]
    return deltas


def _issuer(view: DocumentView, holding: ConceptDelta) -> ConceptDelta:
    """The issuer of a position by its names alone, so that the position's page links to something."""
    name = name_of(holding.about)
    return ConceptDelta(
        concept_id=holding.about,
        type=ConceptType.ISSUER,
        title=name,
        description=f"Key figures of {name} as filed, with events, theses and holdings.",
        document_id=view.stored.document_id,
        known_at=view.stored.known_at,
        identifiers=holding.identifiers,
    )


def names_in_holdings(chunks: Iterable[CitedChunk]) -> list[list[tuple[str, AliasKind]]]:
    """The names of each position: the portfolio's own list is where an issuer may be met for the first time."""
    return [_names(position.row) for position in _positions(chunks)]


def incomplete_rows(chunks: Iterable[CitedChunk]) -> list[str]:
    """The lines that do not have a value for every column, which no page can be made of."""
    return [line for line, values, header, _ in table_lines(chunks) if len(values) != len(header)]


def _names(row: dict[str, str]) -> list[tuple[str, AliasKind]]:
    names = [(row.get("isin", "").upper(), AliasKind.ISIN), (row.get("ticker", "").upper(), AliasKind.TICKER)]
    name = row.get("name") or row.get("position") or ""
    if name:
        names += [(normalise_name(name), AliasKind.NAME), (name, AliasKind.PRINTED)]
    return [(alias, kind) for alias, kind in names if alias]


def table_lines(chunks: Iterable[CitedChunk]) -> Iterator[tuple[str, list[str], list[str], tuple[CitedChunk, Span]]]:
    """Each line below the header with its values, the header, and where the line stands."""
    header: list[str] | None = None
    for chunk in chunks:
        offset = chunk.span.start
        for line in chunk.text.splitlines(keepends=True):
            span = Span(offset, offset + len(line))
            offset = span.end
            values = [value.strip() for value in line.strip().split(SEPARATOR)]
            if header is None:
                header = [value.lower() for value in values]
            else:
                yield line.strip(), values, header, (chunk, span)


def _positions(chunks: Iterable[CitedChunk]) -> Iterator[Position]:
    """The complete rows, each with the evidence that lies on its line."""
    for _, values, header, (chunk, span) in table_lines(chunks):
        row = dict(zip(header, values, strict=False))
        if len(values) == len(header) and (row.get("ticker") or row.get("isin")):
            yield Position(row, _figures_on(chunk, span))


def _figures_on(chunk: CitedChunk, line: Span) -> dict[str, tuple[CitedChunk, Evidence]]:
    return {
        evidence.column_path[-1].lower(): (chunk, evidence)
        for evidence in chunk.evidence
        if line.covers(evidence.span) and evidence.column_path
    }


def _holding(view: DocumentView, position: Position, aliases: AliasTable) -> ConceptDelta:
    row = position.row
    issuer = aliases.resolve(_names(row)).concept_id
    name = row.get("name") or row.get("position") or row.get("ticker") or row["isin"]
    slug = issuer.rsplit("/", 1)[-1] if issuer else slugify(name)
    identifiers = {key: row.get(key, "") for key in ("ticker", "isin")}
    return ConceptDelta(
        concept_id=f"{FOLDER_OF_TYPE[ConceptType.HOLDING]}/{slug}",
        type=ConceptType.HOLDING,
        title=f"Holding of {name}",
        description=f"The position in {name} as the holdings file states it.",
        document_id=view.stored.document_id,
        known_at=view.stored.known_at,
        about=issuer or "",
        identifiers={key: value for key, value in identifiers.items() if value},
        currency=row.get("currency", ""),
        facts={"as_of": row["as_of"]} if row.get("as_of") else {},
        sections=(Section(name=SectionName.POSITION, blocks=(_position_table(view, position),)),),
        stale_after=view.stored.known_at + HOLDING_FRESHNESS,
    )


def _position_table(view: DocumentView, position: Position) -> FigureTable:
    rows = []
    column = f"At {position.row.get('as_of') or view.stored.known_at.date().isoformat()}"
    for name, (chunk, evidence) in position.figures.items():
        citation = cite(chunk, evidence, view.title)
        if citation is None:
            continue
        label = name.replace("_", " ").capitalize()
        cell = FigureCell(text=print_figure(evidence), support=citation)
        rows.append(FigureRow(label=label, cells={column: cell}))
    return FigureTable(corner="Position", columns=(column,), rows=tuple(rows))
