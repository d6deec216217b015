"""The period of a table cell: from its column, its row, its section, or the caption above its table."""

# ruff: noqa: E501 (one alternative of a pattern a line)
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache

from viska_assets.ingest.calendars import Calendar
from viska_assets.model.evidence import Period
from viska_assets.text.periods import PeriodKind, PeriodMention, find_periods, start_of

_BALANCE = re.compile(
    r"^(?:balances?|as of|at|beginning|ending|opening|closing|outstanding|unvested|nonvested|goodwill)\b|\bbalances?,?\s*$"
    r"|\bbalances?\b.{0,12}\b(?:at|as of)\b|\b(?:at|as of)\s+\w+\.? \d{1,2}, \d{4}$",
    re.IGNORECASE,
)
# Labels repeat within a table and across the tables of a filing; each is read once.
_REMEMBERED = 16384
_ACCUMULATED = re.compile(r"\baccumulated\b", re.IGNORECASE)
_UNREALIZED = re.compile(r"\bunrealized (?:gains?|loss(?:es)?)\b", re.IGNORECASE)
_ANY_YEAR = re.compile(r"(?:19|20)\d\d")
_MORE_THAN_YEAR = re.compile(r"\b(?:ended|ending|months|quarter|weeks|q[1-4])\b|[a-z]{3,9}\.? \d{1,2}\b", re.IGNORECASE)
_DATES = re.compile(r"\bas of\b", re.IGNORECASE)
_EDGE = r"(?:^|[,—–-]\s*|\bat\s+|balances?,?\s+(?:at\s+)?|cash(?: equivalents)?,?\s+(?:at\s+)?)"
_BEGINNING = re.compile(
    rf"{_EDGE}(?:the\s+)?(?:beginning|start)\s+of\b|^(?:beginning|opening)\b|\b(?:beginning|opening) balances?\b",
    re.IGNORECASE,
)
_ENDING = re.compile(
    rf"{_EDGE}(?:the\s+)?end\s+of\b|^(?:ending|closing)\b|\b(?:ending|closing) balances?\b|\boutstanding at end\b",
    re.IGNORECASE,
)
_SPECIFIC = (PeriodKind.SPAN, PeriodKind.QUARTER, PeriodKind.HALF, PeriodKind.NINE_MONTHS)
_MONTHS = {"three": 3, "3": 3, "six": 6, "6": 6, "nine": 9, "9": 9, "twelve": 12, "12": 12}
_LENGTH = re.compile(
    r"\b(?:(?P<weeks>\d{1,2})[\s-]weeks?|(?P<count>three|six|nine|twelve|3|6|9|12)[\s-]months?|(?:fiscal\s+)?(?P<unit>year|quarter)s?)(?:\s+period)?\s+(?:ended|ending)\b",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\bvs?\b\.?|\bversus\b|\bcompared\b|\bchange\b|\bvariance\b|\b(?:increase|decrease)\b", re.IGNORECASE
)
_AS_OF = re.compile(r"\b(?:as of|at|on)\s+(?:the end of\s+)?$", re.IGNORECASE)
_STOCK = re.compile(
    r"\bassets?\b|\bliabilit(?:y|ies)\b|\breceivables?\b|\bpayables?\b|\binventor(?:y|ies)\b|\bequity\b|\bgoodwill\b|\baccrued\b|\bdebt\b"
    r"|\bproperty\b|\bcash\b|\bdeposits\b|\bsecurities\b|\bborrowings\b|\bdeferred (?:tax|revenue)\b|\bequipment\b|\bland\b|\bbuildings\b"
    r"|\ballowance\b|\bcarrying\b|\bfair value\b|\bbalance\b|\bnotes\b|\bobligations?\b|\breserves?\b|\baccumulated\b|\boutstanding\b",
    re.IGNORECASE,
)
_HELD = re.compile(
    r"\bassets?\b|\bliabilit(?:y|ies)\b|\breceivables?\b|\bpayables?\b|\baccumulated\b|\bunrealized\b", re.IGNORECASE
)
_MOVES = re.compile(
    r"\b(?:changes?|increases?|decreases?|purchases?|proceeds|payments?|repayments?|expenses?|cost|additions?|sales?|maturities|provision"
    r"|impairment|amortization|depreciation(?! and)|gains?|loss(?:es)?|benefit)\b",
    re.IGNORECASE,
)
_FLOW = re.compile(
    r"\bexpenses?\b|\bincome\b|\brevenues?\b|\bsales\b|\bcosts?\b|\bprovision\b|\b(?:re)?payments?\b|\bproceeds\b|\bpurchases?\b|\bchanges?\b"
    r"|\bincrease|\bdecrease|\bearnings\b|\bgains?\b|\bloss(?:es)?\b|\bdividends\b|\brepurchase|\bissu(?:ed|ance)\b|\bgranted\b|\bvested\b"
    r"|\badditions\b|\bamortization\b|\bdepreciation\b(?! and)|\bmargin\b|\bgrowth\b|\bcurrent:|\bfederal\b|\bpaid\b|\bcash flows?\b"
    r"|\bexpenditures?\b|\bcompensation\b|\bbenefit\b|\bexercised\b|\bshipments\b|\bdeliveries\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=_REMEMBERED)
def _is_stock(label: str) -> bool | None:
    """Whether a label names something held (True) or something that flows (False); None where it says neither."""
    if _ACCUMULATED.search(label):
        return True
    if _HELD.search(label) and not _MOVES.search(_UNREALIZED.sub("", label)):
        return True
    if _FLOW.search(label):
        return False
    return True if _STOCK.search(label) else None


def holds_balances(labels: Sequence[str]) -> bool:
    """Whether labels speak of stocks (assets, debts) rather than flows, for years that stand over both."""
    kinds = [_is_stock(label) for label in labels]
    stocks, flows = kinds.count(True), kinds.count(False)
    return stocks > 2 * flows and stocks * 3 >= len(labels)


def period_of_labels(
    column_path: Sequence[str],
    row_path: Sequence[str],
    captions: Sequence[str],
    calendar: Calendar,
    *,
    balances: bool = False,
    corner: Sequence[str] = (),
) -> Period | None:
    """The period of a table cell: its column's, unless its row names a balance date or another time.

    A bare year over the column is completed by the words of the table's ``corner`` ("Years ended December 31,");
    else it is a day where the caption dates the table ("as of …") or it ``balances``.
    """
    label = row_path[-1] if row_path else ""
    column_text = " ".join(column_path)
    if _compares_years(column_text):
        return None
    column = _resolved(column_text, calendar)
    if column is not None and calendar.lies_ahead(column):
        return _captioned(captions, calendar, label)
    row = _resolved(label, calendar) if label else None
    if row is not None and (calendar.lies_ahead(row) or not (row.is_instant or _is_time(label, calendar))):
        row = None
    if row is not None and row.is_instant and (column is None or _is_balance(label)):
        return row
    if column is not None and _is_bare_year(column_text):
        column = _year_in_context(column, column_text, (*corner, *row_path), captions, calendar, balances)
    if column is None:
        sections = (_resolved(section, calendar) for section in reversed(row_path[:-1]))
        column = next((period for period in sections if period is not None and not calendar.lies_ahead(period)), None)
        column = column or row
    if column is not None:
        return _at_edge(column, label, calendar)
    return _captioned(captions, calendar, label)


@lru_cache(maxsize=_REMEMBERED)
def _compares_years(column_text: str) -> bool:
    """Whether a column compares years ("2024 vs. 2023") and so belongs to none."""
    years = re.findall(r"\b(?:19|20)\d\d\b", column_text)
    return len(set(years)) > 1 and _COMPARES.search(column_text) is not None


@lru_cache(maxsize=_REMEMBERED)
def _is_balance(label: str) -> bool:
    return _BALANCE.search(label) is not None


def _captioned(captions: Sequence[str], calendar: Calendar, label: str) -> Period | None:
    """The one period that the nearest dated caption names."""
    period = _period_of_captions(tuple(captions), calendar)
    return _at_edge(period, label, calendar) if period is not None else None


@lru_cache(maxsize=256)
def _period_of_captions(captions: tuple[str, ...], calendar: Calendar) -> Period | None:
    for caption in captions:
        found = {calendar.fitted(m.period) for m in _mentions(caption, calendar) if m.period is not None}
        found = {period for period in found if not calendar.lies_ahead(period)}
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def _year_in_context(
    column: Period,
    column_text: str,
    row_path: Sequence[str],
    captions: Sequence[str],
    calendar: Calendar,
    balances: bool,
) -> Period:
    """What a bare year over a column means under its section's words and its caption's dates."""
    year = int(_ANY_YEAR.findall(column_text)[-1])
    for section in reversed(row_path[:-1]):
        for mention in _mentions(section, calendar):
            if mention.period is None and mention.kind in (PeriodKind.MONTHS, PeriodKind.DAY):
                joined = _resolved(f"{mention.span.of(section)} {year}", calendar)
                if joined is not None:
                    return joined
    held = next((kind for label in reversed(row_path) if (kind := _is_stock(label)) is not None), None)
    named = any(_names_held(label) for label in row_path)
    if named:
        held = True
    if held is False:
        return column
    for caption in captions:
        for mention in _mentions(caption, calendar):
            if mention.period is None or mention.period.end.year != year:
                continue
            if mention.kind is PeriodKind.SPAN:
                return calendar.fitted(mention.period)
            if mention.kind is PeriodKind.DAY and _AS_OF.search(caption[: mention.span.start]):
                return Period(calendar.known_end(mention.period.end))
    dated = any(_is_dated(caption) for caption in captions)
    return Period(column.end) if balances or dated or named else column


@lru_cache(maxsize=_REMEMBERED)
def _names_held(label: str) -> bool:
    return _HELD.search(label) is not None and _MOVES.search(label) is None


@lru_cache(maxsize=256)
def _is_dated(caption: str) -> bool:
    return _DATES.search(caption) is not None


@lru_cache(maxsize=_REMEMBERED)
def _edge_of(label: str) -> int:
    """-1 where a label says the beginning of a period, 1 where it says the end, else 0."""
    if _ENDING.search(label):
        return 1
    return -1 if _BEGINNING.search(label) else 0


def _at_edge(period: Period, label: str, calendar: Calendar) -> Period:
    """The first or last day of a period, for the rows that say so (cash at beginning of year)."""
    if period.start is None:
        return period
    edge = _edge_of(label)
    if edge < 0:
        return Period(calendar.known_end(period.start - timedelta(days=1)) if calendar.weekly else _day_before(period))
    return Period(period.end) if edge else period


def _day_before(period: Period) -> date:
    return (period.start or period.end) - timedelta(days=1)


@lru_cache(maxsize=_REMEMBERED)
def _is_time(label: str, calendar: Calendar) -> bool:
    """Whether a label is a time and little else, not a name that holds one ("2014 Notes")."""
    for mention in reversed(_mentions(label, calendar)):
        label = label[: mention.span.start] + label[mention.span.end :]
    return (
        len(
            re.findall(
                r"[A-Za-z]{2,}", re.sub(r"\b(?:fiscal|year|years|ended|the|total|for|in|of)\b", "", label, flags=re.I)
            )
        )
        <= 1
    )


@lru_cache(maxsize=_REMEMBERED)
def _is_bare_year(text: str) -> bool:
    return _ANY_YEAR.search(text) is not None and _MORE_THAN_YEAR.search(text) is None


@lru_cache(maxsize=_REMEMBERED)
def _resolved(text: str, calendar: Calendar) -> Period | None:
    """The one period that a label names: the most specific of its mentions, or a length and a year put together."""
    mentions = _mentions(text, calendar)
    if not mentions:
        return None
    open_ended = [m for m in mentions if m.period is None]
    years = [m for m in mentions if m.kind is PeriodKind.YEAR and m.year]
    if open_ended and years:
        phrase = open_ended[0].span.of(text)
        whole = [m for m in _mentions(f"{phrase} {years[0].year}", calendar) if m.period is not None]
        if whole and whole[0].kind is not PeriodKind.YEAR:
            return _fit(whole[0], calendar)
    closed = [m for m in mentions if m.period is not None]
    ends = next((m.period.end for m in closed if m.kind is PeriodKind.DAY and m.period), None)
    length = _LENGTH.search(text)
    if ends is not None and length and not any(m.kind in _SPECIFIC for m in closed):
        if length["weeks"]:
            return Period(ends, ends - timedelta(days=7 * int(length["weeks"]) - 1))
        months = {"year": 12, "quarter": 3}.get((length["unit"] or "").lower()) or _MONTHS[length["count"].lower()]
        return calendar.fitted(Period(ends, start_of(ends, months)))
    for kinds in (_SPECIFIC, (PeriodKind.DAY,), (PeriodKind.MONTH,), (PeriodKind.YEAR,), (PeriodKind.YEAR_RANGE,)):
        chosen = [m for m in closed if m.kind in kinds]
        if chosen:
            return _fit(chosen[-1] if kinds == (PeriodKind.YEAR,) else chosen[0], calendar)
    return None


def _fit(mention: PeriodMention, calendar: Calendar) -> Period | None:
    return calendar.fitted(mention.period) if mention.period is not None else None


@lru_cache(maxsize=_REMEMBERED)
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
