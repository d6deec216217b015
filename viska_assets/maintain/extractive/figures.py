"""The figures of a filing that belong on a page: one per metric and period, from its primary statements."""

import re
from collections import Counter
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

from viska_assets.maintain.extractive.citing import cite
from viska_assets.maintain.extractive.view import DocumentView
from viska_assets.model.delta import Citation, Derivation, FigureCell, FigureRow, FigureTable
from viska_assets.model.evidence import Evidence, Period, ScaleSource, Scenario, Unit
from viska_assets.model.views import CitedChunk
from viska_assets.text.metrics import METRICS, metric_of
from viska_assets.text.printing import period_label, print_figure

PAGE_LABELS = {
    "revenue": "Revenue",
    "cost_of_revenue": "Cost of revenue",
    "gross_profit": "Gross profit",
    "research_development": "Research and development",
    "sga": "Selling, general and administrative",
    "operating_expenses": "Operating expenses",
    "operating_income": "Operating income",
    "interest_expense": "Interest expense",
    "pretax_income": "Income before income taxes",
    "tax_expense": "Provision for income taxes",
    "net_income": "Net income",
    "eps_basic": "Basic earnings per share",
    "eps_diluted": "Diluted earnings per share",
    "dividend_per_share": "Dividends per share",
    "operating_cash_flow": "Cash flow from operations",
    "investing_cash_flow": "Cash flows from investing activities",
    "financing_cash_flow": "Cash flows from financing activities",
    "capex": "Capital expenditures",
    "buybacks": "Share repurchases",
    "dividends_paid": "Dividends paid",
    "cash": "Cash and cash equivalents",
    "receivables": "Accounts receivable",
    "inventory": "Inventories",
    "current_assets": "Total current assets",
    "property_equipment": "Property, plant and equipment, net",
    "goodwill": "Goodwill",
    "total_assets": "Total assets",
    "payables": "Accounts payable",
    "current_liabilities": "Total current liabilities",
    "long_term_debt": "Long-term debt",
    "total_liabilities": "Total liabilities",
    "equity": "Total equity",
}
# Metrics of a balance sheet stand at an instant; a change of one over a year is a line of the cash-flow statement.
AT_AN_INSTANT = frozenset(
    {
        "cash",
        "receivables",
        "inventory",
        "current_assets",
        "property_equipment",
        "goodwill",
        "total_assets",
        "payables",
        "current_liabilities",
        "long_term_debt",
        "total_liabilities",
        "equity",
    }
)
# Costs and payments are stated as what was spent, however a statement prints them; a tax benefit keeps its sign.
STATED_BY_MAGNITUDE = frozenset(
    {
        "cost_of_revenue",
        "interest_expense",
        "capex",
        "buybacks",
        "dividends_paid",
    }
)
OF_CASH_FLOWS = frozenset(
    {"operating_cash_flow", "investing_cash_flow", "financing_cash_flow", "capex", "buybacks", "dividends_paid"}
)
_COMPARISON = re.compile(r"\b(?:change|increase|decrease|variance|growth)\b|\bvs\b|%", re.IGNORECASE)
TABLE_ORDER = ("Annual", "Quarter", "Year to date", "Balance sheet")
FEWEST_METRICS_OF_A_STATEMENT = 3


@dataclass(frozen=True)
class ReportedFigure:
    """One metric of one period as a filing reports it, with its citation."""

    metric: str
    table: str
    column: str
    period: Period
    evidence: Evidence
    citation: Citation


def reported_figures(view: DocumentView) -> list[ReportedFigure]:
    """The figures of the issuer as a whole, each metric and period once.

    A number counts where inline XBRL names its concept without dimensions, or where its row label alone names the
    metric in a table that has several of them (a primary statement) and states its scale. Where a document prints
    different values for one metric and period, none of them is chosen: a missing figure is better than a wrong one.
    """
    found: dict[tuple[str, Period], ReportedFigure] = {}
    candidates = _candidates(view)
    disputed = _disputed(candidates)
    for metric, chunk, evidence in candidates:
        assert evidence.period is not None
        label = period_label(evidence.period)
        if label is None or (metric, evidence.period) in found or (metric, evidence.period) in disputed:
            continue
        citation = cite(chunk, evidence, view.title)
        if citation:
            found[metric, evidence.period] = ReportedFigure(metric, *label, evidence.period, evidence, citation)
    return list(found.values())


