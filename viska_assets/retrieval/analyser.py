"""From text to index terms, as finance writes: fiscal years, amounts, form names and tickers stay findable."""

from collections.abc import Iterator
from functools import lru_cache

import regex

TOKEN = regex.compile(
    r"""
    [a-z][a-z0-9-]*:[A-Za-z][A-Za-z0-9]+       # us-gaap:Revenues
    | \d{4}-\d{2}-\d{2}                         # an ISO date
    | \d{1,3}(?:,\d{2,3})+(?:\.\d+)?            # 1,577.00 and 1,23,456
    | \d+(?:\.\d+)?(?:-[A-Za-z]{1,2}\b)?        # 1577, 4.5, 10-K
    | \p{L}[\p{L}\p{M}\p{N}]*(?:[-&.'’/]\p{L}?[\p{L}\p{N}]+)*   # words, BRK-B, S&P, year-end, FY2018
    """,
    regex.VERBOSE,
)
FISCAL_YEAR = regex.compile(r"^(?:fy|cy|[qh][1-4]fy)'?(\d{4}|\d{2})$")
_STOP_WORDS = (
    "a an and are as at be been by did do does for from had has have how in into is it its of on or our that the "
    "their there these this those to was we were what when where which who will with"
)
_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = {name: at for at, name in enumerate(_MONTH_NAMES.split(), start=1)}
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)
_WRITTEN_DATE = regex.compile(
    rf"""
    \b(?: (?P<month>{_MONTH})\.?\s+(?P<day>\d{{1,2}})\s?,?\s+
        | (?P<earlier_day>\d{{1,2}})\.?\s+(?P<later_month>{_MONTH})\.?,?\s+ )
    (?P<year>(?:19|20)\d\d)\b
    """,
    regex.VERBOSE | regex.IGNORECASE,
)
_SIBILANT = ("sses", "xes", "ches", "shes", "zzes")
STOP_WORDS = frozenset(_STOP_WORDS.split())


def terms_of(text: str) -> list[str]:
    """The index terms of a text in reading order, repeats included.

    A token keeps its own form and adds the forms under which it is asked for: ``FY2018`` also ``2018``,
    ``1,577.00`` also ``1577.00`` and ``1577``, ``year-end`` also ``year`` and ``end``, ``expenses`` also ``expense``,
    ``September 28, 2024`` also ``2024-09-28``. Beyond the plural there is no stemming.
    """
    dates = dict(_written_dates(text))
    terms: list[str] = []
    for match in TOKEN.finditer(text):
        token = match.group().lower().replace("’", "'")
        if token in STOP_WORDS:
            continue
        terms.append(token)
        terms.extend(_other_forms(token))
        if match.end() in dates:
            terms.append(dates[match.end()])
    return terms


@lru_cache(maxsize=16_384)
def term_set(text: str) -> frozenset[str]:
    """The different terms of a label or a sentence, kept for those that are read again with the next question."""
    return frozenset(terms_of(text))


def _written_dates(text: str) -> Iterator[tuple[int, str]]:
    """Where each date in words ends, and the date as ISO 8601 writes it."""
    for match in _WRITTEN_DATE.finditer(text):
        month = _MONTHS[(match["month"] or match["later_month"])[:3].lower()]
        day = int(match["day"] or match["earlier_day"])
        if 1 <= day <= 31:
            yield match.end(), f"{match['year']}-{month:02d}-{day:02d}"


def _other_forms(token: str) -> list[str]:
    year = FISCAL_YEAR.match(token)
    if year:
        digits = year.group(1)
        return [digits if len(digits) == 4 else f"20{digits}"]
    if token[0].isdigit():
        return _number_forms(token)
    if token.endswith("'s"):
        return [token[:-2]]
    if "-" in token and ":" not in token:
        return [part for part in token.split("-") if len(part) > 1 and part not in STOP_WORDS]
    singular = singular_of(token)
    return [singular] if singular != token else []


def singular_of(word: str) -> str:
    """The singular of an English plural by its ending (Harman's S stemmer, 1991, and es after a sibilant)."""
    if len(word) < 4 or not word.endswith("s") or not word.isalpha() or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word
    return word[:-2] if word.endswith(_SIBILANT) else word[:-1]


def _number_forms(token: str) -> list[str]:
    forms = []
    plain = token.replace(",", "")
    if plain != token:
        forms.append(plain)
    whole, dot, fraction = plain.partition(".")
    if dot and not fraction.strip("0"):
        forms.append(whole)
    return forms
