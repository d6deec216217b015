"""From the accepted deltas of a concept to its page: a pure function, the same whatever order they came in."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from viska_assets.maintain.identity import with_names
from viska_assets.maintain.markdown import escape_markdown
from viska_assets.maintain.restating import Reason, same_figure, settle
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
from viska_assets.model.page import Computation, ConceptType, Frontmatter, Generated, Page, SourceEntry
from viska_assets.store.edits import HumanEdit

MARK = re.compile(r"\[@(\d+)\]")
MOST_COLUMNS = 6
RELATED_SECTION = {
    ConceptType.EVENT: SectionName.EVENTS,
    ConceptType.THESIS: SectionName.THESES,
    ConceptType.HOLDING: SectionName.HOLDINGS,
}


@dataclass(frozen=True)
class Related:
    """A page that another one links to."""

    concept_id: str
    type: ConceptType
    title: str
    day: str


@dataclass(frozen=True)
class Composed:
    """A page, which of its sources take the place of which, and the edits of people that do not fit it.

    ``replaced`` holds (older source id, newer source id, reason).
    """

    page: Page
    replaced: tuple[tuple[str, str, Reason], ...] = ()
    left_out: tuple[HumanEdit, ...] = ()


def compose_page(
    concept_id: str,
    deltas: Sequence[ConceptDelta],
    related: Iterable[Related],
    names: Mapping[str, str],
    *,
    producer: str,
) -> Composed:
    """The page of a concept.

    Args:
        concept_id: the page's id.
        deltas: every accepted delta of the concept, at least one.
        related: the pages that are about this concept.
        names: the printed names of issuers by concept.
        producer: who writes where the newest delta does not say, for ``generated.by``.

    Returns:
        A page whose times are those of its documents, so that the same deltas give the same bytes.
    """
    ordered = sorted(deltas, key=lambda delta: (delta.known_at, delta.document_id))
    newest = ordered[-1]
    title = with_names(newest.title, names)
    sources = _Sources()
    settled = settle(ordered)
    sections = _sections(settled.deltas, related, settled.history)
    body = [f"# {escape_markdown(title)}", *(_render_section(s, sources, names) for s in sections)]
    stale = [delta.stale_after for delta in ordered if delta.stale_after]
    head = Frontmatter(
        type=newest.type,
        title=title,
        description=with_names(newest.description, names),
        resource=next((d.resource for d in reversed(ordered) if d.resource), ""),
        tags=_union(delta.tags for delta in ordered),
        identifiers={key: value for delta in ordered for key, value in sorted(delta.identifiers.items())},
        aliases=_union(delta.aliases for delta in ordered),
        currency=next((d.currency for d in reversed(ordered) if d.currency), ""),
        sources=tuple(sources.entries.values()),
        generated=Generated(by=newest.drafted_by or producer, at=newest.known_at),
        timestamp=newest.known_at,
        stale_after=max(stale) if stale else None,
        supersedes=tuple(s for delta in ordered for s in delta.supersedes),
        extra={key: value for delta in ordered for key, value in sorted(delta.facts.items())},
    )
    replaced = tuple((sources.id_of(r.older), sources.id_of(r.newer), r.reason) for r in settled.replaced)
    return Composed(Page(concept_id=concept_id, head=head, body="\n\n".join(body) + "\n"), replaced)


@dataclass
class _Sources:
    """The page's ``sources``, each support once, under ids that depend on nothing but the support."""

    entries: dict[str, SourceEntry] = field(default_factory=dict)

    def mark(self, support: Support) -> str:
        return f"[^{self.id_of(support)}]"

    def id_of(self, support: Support) -> str:
        """The id of a support, which joins the page's sources."""
        if isinstance(support, Citation):
            return self._add_citation(support)
        operands = {name: self.id_of(operand) for name, operand in support.operands.items()}
        key = _short_hash("d", {"expression": support.expression, "operands": operands})
        named = " and ".join(dict.fromkeys(operands.values()))
        self.entries.setdefault(
            key,
            SourceEntry(
                id=key,
                resource=f"computed from {named}",
                computation=Computation(expression=support.expression, operands=operands, unit=support.unit),
            ),
        )
        return key

    def _add_citation(self, support: Citation) -> str:
        key = _short_hash("c", {"chunk": support.chunk, "locator": support.locator.model_dump()})
        self.entries.setdefault(
            key,
            SourceEntry(
                id=key,
                resource=f"/{support.source}.md",
                title=support.title,
                chunk=support.chunk,
                locator=support.locator,
                excerpt=support.excerpt,
                content_sha256=support.content_sha256,
            ),
        )
        return key


def _short_hash(letter: str, value: object) -> str:
    return letter + hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:9]


