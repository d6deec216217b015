"""Dates and reporting periods in text: finding them, resolving them with a fiscal year end, comparing them."""

# ruff: noqa: E501 (one alternative of a pattern or one row of a table a line)
import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from viska_assets.model.evidence import Period
from viska_assets.model.span import Span

FiscalYearEnd = tuple[int, int]
CALENDAR: FiscalYearEnd = (12, 31)


class PeriodKind(StrEnum):
    """What sort of time an expression names."""

    DAY = "day"
    SPAN = "span"
    MONTH = "month"
    QUARTER = "quarter"
    HALF = "half"
    NINE_MONTHS = "nine_months"
    YEAR = "year"
    YEAR_RANGE = "year_range"
    MONTHS = "months"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True)
class PeriodMention:
    """A time expression. ``part`` is the quarter, half or month; ``year`` is None where it is not said.

    ``period`` is the resolved range, or None where the text leaves it open.
    """

    span: Span
    kind: PeriodKind
    year: int | None = None
    part: int = 0
    fiscal: bool = False
    period: Period | None = None
    expected: bool = False


MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ],
        start=1,
    )
    for name in names.split()
}
_NUMBER_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "six": 6, "nine": 9, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "twenty-six": 26, "thirty-nine": 39, "forty": 40, "fifty-two": 52, "fifty-three": 53, "twenty-four": 24,
}  # fmt: skip
_PARTS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}

_M = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
_Y = r"(?:19|20)\d{2}(?!\d)"
_Y2 = rf"(?:{_Y}|['’]?\d{{2}}(?![\d%,.]\d|\d|%))"
_MDY = rf"(?P<~m>{_M})\s?(?P<~d>\d{{1,2}})(?:st|nd|rd|th)?\s?,?\s?(?P<~y>{_Y})"
_DMY = rf"(?P<~d2>\d{{1,2}})(?:st|nd|rd|th|\.)?\s(?:of\s)?(?P<~m2>{_M})\s?,?\s?(?P<~y2>{_Y})"
_ISO = r"(?P<~y3>(?:19|20)\d{2})-(?P<~m3>[01]\d)-(?P<~d3>[0-3]\d)(?!\d)"
_MD = rf"(?P<~m4>{_M})\s?(?P<~d4>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|,\d|\.\d|\s?%)"


def _date(prefix: str) -> str:
    return f"(?:{_MDY}|{_DMY}|{_ISO})".replace("~", prefix)


def _month_day(prefix: str) -> str:
    return _MD.replace("~", prefix)