def _candidates(view: DocumentView) -> list[tuple[str, CitedChunk, Evidence]]:
    """(metric, chunk, evidence) of table cells, those of the fullest statements first."""
    named = [
        (metric, chunk, evidence)
        for chunk, evidence in view.evidence()
        if chunk.table and (metric := _metric_of_cell(evidence))
    ]
    places = {chunk.chunk_id: at for at, chunk in enumerate(view.chunks)}
    anchors = _anchors(named, places)
    richness = Counter(chunk_id for chunk_id, _ in {(chunk.chunk_id, metric) for metric, chunk, _ in named})
    concepts = _concepts(named)
    kept = [
        item
        for item in named
        if (
            item[2].xbrl.concept == concepts[item[0]]
            if item[2].xbrl is not None
            else item[0] not in concepts
            and richness[item[1].chunk_id] >= FEWEST_METRICS_OF_A_STATEMENT
            and _is_anchored(places[item[1].chunk_id], anchors.get((_statement_of(item[0]), item[2].period), set()))
        )
    ]
    return sorted(kept, key=lambda item: -richness[item[1].chunk_id])


def _statement_of(metric: str) -> str:
    """The metric by which the primary statement that holds this one is known."""
    if metric in AT_AN_INSTANT:
        return "total_assets"
    return "operating_cash_flow" if metric in OF_CASH_FLOWS else "revenue"


def _anchors(
    named: list[tuple[str, CitedChunk, Evidence]], places: dict[str, int]
) -> dict[tuple[str, Period | None], set[int]]:
    """Where, for each period, the statement of the whole stands: a part's statement has the smaller total."""
    largest: dict[tuple[str, Period | None], tuple[Decimal, set[int]]] = {}
    for metric, chunk, evidence in named:
        if metric not in ("total_assets", "operating_cash_flow", "revenue"):
            continue
        size, at = abs(evidence.value), places[chunk.chunk_id]
        known, found = largest.get((metric, evidence.period), (Decimal(-1), set()))
        if size > known + evidence.quantum:
            largest[metric, evidence.period] = (size, {at})
        elif size >= known - evidence.quantum:
            found.add(at)
    return {key: found for key, (_, found) in largest.items()}


def _is_anchored(place: int, anchors: set[int]) -> bool:
    """Whether the statement's own total stands in the chunk or beside it (a long table is cut into several)."""
    return not anchors.isdisjoint((place - 1, place, place + 1))


def _concepts(named: list[tuple[str, CitedChunk, Evidence]]) -> dict[str, str]:
    """The one tagged concept by which each metric is reported, so that a row never mixes two."""
    found: dict[str, set[str]] = {}
    for metric, _, evidence in named:
        if evidence.xbrl is not None:
            found.setdefault(metric, set()).add(evidence.xbrl.concept)
    return {
        metric: min(concepts, key=lambda concept: (_rank(metric, concept), concept))
        for metric, concepts in found.items()
    }


def _rank(metric: str, concept: str) -> int:
    names = [name.lower() for name in METRICS[metric].concepts]
    name = concept.split(":")[-1].lower()
    return names.index(name) if name in names else len(names)


def _disputed(candidates: list[tuple[str, CitedChunk, Evidence]]) -> set[tuple[str, Period]]:
    """Metrics and periods for which the document prints values that do not round to each other: none is chosen."""
    intervals: dict[tuple[str, Period], tuple[Decimal, Decimal]] = {}
    disputed: set[tuple[str, Period]] = set()
    for metric, _, evidence in candidates:
        assert evidence.period is not None
        key = (metric, evidence.period)
        low, high = evidence.value - evidence.quantum / 2, evidence.value + evidence.quantum / 2
        known_low, known_high = intervals.get(key, (low, high))
        if low > known_high or high < known_low:
            disputed.add(key)
        intervals[key] = (max(low, known_low), min(high, known_high)) if key not in disputed else (low, high)
    return disputed


