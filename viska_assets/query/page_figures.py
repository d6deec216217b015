"""Figures on pages: each cited cell with its metric, segment and period, and the cells that a question asks for."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from viska_assets.model.claim_unit import ClaimUnit, UnitKind
from viska_assets.model.evidence import Period, Unit
from viska_assets.model.page import Page, SourceEntry
from viska_assets.okf.page import ParsedPage
from viska_assets.query.answers import AnswerClaim
from viska_assets.query.opened_pages import KEPT, opened_page, units_of
from viska_assets.query.page_choice import is_about
from viska_assets.query.wording import Asked
from viska_assets.text.metrics import METRICS, label_class, metric_of, metrics_in
from viska_assets.text.periods import find_periods, parse_period
from viska_assets.text.quantities import read_quantities
from viska_assets.text.quantity import Quantity, Role

LEAST_FIT = 0.45
# Metrics that a question may name by a more general word: "EPS" is diluted first, then basic.
_STANDS_FOR = {
    "eps": ("eps_diluted", "eps_basic", "eps"),
    "growth": (),
    "gross_margin": ("gross_margin", "gross_profit"),
}


# Rows of a position by the words in which people ask for them.
_MEANS = {
    "quantity": re.compile(
        r"how\s+many|number\s+of\s+shares|how\s+(?:big|large)|size\s+of|shares\s+do\s+we|quantity", re.I
    ),
    "cost": re.compile(r"\b(?:pay|paid|cost|entry\s+price|bought\s+at|purchase\s+price)\b", re.I),
    "portfolio time-weighted return": re.compile(r"\b(?:perform\w*|return\w*|twr|do(?:ne|ing)?)\b", re.I),
}


@dataclass(frozen=True)
class Figure:
    """A cited figure of a page: what it measures, of which segment, when, and whether it is a change."""

    parsed: ParsedPage
    unit: ClaimUnit
    metric: str | None
    segment: str
    period: Period | None
    is_change: bool

    @cached_property
    def quantity(self) -> Quantity | None:
        """The figure itself; read only of those that a question may ask for, since a page has hundreds."""
        return next((q for q in read_quantities(self.unit.text) if q.role is Role.FIGURE), None)

    @property
    def is_percent(self) -> bool:
        """Whether it is printed as a percentage."""
        return self.unit.text.rstrip().endswith("%")

    @property
    def label(self) -> str:
        """How the page calls it."""
        return self.unit.row_label or self.unit.section


def figures_of(parsed: ParsedPage) -> tuple[Figure, ...]:
    """The cited figures of a page in reading order."""
    return _figures(parsed.text, parsed.path)


@lru_cache(maxsize=KEPT)
def _figures(text: str, path: str) -> tuple[Figure, ...]:
    return tuple(_read_figures(opened_page(text, path)))


def _read_figures(parsed: ParsedPage) -> Iterator[Figure]:
    title = ""
    units = units_of(parsed)
    for number, unit in enumerate(units):
        if unit.kind is UnitKind.CELL and not unit.row_label and not unit.column_label:
            title = unit.text.strip() if _opens_table(units, number) else title
            continue
        if not unit.marks or unit.exempt:
            continue
        if any(character.isdigit() for character in unit.text):
            yield _cell(parsed, unit, title) if unit.kind is UnitKind.CELL else _line(parsed, unit)


def _opens_table(units: Sequence[ClaimUnit], number: int) -> bool:
    """Whether a label cell is the corner of a table: the next cell is a column's header, no figure of its own row."""
    after = units[number + 1] if number + 1 < len(units) else None
    before = units[number - 1] if number else None
    corner = before is None or before.kind is not UnitKind.CELL or bool(before.row_label)
    return corner and after is not None and after.kind is UnitKind.CELL and not after.row_label


def _cell(parsed: ParsedPage, unit: ClaimUnit, title: str) -> Figure:
    named = next((mention.metric_id for mention in metrics_in(title)), None)
    by_segment = " by " in title.lower() and named is not None
    return Figure(
        parsed,
        unit,
        named if by_segment else metric_of(unit.row_label),
        unit.row_label if by_segment else "",
        _period_of(unit.column_label),
        "change" in title.lower(),
    )


@lru_cache(maxsize=1024)
def _period_of(column_label: str) -> Period | None:
    return parse_period(column_label, None)


def _line(parsed: ParsedPage, unit: ClaimUnit) -> Figure:
    """A figure of a sentence or list item: "Greater China, year ended 2024-09-28: $66,952 million"."""
    label, _, _ = unit.text.partition(":")
    metric = next((mention.metric_id for mention in metrics_in(label)), None)
    periods = [found.period for found in find_periods(unit.text) if found.period]
    return Figure(parsed, unit, metric, "" if metric else label, periods[0] if periods else None, False)


