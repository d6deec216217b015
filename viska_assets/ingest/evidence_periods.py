"""The period of a source number: from its column, its row, the sentence it stands in, or the caption above it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache

from viska_assets.model.document import Cover
from viska_assets.model.evidence import Period
from viska_assets.text.periods import PeriodKind, PeriodMention, find_periods

_BALANCE = re.compile(
    r"^(?:balances?|as of|at|beginning|ending|opening|closing|outstanding|unvested|nonvested)\b", re.IGNORECASE
)
_BEGINNING = re.compile(r"\b(?:beginning|start|opening)\b(?:\s+(?:of|balance|cash))?|^beginning\b", re.IGNORECASE)
_ENDING = re.compile(r"\b(?:end of (?:the )?(?:period|year|quarter)|ending balance|closing balance)\b", re.IGNORECASE)
_JOINABLE = re.compile(r"(?:ended|ending|end|of|,|at|to|through)\s*$", re.IGNORECASE)
_SPECIFIC = (PeriodKind.SPAN, PeriodKind.QUARTER, PeriodKind.HALF, PeriodKind.NINE_MONTHS)


@dataclass(frozen=True, slots=True)
class Calendar:
    """The issuer's fiscal calendar: year end, and whether its periods are whole weeks."""

    fiscal_year_end: tuple[int, int] | None
    weekly: bool = False
    period_end: date | None = None

    @classmethod
    def of(cls, cover: Cover) -> "Calendar":
        """The calendar that a cover states; a period end inside a month means a 52/53-week year."""
        end = cover.period_end
        weekly = end is not None and (end + timedelta(days=1)).day != 1 and cover.fiscal_year_end is not None
        return cls(cover.fiscal_year_end, weekly, end)

    def fitted(self, period: Period) -> Period:
        """A period whose start lies on the issuer's weeks, where it counts in weeks."""
        if not self.weekly or period.start is None or period.days > 400:
            return period
        quarters = round(period.days / 91)
        if quarters == 0 or abs(period.days - 91 * quarters) > 8:
            return period
        return Period(period.end, period.end - timedelta(days=91 * quarters - 1))


def period_of_labels(
    column_path: Sequence[str], row_path: Sequence[str], captions: Sequence[str], calendar: Calendar
) -> Period | None:
    """The period of a table cell: its column's, unless its row names a balance date or another time."""
    column = _resolved(" ".join(column_path), calendar)
    label = row_path[-1] if row_path else ""
    row = _resolved(label, calendar) if label else None
    if row is not None and not row.is_instant and _lies_ahead(row, calendar):
        row = None
    if row is not None and (column is None or (row.is_instant and _BALANCE.match(label))):
        return row
    for section in reversed(row_path[:-1]):
        if column is None or (column.is_instant is False and _is_bare_year(" ".join(column_path))):
            within = _resolved(section, calendar)
            if within is not None and column is None:
                return _at_edge(within, label)
            if within is None and column is not None and (joined := _joined(section, column_path, calendar)):
                return _at_edge(joined, label)
    if column is not None:
        return _at_edge(column, label)
    if row is not None:
        return row
    for caption in captions:
        found = {p for p in (_fit(m, calendar) for m in _mentions(caption, calendar)) if p is not None}
        if len(found) == 1:
            return _at_edge(found.pop(), label)
        if found:
            return None
    return None


def _at_edge(period: Period, label: str) -> Period:
    """The first or last day of a period, for the rows that say so (cash at beginning of year)."""
    if period.start is None:
        return period
    if _BEGINNING.search(label) and not _ENDING.search(label):
        return Period(period.start - timedelta(days=1))
    if _ENDING.search(label):
        return Period(period.end)
    return period


def _lies_ahead(period: Period, calendar: Calendar) -> bool:
    """Whether a row's year is one in which something falls due, not one it is measured over."""
    return calendar.period_end is not None and period.end > calendar.period_end


def _is_bare_year(text: str) -> bool:
    return re.fullmatch(r"\s*(?:19|20)\d\d\s*", text) is not None


