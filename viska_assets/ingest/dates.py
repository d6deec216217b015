"""Dates as covers, headers and file names print them; never relative to today."""

import re
from datetime import date

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = "|".join(f"{month[:3]}(?:{month[3:]})?" for month in _MONTHS)
MONTH_DAY = re.compile(rf"(?P<month>{_MONTH}|sept)\.?\s+(?P<day>\d{{1,2}})\b", re.IGNORECASE)
_MONTH_FIRST = re.compile(
    rf"\b({_MONTH}|sept)\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\s*,?\s+((?:19|20)\d\d)\b", re.IGNORECASE
)
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\.?\s+({_MONTH}|sept)\.?,?\s+((?:19|20)\d\d)\b", re.IGNORECASE)
_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_./]?(0[1-9]|1[0-2])[-_./]?(0[1-9]|[12]\d|3[01])(?!\d)")


def month_number(name: str) -> int:
    """The month, 1 to 12, of a full or shortened English name."""
    return [month[:3] for month in _MONTHS].index(name[:3].lower()) + 1


def make_date(year: int, month: int, day: int) -> date | None:
    """The date, or None where the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def find_date(text: str) -> date | None:
    """The first date written out in ``text``."""
    found: list[tuple[int, date]] = []
    for pattern, order in ((_MONTH_FIRST, (3, 1, 2)), (_DAY_FIRST, (3, 2, 1))):
        if match := pattern.search(text):
            made = make_date(int(match[order[0]]), month_number(match[order[1]]), int(match[order[2]]))
            if made:
                found.append((match.start(), made))
    if match := _ISO.search(text):
        made = make_date(int(match[1]), int(match[2]), int(match[3]))
        if made:
            found.append((match.start(), made))
    return min(found)[1] if found else None


def find_month_day(text: str) -> tuple[int, int] | None:
    """A month and day without a year: ``September 28``, ``--09-28``, ``9/30``, ``0930``."""
    if match := MONTH_DAY.search(text):
        return month_number(match["month"]), int(match["day"])
    if match := re.fullmatch(r"\s*-{0,2}(\d{1,2})[-/](\d{1,2})\s*|\s*(\d\d)(\d\d)\s*", text):
        month, day = int(match[1] or match[3]), int(match[2] or match[4])
        if make_date(2000, month, day):
            return month, day
    return None
