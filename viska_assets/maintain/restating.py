"""Which of several documents' words stands on a page, and which becomes history: restatements and revised views."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from viska_assets.model.claim import Claim
from viska_assets.model.delta import (
    Citation,
    ConceptDelta,
    FigureCell,
    FigureRow,
    FigureTable,
    Section,
    SectionName,
    Statement,
    Support,
)
from viska_assets.model.page import CellLocator, ConceptType, Page, Supersession
from viska_assets.text.metrics import normal_label
from viska_assets.text.quantities import Side, read_quantities

Reason = Literal["restatement", "revision"]
# What of a house's view a later note replaces as a whole.
REVISED_TOGETHER = (SectionName.VIEW, SectionName.ARGUMENTS, SectionName.RISKS)


CellKey = tuple[str, str, str]
"""A cell of a page's tables: corner, row label and column."""


@dataclass(frozen=True)
class _Printed:
    """A cell as one document fills it; ``is_comparative`` where the document has a newer column beside it."""

    cell: FigureCell
    is_comparative: bool


@dataclass(frozen=True)
class Replaced:
    """Support of an older claim, the support of the newer one that takes its place, and why."""

    older: Support
    newer: Support
    reason: Reason


@dataclass(frozen=True)
class Settled:
    """Deltas of a concept without what later documents replace, the history of that, and who replaced what."""

    deltas: tuple[ConceptDelta, ...]
    history: tuple[Statement, ...]
    replaced: tuple[Replaced, ...]


def settle(deltas: Sequence[ConceptDelta]) -> Settled:
    """Takes from older deltas what newer ones restate or revise.

    Args:
        deltas: of one concept, by knowledge.

    Returns:
        The deltas in the same order. A figure is restated where a later document prints another one for the same
        row label as a comparative column beside its own newer period; any other difference is left to the gate,
        as a contradiction. A house's view is revised by its next note of a later day, and of a computed figure only
        the newest calculation stands.
    """
    match deltas[-1].type:
        case ConceptType.THESIS:
            return _revised(deltas)
        case ConceptType.METRIC:
            return Settled((*(_emptied(delta) for delta in deltas[:-1]), deltas[-1]), (), ())
        case _:
            return _restated(deltas)


def _emptied(delta: ConceptDelta) -> ConceptDelta:
    return delta.model_copy(update={"sections": ()})


def supersessions(page: Page, replaced: Iterable[tuple[str, str, Reason]], claims: Sequence[Claim]) -> Page:
    """The page with a ``supersedes`` entry for each replaced claim that the newer source states under the same key.

    Args:
        page: without these entries.
        replaced: (older source id, newer source id, reason).
        claims: of the page.
    """
    entries = dict.fromkeys(
        Supersession(claim=older.claim_id, by=newer_id, reason=reason)
        for older_id, newer_id, reason in replaced
        for older in claims
        if older.source_id == older_id
        for newer in _stated_by(newer_id, older, claims)
        if newer.claim_id != older.claim_id
    )
    head = page.head.model_copy(update={"supersedes": (*page.head.supersedes, *entries)})
    return page.model_copy(update={"head": head})


def _stated_by(source_id: str, like: Claim, claims: Sequence[Claim]) -> Iterator[Claim]:
    """What a source states of the subject of another claim."""
    return (claim for claim in claims if claim.source_id == source_id and _subject(claim) == _subject(like))


def _subject(claim: Claim) -> object:
    key = claim.key
    return (key.entity, key.metric, key.period, key.segment, key.basis, key.scenario, key.asserter, key.unit)


def _restated(deltas: Sequence[ConceptDelta]) -> Settled:
    newest: dict[CellKey, _Printed] = {}
    history: list[Statement] = []
    replaced: list[Replaced] = []
    kept: list[ConceptDelta] = []
    for delta in reversed(deltas):
        cells = dict(_cells(delta))
        dropped: set[CellKey] = set()
        for key, printed in cells.items():
            above = newest.get(key)
            if above is None or same_figure(above.cell.text, printed.cell.text):
                continue
            if not isinstance(printed.cell.support, Citation):  # computed from what was restated
                dropped.add(key)
            elif above.is_comparative and _same_row(above.cell.support, printed.cell.support):
                history.append(_once_stated(key, printed.cell, above.cell))
                replaced.append(Replaced(printed.cell.support, above.cell.support, "restatement"))
                dropped.add(key)
        kept.append(_without(delta, dropped) if dropped else delta)
        newest = cells | newest
    return Settled(tuple(reversed(kept)), tuple(history), tuple(replaced))