def _joined(section: str, column_path: Sequence[str], calendar: Calendar) -> Period | None:
    """A year over the columns completed by the words of a section row (``Years ended December 31:``)."""
    if not re.search(r"\b(?:ended|ending|at|as of)\b", section, re.IGNORECASE):
        return None
    return _resolved(f"{section.rstrip(' :,')} {' '.join(column_path)}", calendar)


def _resolved(text: str, calendar: Calendar) -> Period | None:
    """The one period that a label names: the most specific of its mentions, or a length and a year put together."""
    mentions = _mentions(text, calendar)
    if not mentions:
        return None
    open_ended = [m for m in mentions if m.period is None]
    years = [m for m in mentions if m.kind is PeriodKind.YEAR and m.year]
    if open_ended and years:
        phrase = text[open_ended[0].span.start : open_ended[0].span.end]
        if _JOINABLE.search(phrase) or open_ended[0].kind in (PeriodKind.MONTHS, PeriodKind.DAY):
            whole = [m for m in _mentions(f"{phrase} {years[0].year}", calendar) if m.period is not None]
            if whole and whole[0].kind is not PeriodKind.YEAR:
                return _fit(whole[0], calendar)
    closed = [m for m in mentions if m.period is not None]
    for kinds in (_SPECIFIC, (PeriodKind.DAY,), (PeriodKind.MONTH,), (PeriodKind.YEAR,), (PeriodKind.YEAR_RANGE,)):
        chosen = [m for m in closed if m.kind in kinds]
        if chosen:
            return _fit(chosen[-1] if kinds == (PeriodKind.YEAR,) else chosen[0], calendar)
    return None


def _fit(mention: PeriodMention, calendar: Calendar) -> Period | None:
    return calendar.fitted(mention.period) if mention.period is not None else None


@lru_cache(maxsize=65536)
def _cached(text: str, fiscal_year_end: tuple[int, int] | None) -> tuple[PeriodMention, ...]:
    return tuple(_dated(m, text) for m in find_periods(text, fiscal_year_end))


def _dated(mention: PeriodMention, text: str) -> PeriodMention:
    """A numeric date read month first, as English filings print it, where the text itself leaves it open."""
    if mention.kind is not PeriodKind.AMBIGUOUS:
        return mention
    month, day, year = (int(part) for part in re.findall(r"\d+", text[mention.span.start : mention.span.end]))
    try:
        return replace(
            mention, kind=PeriodKind.DAY, period=Period(date(year + 2000 if year < 100 else year, month, day))
        )
    except ValueError:
        return mention


def _mentions(text: str, calendar: Calendar) -> tuple[PeriodMention, ...]:
    return _cached(text, calendar.fiscal_year_end)


def periods_in_sentence(sentence: str, calendar: Calendar) -> tuple[tuple[int, int, Period], ...]:
    """The resolved periods of a sentence with their places, left to right."""
    return tuple(
        (m.span.start, m.span.end, period)
        for m in _mentions(sentence, calendar)
        if (period := _fit(m, calendar)) is not None
    )


def period_near(
    start: int, end: int, others: Sequence[int], periods: Sequence[tuple[int, int, Period]]
) -> Period | None:
    """The period of a number at ``[start, end)`` of its sentence.

    One period serves the whole sentence; of several, the first one after the number and before the next number,
    else the nearest before it. Numbers listed with as many periods ("respectively") pair off in order.
    """
    if not periods:
        return None
    if len({period for _, _, period in periods}) == 1:
        return periods[0][2]
    following = min((other for other in others if other >= end), default=1 << 60)
    for begin, _, period in periods:
        if end <= begin < following:
            return period
    after = [period for begin, _, period in periods if begin >= end]
    listed = [other for other in others if other < periods[0][0]] if start < periods[0][0] else []
    if listed and len(listed) == len(periods) and start in listed:
        return periods[listed.index(start)][2]
    if after and start < periods[0][0]:
        return None
    before = [period for begin, _, period in periods if begin < start]
    return before[-1] if before else None
