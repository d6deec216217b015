"""The parts of an issuer as its filing tags them: revenue and operating income by segment, product and region."""

from collections.abc import Iterator
from dataclasses import dataclass

from viska_assets.maintain.extractive.citing import cite
from viska_assets.maintain.extractive.figures import PAGE_LABELS
from viska_assets.maintain.extractive.view import DocumentView
from viska_assets.model.delta import Citation, FigureCell, FigureRow, FigureTable
from viska_assets.model.evidence import Evidence, Period, Scenario, Unit
from viska_assets.model.views import CitedChunk
from viska_assets.text.metrics import metric_of
from viska_assets.text.printing import period_label, print_figure

# Axes of the us-gaap and srt taxonomies by which an issuer is cut, in the order in which pages show them.
AXES = {
    "us-gaap:StatementBusinessSegmentsAxis": "segment",
    "srt:ProductOrServiceAxis": "product or service",
    "srt:StatementGeographicalAxis": "region",
}
# Says only that the segments' own figures are meant, before eliminations and corporate items.
OF_THE_SEGMENTS = ("srt:ConsolidationItemsAxis", "us-gaap:OperatingSegmentsMember")
METRICS_SHOWN = ("revenue", "operating_income")
FEWEST_PARTS = 2


@dataclass(frozen=True)
class PartFigure:
    """One metric of one part of the issuer in one period."""

    metric: str
    axis: str
    member: str
    label: str
    table: str
    column: str
    period: Period
    evidence: Evidence
    citation: Citation


def segment_tables(view: DocumentView) -> list[FigureTable]:
    """A table for each metric, axis and kind of period that the filing tags at least two parts of.

    Each part and period stands once. A part that the document prints differently in two places is left out, and so
    are two parts that are printed under one label.
    """
    found: dict[tuple[str, str, str, Period], PartFigure] = {}
    disputed: set[tuple[str, str, str, Period]] = set()
    for figure in _part_figures(view):
        key = (figure.metric, figure.axis, figure.member, figure.period)
        held = found.setdefault(key, figure)
        if not _agree(held.evidence, figure.evidence):
            disputed.add(key)
    kept = [figure for key, figure in found.items() if key not in disputed]
    names = [(m, a, t) for m in METRICS_SHOWN for a in AXES.values() for t in ("Annual", "Quarter", "Year to date")]
    chosen = ((name, [f for f in kept if (f.metric, f.axis, f.table) == name]) for name in names)
    tables = (_table(name, figures) for name, figures in chosen)
    return [table for table in tables if len(table.rows) >= FEWEST_PARTS]


def _part_figures(view: DocumentView) -> Iterator[PartFigure]:
    for chunk, evidence in view.evidence():
        part = _part_of(evidence)
        metric = metric_of(evidence.xbrl.concept) if evidence.xbrl else None
        if not chunk.table or part is None or metric not in METRICS_SHOWN or evidence.period is None:
            continue
        if evidence.unit is not Unit.MONEY or evidence.scenario not in (None, Scenario.ACTUAL):
            continue
        figure = _figure(view, chunk, evidence, str(metric), *part)
        if figure:
            yield figure


def _part_of(evidence: Evidence) -> tuple[str, str] | None:
    """The axis' name and the member of evidence that is cut by one known axis and nothing else."""
    if evidence.xbrl is None:
        return None
    cuts = [pair for pair in evidence.xbrl.dimensions if pair != OF_THE_SEGMENTS]
    if len(cuts) != 1 or cuts[0][0] not in AXES:
        return None
    return AXES[cuts[0][0]], cuts[0][1]


def _figure(
    view: DocumentView, chunk: CitedChunk, evidence: Evidence, metric: str, axis: str, member: str
) -> PartFigure | None:
    assert evidence.period is not None
    label, citation = _label(evidence), cite(chunk, evidence, view.title)
    period = period_label(evidence.period)
    if label is None or citation is None or period is None or evidence.period.is_instant:
        return None
    return PartFigure(metric, axis, member, label, *period, evidence.period, evidence, citation)


def _label(evidence: Evidence) -> str | None:
    """How the table prints the part: the innermost row label that names no metric, else the column that names none."""
    rows = [label for label in reversed(evidence.row_path) if metric_of(label) is None]
    if rows:
        return rows[0]
    columns = [label for label in reversed(evidence.column_path) if not any(c.isdigit() for c in label)]
    return columns[0] if columns else None


def _agree(one: Evidence, two: Evidence) -> bool:
    return abs(one.value - two.value) <= (one.quantum + two.quantum) / 2


def _table(name: tuple[str, str, str], figures: list[PartFigure]) -> FigureTable:
    metric, axis, kind = name
    rows = []
    for label in dict.fromkeys(f.label for f in figures):
        own = [f for f in figures if f.label == label]
        if len({f.member for f in own}) == 1:
            cells = {f.column: FigureCell(text=print_figure(f.evidence), support=f.citation) for f in own}
            rows.append(FigureRow(label=label, cells=cells))
    shown = {column for row in rows for column in row.cells}
    columns = sorted(shown, key=lambda column: column.split()[-1], reverse=True)
    return FigureTable(
        corner=f"{PAGE_LABELS[metric]} by {axis}, {kind.lower()}", columns=tuple(columns), rows=tuple(rows)
    )