_COUNT = r"(?:\d{1,2}|" + "|".join(_NUMBER_WORDS) + ")"
_ORD = r"(?:first|second|third|fourth|1st|2nd|3rd|4th)"
_FY = r"(?:fiscal(?:\syears?)?|FY|F(?=\d)|financial\syear)"
# How an expression can begin, so that the long alternation is tried at few words of a text.
_BEGINS = r"(?=\d|o[nc]|t[wh]|f[oiurye\d]|s[ie]|n[io]|q[u1-4]|y[e]|j[au]|m[a]|a[pu]|d[e]|h[12])"
_PATTERN = re.compile(
    rf"\b{_BEGINS}(?:"
    rf"(?:(?P<len>{_COUNT})[\s-](?P<lenunit>months?|weeks?)\s(?:period\s)?|(?P<lenq>(?:fiscal\s)?quarters?(?:ly\speriod)?)\s|(?P<leny>(?:fiscal\s|financial\s|full\s)?(?:twelve\smonths|years?)[\s-]))"
    rf"(?:ended|ending|end)\s(?:on\s)?(?:{_date('e')}|{_month_day('e')})"
    rf"|(?:from\s)?{_date('a')}\s(?:to|through|until|-|–)\s{_date('b')}"
    rf"|{_date('s')}"
    rf"|(?P<n1>\d{{1,2}})[/.](?P<n2>\d{{1,2}})[/.](?P<n3>(?:19|20)\d{{2}}|\d{{2}})(?![\d.,])"
    rf"|(?P<q>[Qq](?P<qn>[1-4])|(?P<qn2>[1-4])Q)(?:\s?-?\s?(?:of\s)?(?P<qfy>{_FY}\s?)?(?P<qy>{_Y2}))?(?![A-Za-z0-9])"
    rf"|(?:(?P<h>H(?P<hn>[12])|(?P<hn2>[12])H)(?:\s?-?\s?(?:of\s)?(?P<hfy>{_FY}\s?)?(?P<hy>{_Y2}))?|9M\s?(?P<nm>{_Y2}))(?![A-Za-z0-9])"
    rf"|(?P<ofq>{_ORD})[\s-](?:fiscal[\s-])?(?P<ofunit>quarter|half)s?(?:\s(?:ended\s)?(?:of\s)?(?:the\s)?(?P<offy>{_FY}\s)?(?P<ofy>{_Y}))?"
    rf"|first\s(?P<fm>three|six|nine)\smonths\sof\s(?:the\s)?(?P<fmfy>{_FY}\s)?(?P<fmy>{_Y})"
    rf"|(?P<sfy>{_FY})\s?(?P<sf1>{_Y})\s(?P<sfq>{_ORD})\s(?P<sfunit>quarter|half)"
    rf"|(?P<fy>{_FY})\s?-?(?P<fyy>{_Y2}|\d{{2}}(?=[1-9]\b))(?!\s?[-–]\s?(?:19|20)\d\d\b)(?P<fye>[EeAa](?![A-Za-z]))?"
    rf"|(?P<mon>{_M})\s?,?\s?(?:of\s)?(?P<mony>{_Y})"
    rf"|{_month_day('p')}"
    rf"|(?:{_FY}\s)?(?P<ry1>{_Y})\s?[-–/]\s?(?P<ry2>{_Y}|\d{{2}}(?![\d,.%]|\s?(?:%|million|billion)))"
    rf"|(?P<y>{_Y})(?P<ye>[EeAa](?![A-Za-z]))?(?![\dA-Za-z]|[,.]\d|\s?(?:%|percent|million|billion|thousand|bn|mn)\b|\s?%)"
    rf"|(?P<wl>{_COUNT})[\s-](?P<wlunit>months?|weeks?)\s(?:period\s)?(?:ended|ending)"
    rf")",
    re.I,
)
_QUICK = re.compile(r"\d|quarter|half|months?\b|weeks?\b", re.I)
_COUNTED = re.compile(
    r"\s(?:[a-z]+\s){0,2}(?:units|employees|people|persons|stores|shops|customers|patients|plants|vehicles|cars|homes|rooms|beds|"
    r"barrels|tons|tonnes|shares|locations|restaurants|branches|aircraft|megawatts|mw|gwh|subscribers|members|users|"
    r"countries|sites|wells|hotels|holders|properties|points|days|hours|miles|acres|staff|workers)\b",
    re.I,
)
_MONEY_BEFORE = re.compile(r"(?:[$€£¥₹]|\b(?:USD|EUR|GBP|DKK|SEK|NOK|CHF|kr\.?))\s?$")
_TIME_BEFORE = re.compile(
    r"\b(?:in|since|by|during|for|of|until|through|fiscal|year|and|to|from|before|after|the)\s$", re.I
)


def find_periods(text: str, fiscal_year_end: FiscalYearEnd | None = None, *, locale: str = "en") -> list[PeriodMention]:
    """All time expressions of ``text``, left to right, resolved with the issuer's fiscal year end where given."""
    found: list[PeriodMention] = []
    if not _QUICK.search(text):
        return found
    for match in _PATTERN.finditer(text):
        start = match.start()
        if start and (
            text[start - 1].isalnum()
            or text[start - 1] in "$€£₹#"
            or (text[start - 1 : start] == "." and text[start - 2 : start - 1].isdigit())
        ):
            continue
        mention = _mention(match, fiscal_year_end, locale)
        if mention is None or _is_count(text, match):
            continue
        found.append(mention)
    return found


def parse_period(text: str, fiscal_year_end: FiscalYearEnd | None = None, *, locale: str = "en") -> Period | None:
    """The period that a label such as ``FY2025`` or ``Three months ended June 30, 2026`` names; None if open."""
    resolved = [m.period for m in find_periods(text, fiscal_year_end, locale=locale) if m.period is not None]
    return resolved[0] if resolved else None