def _union(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(sorted({item for group in groups for item in group}))


def _sections(
    deltas: Sequence[ConceptDelta], related: Iterable[Related], history: Sequence[Statement]
) -> list[Section]:
    """All sections in the fixed order, each with the blocks of every delta, newest first."""
    blocks: dict[SectionName, list[Statement | FigureTable]] = {}
    for delta in reversed(deltas):
        for section in delta.sections:
            blocks.setdefault(section.name, []).extend(section.blocks)
    for name, statements in _related_statements(related).items():
        blocks.setdefault(name, []).extend(statements)
    if history:
        blocks.setdefault(SectionName.HISTORY, []).extend(history)
    return [Section(name=name, blocks=tuple(_merged(blocks[name]))) for name in SectionName if name in blocks]


def _related_statements(related: Iterable[Related]) -> dict[SectionName, list[Statement]]:
    found: dict[SectionName, list[Statement]] = {}
    for page in sorted(related, key=lambda page: (page.day, page.concept_id), reverse=True):
        section = RELATED_SECTION.get(page.type)
        if section:
            text = f"[{escape_markdown(page.title)}](/{page.concept_id}.md)"
            found.setdefault(section, []).append(Statement(text=text))
    return found


def _merged(blocks: list[Statement | FigureTable]) -> list[Statement | FigureTable]:
    """Statements each once; tables with the same corner joined into one, the newest document's cells first."""
    tables: dict[str, list[FigureTable]] = {}
    merged: list[Statement | FigureTable] = []
    for block in blocks:
        if isinstance(block, FigureTable):
            if block.corner not in tables:
                merged.append(block)
            tables.setdefault(block.corner, []).append(block)
        elif block not in merged:
            merged.append(block)
    return [_join(tables[block.corner]) if isinstance(block, FigureTable) else block for block in merged]


def _join(tables: list[FigureTable]) -> FigureTable:
    """One table of all cells. A cell that two documents fill differently stands twice, so that the gate sees it."""
    columns = sorted({column for table in tables for column in table.columns}, key=_column_rank, reverse=True)
    columns = columns[:MOST_COLUMNS]
    labels = list(dict.fromkeys(row.label for table in tables for row in table.rows))
    rows: list[FigureRow] = []
    for label in labels:
        rows.extend(_join_row(label, [row for table in tables for row in table.rows if row.label == label], columns))
    return FigureTable(corner=tables[0].corner, columns=tuple(columns), rows=tuple(rows))


def _join_row(label: str, rows: list[FigureRow], columns: list[str]) -> list[FigureRow]:
    joined: dict[str, FigureCell] = {}
    rest: list[FigureRow] = []
    for row in rows:
        conflicting = {}
        for column, cell in row.cells.items():
            if column not in columns:
                continue
            if not same_figure(joined.setdefault(column, cell).text, cell.text):
                conflicting[column] = cell
        if conflicting:
            rest.append(FigureRow(label=label, cells=conflicting))
    return [FigureRow(label=label, cells=joined), *rest] if joined else rest


def _column_rank(column: str) -> tuple[str, str]:
    """Newest first: by the last year named, then by the whole label."""
    years = re.findall(r"(?:19|20)\d{2}", column)
    return (years[-1] if years else "", column)


def _render_section(section: Section, sources: _Sources, names: Mapping[str, str]) -> str:
    lines: list[str] = [f"## {section.name.value}"]
    previous_bullet = False
    for block in section.blocks:
        if isinstance(block, FigureTable):
            lines += ["", *_render_table(block, sources)]
            previous_bullet = False
            continue
        if not (previous_bullet and block.bullet):
            lines.append("")
        text = _render_statement(block, sources, names)
        lines.append(f"* {text}" if block.bullet else text)
        previous_bullet = block.bullet
    return "\n".join(lines)


def _render_statement(statement: Statement, sources: _Sources, names: Mapping[str, str]) -> str:
    if not statement.supports:  # a document's own words, which have support, are never filled in
        return with_names(statement.text, names, escape_markdown)
    marks = [sources.mark(support) for support in statement.supports]
    placed = {int(at) for at in MARK.findall(statement.text)}
    text = MARK.sub(lambda match: marks[int(match.group(1))], statement.text)
    return text + "".join(mark for at, mark in enumerate(marks) if at not in placed)


def _render_table(table: FigureTable, sources: _Sources) -> list[str]:
    head = [table.corner, *table.columns]
    lines = [_table_line(head), _table_line(["---"] * len(head))]
    for row in table.rows:
        cells = [row.cells.get(column) for column in table.columns]
        lines.append(_table_line([row.label, *(_render_cell(cell, sources) for cell in cells)]))
    return lines


def _render_cell(cell: FigureCell | None, sources: _Sources) -> str:
    return f"{cell.text}{sources.mark(cell.support)}" if cell else ""


def _table_line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
