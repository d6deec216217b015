"""Company names that a sentence puts forward, and whether the cited chunk is about them or names them."""

import re
from functools import lru_cache

from viska_assets.guardrail.reading import ChunkReading
from viska_assets.text.metrics import METRICS

_WORD = r"(?:[A-Z][A-Za-z0-9&./-]*(?:['’](?!s\b)[A-Za-z]+)*|\d[A-Z]\w*|&)"
_NAME = rf"{_WORD}(?:\s(?:(?:of|and|&|de|the|for)\s)?{_WORD}){{0,5}}"
_SUFFIX = (
    r"(?:Inc|Incorporated|Corp|Corporation|Company|Co|Ltd|Limited|plc|PLC|LLC|L\.P|LP|AG|SE|SA|S\.A|N\.V|NV|A/S|AB|ASA|GmbH|"
    r"Holdings?|Bancorp)\b\.?"
)
_SUFFIXED = re.compile(rf"(?<![A-Za-z])((?:{_WORD},?\s){{1,4}}(?i:{_SUFFIX}))(?![a-z])")
_VERB = (
    r"(?:reported|reports|posted|issued|said|had|has|recorded|generated|acquired|announced|earned|paid|repurchased|ended|held|"
    r"owned|employed|employs|operates|expects|completed|sold|borrowed|entered|recognized|recognised|incurred|invested|received|"
    r"delivered|achieved|raised|cut|may|will|can|could|would|should|terminated|repaid|removed|expected|returned|declared|spent|purchased|was|is|were|net\ssales|revenues?|sales|earnings)\b"
)
_SUBJECT = re.compile(
    rf"^(?:(?i:in|on|for|during|as\sof|at|since|by|from)\s[^,]{{3,60}},\s)?(?:[Tt]he\s)?({_NAME})(?=(?:['’]s?)?\s(?:{_VERB}))"
)
_POSSESSIVE = re.compile(rf"({_NAME})['’]s\s")
_MID = re.compile(rf"(?<=[a-z0-9,;]\s)({_WORD}(?:\s(?:(?:of|and|&)\s)?{_WORD}){{1,4}})")
_GENERIC = frozenset(
    [
        "the",
        "a",
        "an",
        "we",
        "our",
        "its",
        "it",
        "this",
        "that",
        "these",
        "those",
        "in",
        "on",
        "at",
        "for",
        "of",
        "and",
        "or",
        "as",
        "by",
        "from",
        "to",
        "with",
        "is",
        "was",
        "were",
        "inc",
        "incorporated",
        "corp",
        "corporation",
        "company",
        "co",
        "ltd",
        "limited",
        "plc",
        "llc",
        "lp",
        "ag",
        "se",
        "sa",
        "nv",
        "as",
        "ab",
        "asa",
        "gmbh",
        "holding",
        "holdings",
        "group",
        "bancorp",
        "management",
        "board",
        "analysts",
        "segment",
        "total",
        "net",
        "income",
        "operating",
        "gross",
        "adjusted",
        "other",
        "fiscal",
        "year",
        "quarter",
        "first",
        "second",
        "third",
        "fourth",
        "half",
        "q1",
        "q2",
        "q3",
        "q4",
        "fy",
        "h1",
        "h2",
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
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "usd",
        "eur",
        "gbp",
        "dkk",
        "chf",
        "us",
        "u.s",
        "eu",
        "uk",
        "note",
        "item",
        "form",
        "table",
        "however",
        "although",
        "because",
        "while",
        "when",
        "since",
        "during",
        "after",
        "before",
        "there",
        "additionally",
        "furthermore",
        "moreover",
        "also",
        "annual",
        "report",
        "reported",
        "organic",
        "price",
        "guidance",
        "margin",
        "change",
        "drawdown",
        "debt",
        "assets",
        "staff",
        "value",
        "rate",
        "impairment",
        "leases",
        "see",
        "minus",
        "twelve",
        "thirteen",
        "two-thirds",
        "shares",
        "share",
        "cash",
        "growth",
        "amount",
        "dividend",
        "dividends",
        "average",
        "number",
        "percentage",
    ]
)


@lru_cache(maxsize=1)
def _vocabulary() -> frozenset[str]:
    words = {word for metric in METRICS.values() for alias in metric.aliases for word in re.findall(r"[a-z&']+", alias)}
    concepts = {w.lower() for m in METRICS.values() for c in m.concepts for w in re.findall(r"[A-Z][a-z]+", c)}
    return frozenset(words | concepts) | _GENERIC


def _tokens(name: str) -> list[str]:
    return [
        t for t in re.findall(r"[a-z0-9&]+(?:[.'-][a-z0-9]+)*", name.lower().replace("’", "'").removesuffix("'s")) if t
    ]


def distinctive(name: str) -> list[str]:
    """The words of a name that tell it from others."""
    vocabulary = _vocabulary()
    return [t for t in _tokens(name) if t not in vocabulary and not t.isdigit() and len(t) > 1]


def claimed_names(text: str) -> list[str]:
    """Names put forward as the company a sentence speaks of: subjects, possessives, names with a legal form."""
    found = [m[1] for m in _SUFFIXED.finditer(text)]
    subject = _SUBJECT.match(text)
    if subject:
        found.append(subject[1])
    found += [m[1] for m in _POSSESSIVE.finditer(text)]
    return [name for name in dict.fromkeys(found) if distinctive(name)]


def passing_names(text: str) -> list[str]:
    """Names of two or more words inside a sentence."""
    return [m[1] for m in _MID.finditer(text) if len(distinctive(m[1])) >= 2]


def foreign_name(text: str, readings: list[ChunkReading], labels: str = "") -> str | None:
    """The first name of a sentence that none of the cited chunks is about or names; None where all trace.

    ``labels`` are the words by which the used evidence is called (row and column labels, tagged concepts).
    """
    spoken = set(_tokens(labels))
    for name in claimed_names(text):
        if not any(_traces(name, reading) for reading in readings) and not set(distinctive(name)) <= spoken:
            return name
    for name in passing_names(text):
        if not any(_traces(name, reading) or _any_word(name, reading) for reading in readings) and not (
            set(distinctive(name)) & spoken
        ):
            return name
    return None


def _traces(name: str, reading: ChunkReading) -> bool:
    words = distinctive(name)
    known = [distinctive(n) or _tokens(n) for n in reading.chunk.entity_names]
    if any(set(words) <= set(k) or (k and set(k) <= set(words)) or (k and k[0] == words[0]) for k in known):
        return True
    compact = reading.lower
    if " ".join(_tokens(name)) in compact or name.lower() in compact:
        return True
    if not known:
        return all(_has_word(word, compact) for word in words)
    return all(_has_word(word, compact) for word in words) and len(words) > 0


def _any_word(name: str, reading: ChunkReading) -> bool:
    return any(_has_word(word, reading.lower) for word in distinctive(name))


def _has_word(word: str, text: str) -> bool:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (at and text[at - 1].isalnum()) and not (end < len(text) and text[end].isalnum()):
            return True
        at = text.find(word, at + 1)
    return False