def _is_count(text: str, match: re.Match[str]) -> bool:
    """Whether a bare year is rather a count (``2018 units``) or an amount of money."""
    if match["y"] is None:
        return False
    if _MONEY_BEFORE.search(text[max(0, match.start() - 5) : match.start()]):
        return True
    return _COUNTED.match(text, match.end()) is not None and not _TIME_BEFORE.search(
        text[max(0, match.start() - 8) : match.start()]
    )


def _mention(match: re.Match[str], fye: FiscalYearEnd | None, locale: str) -> PeriodMention | None:
    span = Span(match.start(), match.end())
    got = match.groupdict()
    if got["len"] or got["lenq"] or got["leny"]:
        return _ended(span, got)
    if got["am"] or got["ad2"] or got["ay3"]:
        first, last = _day(got, "a"), _day(got, "b")
        if first is None or last is None or last < first:
            return None
        return PeriodMention(span, PeriodKind.SPAN, last.year, period=Period(last, first))
    if got["sm"] or got["sd2"] or got["sy3"]:
        day = _day(got, "s")
        return PeriodMention(span, PeriodKind.DAY, day.year, period=Period(day)) if day else None
    if got["n1"]:
        return _numeric(span, match, locale)
    if got["q"]:
        return _part(span, PeriodKind.QUARTER, int(got["qn"] or got["qn2"]), got["qy"], got["qfy"], fye)
    if got["h"]:
        return _part(span, PeriodKind.HALF, int(got["hn"] or got["hn2"]), got["hy"], got["hfy"], fye)
    if got["nm"]:
        return _part(span, PeriodKind.NINE_MONTHS, 3, got["nm"], None, fye)
    if got["ofq"]:
        kind = PeriodKind.QUARTER if got["ofunit"].lower() == "quarter" else PeriodKind.HALF
        if kind is PeriodKind.HALF and _PARTS[got["ofq"].lower()] > 2:
            return None
        return _part(span, kind, _PARTS[got["ofq"].lower()], got["ofy"], got["offy"], fye)
    if got["sfq"]:
        kind = PeriodKind.QUARTER if got["sfunit"].lower() == "quarter" else PeriodKind.HALF
        return _part(span, kind, _PARTS[got["sfq"].lower()], got["sf1"], got["sfy"], fye)
    if got["fm"]:
        kind, part = {
            "three": (PeriodKind.QUARTER, 1),
            "six": (PeriodKind.HALF, 1),
            "nine": (PeriodKind.NINE_MONTHS, 3),
        }[got["fm"].lower()]
        return _part(span, kind, part, got["fmy"], got["fmfy"], fye)
    if got["fy"]:
        year = _year(got["fyy"])
        return PeriodMention(
            span,
            PeriodKind.YEAR,
            year,
            fiscal=True,
            period=fiscal_year(year, fye or CALENDAR),
            expected=_expects(got["fye"]),
        )
    if got["mon"]:
        month = MONTHS[got["mon"].lower().rstrip(".")]
        year = int(got["mony"])
        return PeriodMention(
            span, PeriodKind.MONTH, year, month, period=Period(_month_end(year, month), date(year, month, 1))
        )
    if got["pm4"]:
        month, day_number = MONTHS[got["pm4"].lower().rstrip(".")], int(got["pd4"])
        if not 1 <= day_number <= 31 or (got["pm4"].lower() in ("may", "mar") and not got["pm4"][0].isupper()):
            return None
        return PeriodMention(span, PeriodKind.DAY, None, month * 100 + day_number)
    if got["ry1"]:
        return _years(span, got["ry1"], got["ry2"])
    if got["y"]:
        year = int(got["y"])
        return PeriodMention(
            span,
            PeriodKind.YEAR,
            year,
            period=Period(date(year, 12, 31), date(year, 1, 1))
            if fye is None or fye == CALENDAR
            else fiscal_year(year, fye),
            expected=_expects(got["ye"]),
        )
    if got["wl"]:
        return PeriodMention(span, PeriodKind.MONTHS, None, _length_months(got["wl"], got["wlunit"]))
    return None


def _expects(suffix: str | None) -> bool:
    return bool(suffix) and suffix is not None and suffix.lower() == "e"


def _day(got: dict[str, str | None], prefix: str) -> date | None:
    for suffix in ("", "2", "3"):
        month, day, year = (got.get(f"{prefix}{letter}{suffix}") for letter in "mdy")
        if month and day and year:
            try:
                return date(int(year), MONTHS[month.lower().rstrip(".")] if suffix != "3" else int(month), int(day))
            except ValueError:
                return None
    return None


