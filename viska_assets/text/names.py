"""Digits that are no quantities: names, references, windows, labels and identifiers (a finite, versioned list)."""

import re
from dataclasses import dataclass
from enum import StrEnum

from viska_assets.model.span import Span
from viska_assets.text.spelled import ORDINAL_WORDS, roman_value

NAMES_VERSION = "1"


class Mention(StrEnum):
    """Why digits are no quantity. LABEL, ORDINAL and IDENTIFIER must still be found in the source."""

    NAME = "name"
    REFERENCE = "reference"
    WINDOW = "window"
    MARKER = "marker"
    LABEL = "label"
    ORDINAL = "ordinal"
    IDENTIFIER = "identifier"


@dataclass(frozen=True, slots=True)
class Named:
    """A masked piece of text; ``key`` is what has to agree with the source (``phase 3``, ``2``, ``0000353278``)."""

    span: Span
    kind: Mention
    key: str


_NAMES = (
    r"3M(?!\w)|S\s?&(?:amp;)?\s?P\s(?:500|400|600|100|Global\s1200)|COVID(?:-|\s)19|SARS-CoV-2|Russell\s(?:1000|2000|3000)"
    r"|FTSE\s(?:100|250|350)|N(?:asdaq|ASDAQ)(?:-|\s)100|(?:Euro\s)?S(?:toxx|TOXX)\s(?:50|600)|CAC\s40|DAX\s40|Nikkei\s225"
    r"|OMXC?\s?(?:C25|25|20|30|S30)|Dow\s(?:Jones\s)?30|CSI\s300|KOSPI\s200|Fortune\s(?:100|500|1000)|ASX\s200|TSX\s60"
    r"|Basel\sI{1,3}V?|Web\s[23]\.0|Industry\s4\.0|[2-6]G(?!\w)|G(?:7|8|20)(?!\w)|24/7|9/11|7-Eleven|7UP|23andMe"
    r"|(?:Microsoft|Office)\s365|Windows\s(?:7|8|10|11)|Xbox\s(?:360|One)|PlayStation\s[2-6]|PS[2-6](?!\w)|Motel\s6"
    r"|2[01](?:th|st)\s[Cc]entury|Forever\s21|Formula\s(?:1|One)|WD-40|Level\s3\sCommunications|Pier\s1\sImports"
    r"|(?:Boeing\s)?7[0-8]7(?:-\d{1,3}(?:ER|LR)?)?(?=\s(?:MAX|Dreamliner|program|aircraft|airplane|family|freighter))"
    r"|Big\s(?:4|Four)|1-800(?:-[A-Za-z-]+)?|Vitamin\s[BD]\d+|[A-Za-z_]\w*/[A-Za-z_]\w*\s?[<>]=?\s?\d+(?:\.\d+)?"
    r"|VaR\s?(?:\(?9[0579](?:\.\d)?\s?%\)?)|9[0579](?:\.\d)?\s?%\s(?:VaR|confidence(?:\s(?:level|interval))?)"
    r"|confidence\s(?:level|interval)\sof\s9[0579](?:\.\d)?\s?%|\d{1,2}(?:th|st|nd|rd)\spercentile"
)
_REFERENCES = (
    r"(?i:\b(?:notes?|items?|parts?|exhibits?|sections?|sec\.|articles?|chapters?|schedules?|tables?|figures?|appendix|"
    r"annex|paragraphs?|topics?|subtopics?|rules?|regulations?|levels?|tiers?|steps?|footnotes?|pages?|pp?\.|"
    r"nos?\.|releases?|statements?\sno\.|interpretations?\sno\.|amendments?\s(?:no\.\s)?|plan\sno\.|lots?|buildings?))"
    r"\s?(?:no\.\s)?(?:\d{1,3}\.\d{2}(?!\d)|\d{1,4}[A-Za-z]?(?![\d,.]*\d)(?:[.-]\d{1,3})*(?:\([a-zA-Z0-9]{1,3}\))*)"
    r"(?:\s?(?:,|and|or|through|to|&|-|–)\s?\d{1,3}[A-Za-z]?(?![\w,.%]*\d|\s(?:%|million|billion|percent)))*(?![\d%])"
    r"|\b(?:Form|Forms|form)\s(?:\d{1,2}-?[A-Z]{1,3}|S-\d|[A-Z]-\d|\d{1,4})(?:/A)?(?!\w)"
    r"|(?<![\w-])(?:10-K|10-Q|8-K|20-F|6-K|40-F|11-K|13[DFG]|10-KSB|10-K405|S-[1348])(?:/A)?(?!\w)"
    r"|\b(?i:IFRS|IAS|IFRIC|SFAS|FAS|ASC|ASU|FASB|FIN|EITF|SAB|APB|FSP|ISO|GAAP)(?:\s(?:No\.|Topic|Statement|ASC|ASU|Issue))*\s?\d{1,4}(?:[-.]\d{1,4})*(?:\(?[RrAa]\)?)?(?!\w)"
    r"|\b401\s?\(\s?k\s?\)|\b40[39]\s?\(\s?[ab]\s?\)|\b10b5-1\b|\b144A\b|\b1\.\d{3}-\d+\b|\bTitle\s[IVX\d]+\b|\bU\.?S\.?C\.?\s§?\s?\d+"
)
_WINDOW = (
    r"(?i:\b(?:5|7|10|12|14|20|24|26|28|30|36|48|50|52|60|90|100|120|180|200|250|360|365)-(?:day|week|month|trading-day)\b"
    r"|\b(?:two|three|four|five|ten|\d{1,2})[-\s]year\s(?:period|average|horizon|cumulative|high|low)\b"
    r"|\b(?:[1-9]|[1-5]0)-year\s(?:treasur\w+|government|gilt|bund|bond|note|yield|t-bill)\b)"
)
_LABEL = (
    r"\b(?i:phase|scope|series|type|stage|tranche|grade|cohort|category)\s(?:\d{1,2}[a-z]?|[IVX]{1,4})(?![\w%,]|\.\d)"
)
_IDENTIFIER = (
    r"\b(?i:cik|central\sindex\skey)(?:\s?(?:no\.?|number|code))?\s?[:#=]?\s?(?P<cik>\d{1,10})\b"
    r"|\b[A-Z]{2}[A-Z0-9]{9}\d\b|\b[A-Z0-9]{18}\d{2}\b(?<=\w{20})|\b\d{10}-\d{2}-\d{6}\b"
    r"|\+\d{1,3}(?:[\s.-]?\(?\d{1,4}\)?){2,5}|\(\d{3}\)\s?\d{3}-\d{4}\b|\b\d{3}-\d{3}-\d{4}\b|\b\d{3}-\d{4}\b(?!\s?(?:million|billion|%))"
    r"|https?://\S+|\bwww\.\S+|\b[\w.+-]+@[\w-]+\.\w+|\b\d{1,3}-\d{5,8}\b|\b(?!\d{1,3}(?:\.\d{3})+(?![\d.]))\d+(?:\.\d+){2,}\b|(?<![\w.,])0\d{3,}\b"
    r"|\b\d{5}-\d{4}\b|\b(?:19|20)\d{2}['’]?s\b|§+\s?\d+(?:\.\d+)*(?:[-\w]*\w)?|\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\b\.?)?"
)
_ORDINAL = (
    r"\b\d{1,3}(?:st|nd|rd|th)\b"
    rf"|(?<=\branked\s)(?:{'|'.join(ORDINAL_WORDS)})\b|(?<=\branks\s)(?:{'|'.join(ORDINAL_WORDS)})\b"
    rf"|(?<=\bplaced\s)(?:{'|'.join(ORDINAL_WORDS)})\b|(?<=\bcame\s)(?:{'|'.join(ORDINAL_WORDS)})\b"
)
# A letter glued before digits makes a name (SMA50, H100, GLP-1); periods and money are read before this.
_GLUED = (
    r"(?<![\w$€£¥])(?<!\d[.,])(?!(?:FY|CY|Q|H|USD|EUR|GBP|DKK|SEK|NOK|CHF|JPY|CNY|RMB|INR|CAD|AUD|kr|Rs|US|C|A|HK|NT|SFr|Mio|approx|ca)\.?\d)"
    r"(?:(?=[a-z]*[A-Z-])[A-Za-z]+(?:-[A-Za-z]+)*-?|[a-z])\d[\w-]*(?:\.\d+)?"
)
_MARKER = r"\[\^[^\]\s]{1,40}\]|(?m:^\s*\d{1,3}[.)]\s)|(?<=[\w%)])\(\d{1,2}\)(?!\s?(?:%|million|billion))"