def _metric_of_cell(evidence: Evidence) -> str | None:
    """The metric of a cell that speaks of the issuer as a whole, or None."""
    if evidence.scenario not in (None, Scenario.ACTUAL) or not evidence.row_path or evidence.period is None:
        return None
    if any(_COMPARISON.search(label) for label in evidence.column_path) or evidence.value == 0:
        return None
    if evidence.unit is Unit.MONEY and evidence.scale_source is ScaleSource.NONE and evidence.xbrl is None:
        return None
    if evidence.xbrl is not None:
        metric = metric_of(evidence.xbrl.concept) if not evidence.xbrl.dimensions else None
    else:
        metric = metric_of(evidence.row_path[-1])
        outer = [m for label in evidence.row_path[:-1] if (m := metric_of(label))]
        if metric and any(other != metric for other in outer):
            return None
    if metric not in PAGE_LABELS or _names_another(evidence, metric):
        return None
    if (metric in AT_AN_INSTANT) is not evidence.period.is_instant:
        return None
    return metric if METRICS[metric].unit is evidence.unit else None


def _names_another(evidence: Evidence, metric: str) -> bool:
    """Whether the printed label names another metric than the tag; a ratio's name over money names none."""
    named = metric_of(evidence.row_path[-1])
    return named not in (metric, None) and METRICS[str(named)].unit is evidence.unit


def figure_tables(figures: list[ReportedFigure]) -> list[FigureTable]:
    """The figures as tables: one a kind of period, metrics in the order of a statement, newest column first."""
    tables = []
    for name in TABLE_ORDER:
        chosen = [figure for figure in figures if figure.table == name]
        if not chosen:
            continue
        columns = sorted({figure.column for figure in chosen}, key=lambda c: c.split()[-1], reverse=True)
        rows = []
        for metric, label in PAGE_LABELS.items():
            cells = {
                figure.column: FigureCell(text=print_metric(metric, figure.evidence), support=figure.citation)
                for figure in chosen
                if figure.metric == metric
            }
            if cells:
                rows.append(FigureRow(label=label, cells=cells))
        tables.append(FigureTable(corner=name, columns=tuple(columns), rows=tuple(rows)))
    return tables


def print_metric(metric: str, evidence: Evidence) -> str:
    """The figure as the metric is stated: costs and payments by their magnitude, the rest with its sign."""
    text = print_figure(evidence)
    return text.removeprefix("-") if metric in STATED_BY_MAGNITUDE else text


def change_table(figures: list[ReportedFigure]) -> FigureTable | None:
    """The change of each annual figure on the prior year, as a derivation with both operands cited."""
    annual = {(figure.metric, figure.period): figure for figure in figures if figure.table == "Annual"}
    rows: dict[str, dict[str, FigureCell]] = {}
    for (metric, period), figure in annual.items():
        prior = next((f for (m, p), f in annual.items() if m == metric and _is_prior_year(p, period)), None)
        if prior is None or prior.evidence.value <= 0 or figure.evidence.unit not in (Unit.MONEY, Unit.PER_SHARE):
            continue
        change = (figure.evidence.value - prior.evidence.value) / prior.evidence.value * 100
        text = f"{change.quantize(Decimal('0.1'), rounding=ROUND_HALF_EVEN)}%"
        support = Derivation(
            expression="(a - b) / b * 100", operands={"a": figure.citation, "b": prior.citation}, unit="percent"
        )
        rows.setdefault(metric, {})[figure.column] = FigureCell(text=text, support=support)
    if not rows:
        return None
    columns = sorted({c for cells in rows.values() for c in cells}, key=lambda c: c.split()[-1], reverse=True)
    ordered = [FigureRow(label=PAGE_LABELS[m], cells=rows[m]) for m in PAGE_LABELS if m in rows]
    return FigureTable(corner="Change on prior year", columns=tuple(columns), rows=tuple(ordered))


def _is_prior_year(earlier: Period, later: Period) -> bool:
    return 350 <= (later.end - earlier.end).days <= 380
