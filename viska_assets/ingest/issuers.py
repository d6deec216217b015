"""Who a document is of: the name on a cover page, in a press release or in a title. Dates stand in ``publication``."""

import re
from dataclasses import dataclass

_REGISTRANT = re.compile(r"\(?\s*exact\s+name\s+of\s+(?:the\s+)?(?:registrant|company|issuer)s?\b", re.IGNORECASE)
# What a cover page sets before the name where print runs into one line: file numbers, dates, a transition period.
_BEFORE_NAME = re.compile(
    r".*(?:\bfile\s+(?:number|no\.?)s?\s*:?\s*\d[\d-]*|\btransition\s+period\s+from[\s_]*to[\s_]*"
    r"|\b(?:19|20)\d\d\b|\breported\)?\s*:?|\bcommission\s+file\s+(?:number|no\.?)s?\s*:?)",
    re.IGNORECASE | re.DOTALL,
)
_BOILERPLATE = re.compile(
    r"\bcommission\s+file\b|\btransition\s+(?:period|report)\b|^washington\b|^form\s+\d|\bact\s+of\s+1934\b|^\W*mark\s+one"
    r"|\b(?:year|period|quarter)\s+ended\b|\bunited\s+states\b|\bsecurities\s+and\s+exchange\b|^or$"
    r"|^(?:annual|quarterly|current)\s+report\b|\bdate\s+of\s+(?:earliest|report)\b|^table\s+of\s+contents$",
    re.IGNORECASE,
)
_LINES_ABOVE = 8
_NAME_LENGTH = 120
_COMPANY_LINE = re.compile(
    r"^\W*(?P<name>(?!.*\b(?:SECURITIES AND EXCHANGE|COMMISSION|FORM)\b)[A-Z0-9][A-Z0-9&.,'’() -]{1,60}?"
    r"\b(?:COMPANY|CORPORATION|INCORPORATED|INC|CORP|PLC|LTD|LIMITED|N\.V|S\.A|A/S|AG|LLC|L\.P|HOLDINGS|GROUP)\b\.?)\W*$",
    re.MULTILINE,
)
_ANNOUNCES = re.compile(
    r"^(?P<name>[A-Z0-9][\w&.,'’ -]{1,60}?)\s+(?:announces|reports|posts|releases|delivers)\s+"
    r"(?:\S+\s+){0,6}?(?:results|earnings|quarter|sales)\b",
    re.IGNORECASE | re.MULTILINE,
)
_LISTED = re.compile(
    r"[-–—]\s*(?P<name>[A-Z0-9][\w&.,'’ -]{1,60}?)\s*\((?:[A-Z][\w ]{1,20}:\s?[A-Z.]{1,6}[,;/ ]*)+\)[^.]{0,40}?"
    r"\b(?:announce[sd]|report(?:s|ed)|release[sd])\b"
)
_REPORT_TITLE = re.compile(
    r"^#?\s*(?!(?:our|the|this|its)\b)(?P<name>\S.{0,80}?)\s*[,:–—-]?\s+(?P<year>(?:19|20)\d\d)\s+annual\s+report\b",
    re.IGNORECASE,
)
_TICKER = re.compile(r"[A-Z]{1,5}(?:\.[A-Z])?")
_STATE_MARK = re.compile(r"\s*/[A-Za-z]{2,3}/?(?=\s*$)")


@dataclass(frozen=True, slots=True)
class TitledName:
    """The name that the title of a report begins with, a ticker where it is one, and the year reported."""

    issuer: str = ""
    ticker: str = ""
    year: int = 0


def registrant(head: str) -> str:
    """The name over "(Exact name of registrant as specified in its charter)"; empty where the cover has none."""
    match = _REGISTRANT.search(head)
    if match is None:
        return ""
    lines = [line for line in head[: match.start()].split("\n") if line.strip()]
    for line in reversed(lines[-_LINES_ABOVE:]):
        name = _BEFORE_NAME.sub("", line).strip(" _|-☐☒☑")
        if re.search(r"[A-Za-z]{2}|\d[A-Z]\b", name) and not _BOILERPLATE.search(name):
            return name[-_NAME_LENGTH:]
    return ""


def company_line(head: str) -> str:
    """A line of the cover that is a company's name in capitals."""
    match = _COMPANY_LINE.search(head)
    return match["name"] if match else ""


def announcer(head: str) -> str:
    """The company whose press release this is: "Acme Announces Third Quarter Results", or its dateline's speaker."""
    match = _ANNOUNCES.search(head[:3000]) or _LISTED.search(head)
    return match["name"] if match else ""


def report_title(head: str) -> TitledName:
    """The name in a title such as "Acme Corp 2013 annual report"; a ticker stands for no name."""
    match = _REPORT_TITLE.match(head)
    if match is None:
        return TitledName()
    name = _STATE_MARK.sub("", match["name"])
    is_ticker = _TICKER.fullmatch(name) is not None
    return TitledName("" if is_ticker else name, name if is_ticker else "", int(match["year"]))


def tidy_name(name: str) -> str:
    """A name with single spaces and without marks at its ends."""
    return re.sub(r"\s+", " ", name).strip(" ,;:_")