_ALL = re.compile(
    f"(?P<marker>{_MARKER})|(?P<name>(?<![\\w-])(?:{_NAMES}))|(?P<identifier>{_IDENTIFIER})|(?P<label>{_LABEL})"
    f"|(?P<reference>{_REFERENCES})|(?P<window>{_WINDOW})|(?P<ordinal>{_ORDINAL})|(?P<glued>{_GLUED})"
)
_QUICK = re.compile(
    r"\d|[IVX]{1,4}\b|\bFour\b|\b(?:ranked|ranks|placed|came)\s|@|-year\b|\byear\s(?:period|average|horizon|cumulative|high|low)\b"
)


def find_named(text: str) -> list[Named]:
    """All pieces of ``text`` whose digits are no quantities, left to right."""
    if not _QUICK.search(text):
        return []
    found: list[Named] = []
    for match in _ALL.finditer(text):
        group = match.lastgroup if match.lastgroup != "cik" else "identifier"
        span = Span(match.start(), match.end())
        if group == "glued":
            found.append(Named(span, Mention.NAME, match[0]))
        elif group == "identifier":
            found.append(Named(span, Mention.IDENTIFIER, match["cik"] or match[0].lstrip("§ ")))
        elif group == "label":
            found.append(Named(span, Mention.LABEL, _label_key(match[0])))
        elif group == "ordinal":
            found.append(Named(span, Mention.ORDINAL, ordinal_key(match[0])))
        elif group is not None:
            found.append(Named(span, Mention(group), match[0]))
    return found


def _label_key(text: str) -> str:
    word, _, number = text.lower().partition(" ")
    roman = roman_value(number.strip().upper())
    return f"{word} {roman if roman is not None else number.strip()}"


def ordinal_key(text: str) -> str:
    """The number of an ordinal in digits or words."""
    word = text.lower()
    return str(ORDINAL_WORDS[word]) if word in ORDINAL_WORDS else re.sub(r"\D", "", word)


_ANY_ORDINAL = re.compile(rf"\b(?:\d{{1,3}}(?:st|nd|rd|th)|{'|'.join(ORDINAL_WORDS)})\b", re.I)


def ordinals_in(text: str) -> frozenset[str]:
    """The numbers of all ordinals, in digits and words."""
    return frozenset(ordinal_key(match[0]) for match in _ANY_ORDINAL.finditer(text))
