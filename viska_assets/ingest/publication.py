"""When a document was published, where it prints no filing date: its signatures, its dateline, its date of report."""

import re
from datetime import date

from viska_assets.ingest.dates import find_date

_SIGNED = re.compile(
    r"[dD]uly\s+caused\s+this\s+(?:[a-zA-Z]+\s+){1,4}to\s+be\s+signed|DULY\s+CAUSED\s+THIS\s+\w+\s+TO\s+BE\s+SIGNED"
)
_NEXT_SIGNED = re.compile(r"pursuant\s+to\s+the\s+requirements\s+of|power\s+of\s+attorney", re.IGNORECASE)
_SIGNATURE_LENGTH = 800
_REPORT_DATE = re.compile(r"date\s+of\s+report[^:)]{0,60}\)?\s*:?\s*(?P<day>.{5,40})", re.IGNORECASE)
_COVER_LENGTH = 4000
# "CITY, N.Y. - April 25, 2023 - Acme", "CITY, N.Y., (January 24, 2023) –", "CITY--(WIRE)--April 25, 2023--".
_DATELINE = re.compile(
    r"^(?P<place>[A-Z][A-Za-z .,'’-]{2,60}?(?:--?\(?[A-Z ]*\)?--?)?)[\s,(/–—-]+"
    r"(?P<day>[A-Z][a-z]{2,8}\.?\s+\d{1,2},?\s+(?:19|20)\d\d)[\s)/]*(?:[–—-]|\(|$)",
    re.MULTILINE,
)
_LONE_DAY = re.compile(
    r"^\W*(?:(?:mon|tues|wednes|thurs|fri)day,?\s+)?(?P<day>[A-Z][a-z]{2,8}\.?\s+\d{1,2},?\s+(?:19|20)\d\d)\W*$",
    re.MULTILINE | re.IGNORECASE,
)
_RELEASE_LENGTH = 5000
_TOP_LENGTH = 300


def published_on(text: str, form: str, period_end: date | None) -> date | None:
    """The day on which a filing or press release says that it was signed or given out; None where it says none.

    A day before the end of the period reported belongs to something else and is not taken.
    """
    if not form:
        return None
    day = released_on(text) if form == "EARNINGS" else signed_on(text)
    if day is None and form.upper().startswith("8"):
        reported = _REPORT_DATE.search(text[:_COVER_LENGTH])
        day = find_date(reported["day"]) if reported else None
    return day if day is not None and (period_end is None or day >= period_end) else None


def signed_on(text: str) -> date | None:
    """The date of the first signature page: "duly caused this report to be signed … Date: February 8, 2023"."""
    for match in _SIGNED.finditer(text):
        signatures = text[match.end() : match.end() + _SIGNATURE_LENGTH]
        following = _NEXT_SIGNED.search(signatures)
        # Some sign below the second paragraph only; its dates are those of the same day.
        for passage in (signatures[: following.start()] if following else signatures, signatures):
            if (day := find_date(passage)) is not None:
                return day
    return None


def released_on(text: str) -> date | None:
    """The date of a press release: alone on a line at its top, or in its dateline."""
    lone = _LONE_DAY.search(text[:_TOP_LENGTH])
    match = lone or _DATELINE.search(text[:_RELEASE_LENGTH])
    return find_date(match["day"]) if match else None