def _ended(span: Span, got: dict[str, str | None]) -> PeriodMention | None:
    months = 3 if got["lenq"] else 12 if got["leny"] else _length_months(got["len"] or "12", got["lenunit"] or "months")
    end = _day(got, "e")
    if end is None:
        if got["em4"] and got["ed4"]:
            return PeriodMention(span, PeriodKind.MONTHS, None, months)
        return None
    weeks = int(_count(got["len"] or "0")) if (got["lenunit"] or "").lower().startswith("week") else 0
    start = end - timedelta(days=7 * weeks - 1) if weeks else start_of(end, months)
    return PeriodMention(span, PeriodKind.SPAN, end.year, months, period=Period(end, start))


def _count(word: str) -> int:
    return _NUMBER_WORDS[word.lower()] if word.lower() in _NUMBER_WORDS else int(word)


def _length_months(word: str, unit: str) -> int:
    count = _count(word)
    return round(count * 12 / 52) if unit.lower().startswith("week") else count


def _numeric(span: Span, match: re.Match[str], locale: str) -> PeriodMention | None:
    one, two, year = int(match["n1"]), int(match["n2"]), _year(match["n3"])
    dotted = "." in match[0]
    if dotted and len(match["n3"]) != 4:
        return None
    if one > 31 or two > 31 or (one > 12 and two > 12) or not one or not two:
        return None
    if (dotted and locale != "en") or one > 12:
        day, month = one, two
    elif two > 12 or one == two:
        month, day = one, two
    else:
        return PeriodMention(span, PeriodKind.AMBIGUOUS, year)
    try:
        return PeriodMention(span, PeriodKind.DAY, year, period=Period(date(year, month, day)))
    except ValueError:
        return None


def _year(text: str) -> int:
    digits = text.lstrip("'’")
    return int(digits) if len(digits) == 4 else 2000 + int(digits)


def _part(
    span: Span, kind: PeriodKind, part: int, year: str | None, fiscal: str | None, fye: FiscalYearEnd | None
) -> PeriodMention:
    if year is None:
        return PeriodMention(span, kind, None, part, fiscal is not None)
    number = _year(year)
    return PeriodMention(
        span, kind, number, part, fiscal is not None, part_of_year(kind, part, number, fye or CALENDAR)
    )


def _years(span: Span, first: str, last: str) -> PeriodMention | None:
    start = int(first)
    end = int(last) if len(last) == 4 else start // 100 * 100 + int(last)
    if not start < end <= start + 30:
        return None
    return PeriodMention(span, PeriodKind.YEAR_RANGE, end, start, period=Period(date(end, 12, 31), date(start, 1, 1)))


def _month_end(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])


def start_of(end: date, months: int) -> date:
    """The first day of a period of ``months`` whole months that ends on ``end``."""
    first = date(end.year, end.month, 1) if end.day > 15 else date(end.year, end.month, 1) - timedelta(days=1)
    index = first.year * 12 + first.month - 1 - (months - 1)
    whole = date(index // 12, index % 12 + 1, 1)
    shift = (
        end - _month_end(end.year, end.month)
        if end.day > 15
        else end - (date(end.year, end.month, 1) - timedelta(days=1))
    )
    return whole if not shift else whole + shift


def fiscal_year(year: int, fye: FiscalYearEnd) -> Period:
    """The fiscal year named by the calendar year in which it ends."""
    end = date(year, fye[0], min(fye[1], monthrange(year, fye[0])[1]))
    return Period(end, start_of(end, 12))


def part_of_year(kind: PeriodKind, part: int, year: int, fye: FiscalYearEnd) -> Period:
    """A quarter, half or first nine months of a fiscal year."""
    months = {PeriodKind.QUARTER: 3, PeriodKind.HALF: 6}.get(kind, 9)
    ends_after = 9 if kind is PeriodKind.NINE_MONTHS else months * part
    index = year * 12 + fye[0] - 1 - (12 - ends_after)
    end = _month_end(index // 12, index % 12 + 1)
    if fye[1] < 25 and fye[0] != 2:
        end = date(end.year, end.month, fye[1])
    return Period(end, start_of(end, months))