def _cells(delta: ConceptDelta) -> Iterator[tuple[CellKey, _Printed]]:
    for table in _tables(delta):
        newest = _newest_column(table)
        for row in table.rows:
            for column, cell in row.cells.items():
                yield (table.corner, row.label, column), _Printed(cell, column != newest)


def _tables(delta: ConceptDelta) -> Iterable[FigureTable]:
    return (block for section in delta.sections for block in section.blocks if isinstance(block, FigureTable))


def _newest_column(table: FigureTable) -> str:
    return max(table.columns, key=lambda column: column.split()[-1], default="")


def _same_row(newer: Support, older: Support) -> bool:
    """Whether two citations name the same printed row: a figure under another label is another figure."""
    if not (isinstance(newer, Citation) and isinstance(older, Citation)) or newer.source == older.source:
        return False
    if not (isinstance(newer.locator, CellLocator) and isinstance(older.locator, CellLocator)):
        return False
    rows = [normal_label(locator.row.split(" / ")[-1]) for locator in (newer.locator, older.locator)]
    return rows[0] == rows[1]


def _once_stated(key: CellKey, older: FigureCell, newer: FigureCell) -> Statement:
    _, label, column = key
    text = f"{label}, {column[0].lower()}{column[1:]}: {older.text}[@0] as first stated, {newer.text}[@1] as restated"
    return Statement(text=text, supports=(older.support, newer.support))


def _without(delta: ConceptDelta, dropped: set[CellKey]) -> ConceptDelta:
    sections = []
    for section in delta.sections:
        blocks = [_thinned(b, dropped) if isinstance(b, FigureTable) else b for b in section.blocks]
        sections.append(Section(name=section.name, blocks=tuple(b for b in blocks if b is not None)))
    return delta.model_copy(update={"sections": tuple(sections)})


def _thinned(table: FigureTable, dropped: set[CellKey]) -> FigureTable | None:
    rows = []
    for row in table.rows:
        cells = {c: cell for c, cell in row.cells.items() if (table.corner, row.label, c) not in dropped}
        if cells:
            rows.append(FigureRow(label=row.label, cells=cells))
    return table.model_copy(update={"rows": tuple(rows)}) if rows else None


@lru_cache(maxsize=8192)
def same_figure(one: str, two: str) -> bool:
    """Whether two printed figures of one unit can be the same number: their rounding intervals meet."""
    if one == two:
        return True
    first, second = (read_quantities(text, side=Side.PAGE) for text in (one, two))
    if len(first) != 1 or len(second) != 1:
        return False
    a, b = first[0], second[0]
    if (a.unit, a.currency) != (b.unit, b.currency):
        return False
    return abs(a.value - b.value) <= (a.quantum + b.quantum) / 2


def _revised(deltas: Sequence[ConceptDelta]) -> Settled:
    newest = next((d for d in reversed(deltas) if _view_of(d)), deltas[-1])
    history: list[Statement] = []
    replaced: list[Replaced] = []
    kept: list[ConceptDelta] = []
    for delta in reversed(deltas):
        if not _view_of(delta) or delta.known_at.date() >= newest.known_at.date():
            kept.append(delta)
            continue
        history += [s for name in REVISED_TOGETHER for s in _statements(delta, name)]
        replaced += [
            Replaced(older, newer, "revision")
            for old in _view_of(delta)
            for new in _view_of(newest)
            for older in old.supports
            for newer in new.supports
        ]
        sections = tuple(section for section in delta.sections if section.name not in REVISED_TOGETHER)
        kept.append(delta.model_copy(update={"sections": sections}))
    return Settled(tuple(reversed(kept)), tuple(history), tuple(replaced))


def _view_of(delta: ConceptDelta) -> list[Statement]:
    return _statements(delta, SectionName.VIEW)


def _statements(delta: ConceptDelta, name: SectionName) -> list[Statement]:
    blocks = (block for section in delta.sections if section.name is name for block in section.blocks)
    return [block for block in blocks if isinstance(block, Statement)]


def with_successors(claims: Sequence[Claim], entries: Sequence[Supersession]) -> tuple[Claim, ...]:
    """The claims of a page, those that its ``supersedes`` entries replace marked with the claim that replaces them."""
    by_id = {claim.claim_id: claim for claim in claims}
    successor = {
        entry.claim: newer.claim_id
        for entry in entries
        if entry.claim in by_id
        for newer in _stated_by(entry.by, by_id[entry.claim], claims)
    }
    return tuple(
        replace(claim, superseded_by=successor[claim.claim_id]) if claim.claim_id in successor else claim
        for claim in claims
    )