def asked_figures(pages: Sequence[ParsedPage], asked: Asked, issuers: Sequence[str] = ()) -> list[AnswerClaim]:
    """The figures that a question asks for: one for each issuer, metric and period that it names.

    Args:
        pages: the opened pages, best first.
        asked: the question.
        issuers: where it names several, the figures of each are looked for, and each says whose it is.
    """
    figures = [(rank, figure) for rank, parsed in enumerate(pages) for figure in figures_of(parsed)]
    several = [issuer for issuer in issuers if len(issuers) > 1]
    claims: list[AnswerClaim] = []
    for issuer in several or [""]:
        own = [f for f in figures if not issuer or is_about(f[1].parsed.page.concept_id, issuer)]
        for metric in asked.each_metric:
            for period in asked.each_period:
                best = _best(own, asked, metric, period, of_several=bool(issuer))
                if best is not None and all(claim.text != best.text for claim in claims):
                    claims.append(best)
    return claims


def _best(
    figures: Iterable[tuple[int, Figure]], asked: Asked, metric: str | None, period: Period | None, *, of_several: bool
) -> AnswerClaim | None:
    narrowed = Asked.of_one(asked, metric, period)
    scored = [(_fit(narrowed, figure) - 0.05 * rank, figure) for rank, figure in figures]
    fitting = [(fit, figure) for fit, figure in scored if fit >= LEAST_FIT and figure.quantity is not None]
    if not fitting:
        return None
    fit, figure = max(fitting, key=lambda item: (round(item[0], 6), _end_of(item[1]), -item[1].unit.span.start))
    claim = claim_of(figure, min(1.0, fit))
    return replace(claim, text=f"{figure.parsed.page.head.title}: {claim.text}") if of_several else claim


def _end_of(figure: Figure) -> int:
    return figure.period.end.toordinal() if figure.period else 0


def _fit(asked: Asked, figure: Figure) -> float:
    """0 where another metric, segment or period is asked for; else higher the more of the question is explained."""
    fits_period = asked.fits_period(figure.period)
    if fits_period < 0 or (asked.periods and figure.period is None and figure.metric is not None):
        return 0.0
    if asked.metrics:
        wanted = {m for metric in asked.metrics for m in _STANDS_FOR.get(metric, (metric,))}
        named = asked.names(figure.label)
        if figure.segment and not asked.names(figure.segment):
            return 0.0
        if asked.part and asked.part.lower() not in f"{figure.segment} {figure.label}".lower().split():
            return 0.0
        if wanted and figure.metric not in wanted and not named:
            return 0.0
        if not _is_of_class(figure, asked):
            return 0.0
        fit = 0.5 + 0.3 * bool(figure.segment) + 0.2 * named + 0.2 * (figure.metric == asked.metrics[0])
        fit += 0.2 * figure.is_change
    else:
        words = f"{figure.label} {figure.unit.column_label} {figure.unit.section} {figure.parsed.page.head.title}"
        means = _MEANS.get(figure.label.lower())
        fit = 0.35 * asked.names(figure.label) + max(0.0, asked.overlap(words))
        fit += 0.5 * bool(means and means.search(asked.question))
    return fit + 0.1 * max(0.0, fits_period)


def _is_of_class(figure: Figure, asked: Asked) -> bool:
    """Whether a figure is a change exactly where a change is asked for, and a percentage where the metric is one."""
    if figure.is_change or figure.is_percent:
        percents = any(METRICS[metric].unit is Unit.PERCENT for metric in asked.metrics)
        return asked.wants_change if figure.is_change else percents
    return True


def claim_of(figure: Figure, fit: float) -> AnswerClaim:
    """A figure as an answer says it, with its citations."""
    unit, page, quantity = figure.unit, figure.parsed.page, figure.quantity
    assert quantity is not None
    label = f"{figure.unit.row_label}, {unit.column_label}: {unit.text}"
    return AnswerClaim(
        text=label if unit.kind is UnitKind.CELL else unit.text,
        sources=cited_entries(page, unit),
        fit=fit,
        page=page.concept_id,
        value=quantity.value,
        quantum=quantity.quantum,
        unit=Unit.PER_SHARE if label_class(unit.row_label) is Unit.PER_SHARE else quantity.unit,
        currency=quantity.currency or page.head.currency or None,
        period=figure.period,
    )


def cited_entries(page: Page, unit: ClaimUnit) -> tuple[SourceEntry, ...]:
    """The entries that a unit's marks name, with the operands of those that are computed."""
    entries = {entry.id: entry for entry in page.head.sources}
    wanted = list(dict.fromkeys(mark.source_id for mark in unit.marks))
    found: list[SourceEntry] = []
    while wanted:
        entry = entries.get(wanted.pop(0))
        if entry and entry not in found:
            found.append(entry)
            wanted += list(entry.computation.operands.values()) if entry.computation else []
    return tuple(found)
