"""Whether a period that a page names is the period of the evidence, given the issuer's fiscal year end."""

from datetime import date

from viska_assets.model.evidence import Period
from viska_assets.text.periods import CALENDAR, FiscalYearEnd, PeriodKind, PeriodMention, part_of_year

_SLACK = 10  # days by which 52/53-week years and quarters drift from month ends


def is_compatible(mention: PeriodMention, period: Period, fye: FiscalYearEnd | None) -> bool:
    """Whether evidence of ``period`` may be spoken of with ``mention``."""
    match mention.kind:
        case PeriodKind.DAY:
            return _fits_day(mention, period)
        case PeriodKind.SPAN:
            return _fits_span(mention, period)
        case PeriodKind.YEAR:
            return _fits_year(mention, period, fye)
        case PeriodKind.QUARTER | PeriodKind.HALF | PeriodKind.NINE_MONTHS:
            return _fits_part(mention, period, fye)
        case PeriodKind.MONTH:
            assert mention.period is not None and mention.period.start is not None
            return mention.period.start <= period.end <= mention.period.end
        case PeriodKind.MONTHS:
            return period.start is None or abs(_months(period) - mention.part) < 1
        case PeriodKind.YEAR_RANGE:
            return mention.part <= fiscal_label(period, fye) <= (mention.year or 0)
        case _:
            return False


def _months(period: Period) -> float:
    return period.days / 30.4


def _near(one: date, two: date, slack: int = _SLACK) -> bool:
    return abs((one - two).days) <= slack


def _fits_day(mention: PeriodMention, period: Period) -> bool:
    if mention.period is None:
        return period.end.month * 100 + period.end.day == mention.part or (
            period.start is not None and period.start.month * 100 + period.start.day == mention.part
        )
    return mention.period.end == period.end or mention.period.end == period.start


def _fits_span(mention: PeriodMention, period: Period) -> bool:
    named = mention.period
    if named is None or not _near(named.end, period.end, 3):
        return False
    return period.start is None or named.start is None or _near(named.start, period.start)


def fiscal_label(period: Period, fye: FiscalYearEnd | None) -> int:
    """The year by which a period is called: that of the fiscal year end it falls into (or ends nearest to)."""
    month, day = fye or CALENDAR
    end = period.end
    for year in (end.year - 1, end.year, end.year + 1):
        close = date(
            year, month, min(day, 28 if month == 2 else day if day < 31 or month in (1, 3, 5, 7, 8, 10, 12) else 30)
        )
        if (end - close).days <= _SLACK:
            return year
    return end.year


def _fits_year(mention: PeriodMention, period: Period, fye: FiscalYearEnd | None) -> bool:
    label = fiscal_label(period, fye)
    if fye is None or not mention.fiscal:
        years = {label, period.end.year if period.end.timetuple().tm_yday > _SLACK else period.end.year - 1}
    else:
        years = {label}
    if mention.year not in years:
        return False
    return period.start is None or period.days > 340 or period.days < 2


def covers_year(mention: PeriodMention, period: Period, fye: FiscalYearEnd | None) -> bool:
    """Whether a year mention at least holds a shorter period of evidence (a quarter's figure under ``2025``)."""
    return mention.kind is PeriodKind.YEAR and mention.year in {fiscal_label(period, fye), period.end.year}


def _fits_part(mention: PeriodMention, period: Period, fye: FiscalYearEnd | None) -> bool:
    length = {PeriodKind.QUARTER: 3, PeriodKind.HALF: 6, PeriodKind.NINE_MONTHS: 9}[mention.kind]
    if period.start is not None and abs(_months(period) - length) > 1:
        return False
    years = [mention.year] if mention.year is not None else [period.end.year - 1, period.end.year, period.end.year + 1]
    ends = [fye or CALENDAR] if fye is not None or mention.fiscal else [CALENDAR]
    if fye is not None and not mention.fiscal:
        ends.append(CALENDAR)
    if fye is None and mention.kind is PeriodKind.QUARTER and mention.fiscal:
        return period.end.year in years or period.end.year + 1 in years
    return any(
        _near(part_of_year(mention.kind, mention.part, year, end).end, period.end) for year in years for end in ends
    )


def same_time(one: PeriodMention, two: PeriodMention) -> bool:
    """Whether a page's mention and a source's name the same time; the page's may leave the year open."""
    if one.kind is two.kind and one.period == two.period:
        return (one.year, one.part) == (two.year, two.part) or one.period is not None
    if one.period is not None and two.period is not None:
        if one.period == two.period:
            return True
        if PeriodKind.DAY in (one.kind, two.kind):
            return one.period.end == two.period.end
        if one.period.start and two.period.start:
            return _near(one.period.end, two.period.end, 3) and _near(one.period.start, two.period.start)
    return _open_match(one, two)


def _open_match(open_one: PeriodMention, other: PeriodMention) -> bool:
    """A mention without year agrees with one of the same kind and part in any year."""
    if open_one.year is not None or open_one.kind is not other.kind:
        return False
    if open_one.kind is PeriodKind.DAY and other.period is not None:
        return other.period.end.month * 100 + other.period.end.day == open_one.part
    return open_one.part == other.part


def is_within(part: PeriodMention, whole: PeriodMention) -> bool:
    """Whether a year is the year in which another, finer mention of the source falls."""
    return part.kind is PeriodKind.YEAR and part.year is not None and whole.year == part.year
