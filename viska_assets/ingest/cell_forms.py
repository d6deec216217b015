"""What the text of a table cell looks like: a number, a part of one, a dash, a year, a footnote mark."""

import re
from functools import lru_cache

CURRENCY = (
    r"(?:US|U\.S\.|C|CA|A|AU|HK|NZ|R|S|NT|Mex)?\$|[€£¥₹₩₽]"
    r"|(?:USD|EUR|GBP|JPY|CHF|DKK|SEK|NOK|RMB|CNY|INR|CAD|AUD|Rs\.?|kr\.?)"
)
_MARKS = r"[\s*†‡§#⁰¹²³⁴-⁹⁽⁾ᵃ-ᶻ]*(?:\s*[(\[][a-z]{1,2}[)\]])?"
_DIGITS = r"\d[\d,.'’]*(?: \d{3})*|\.\d+"
_NUMERIC = re.compile(
    rf"[~<>≈+]?\s*[(\[]?\s*[-−–]?\s*(?:{CURRENCY})?\s*[(\[]?\s*[-−–]?\s*(?:{_DIGITS})\s*(?:{CURRENCY})?\s*"
    rf"(?:%|‰|bps?|basis points?|pp|pts?\.?|points|x|X|k|m|mn|bn|tn"
    rf"|million|billion|thousand|trillion|years?|days|months)?"
    rf"\s*[)\]]?\s*%?\s*[)\]]?\s*(?:million|billion|thousand|bps?|pts?)?{_MARKS}",
)
_DASH = re.compile(rf"(?:{CURRENCY})?\s*[-−–—‒―]{{1,3}}\s*%?\s*\)?{_MARKS}")
_NO_VALUE = re.compile(r"(?:n/?[am]\.?|n\.[am]\.?|nm|nmf|not meaningful|\*+)" + _MARKS, re.IGNORECASE)
_YEAR = re.compile(r"(?:fy|fiscal(?: year)?|year)?\s*(?:19|20)\d\d[ae]?" + _MARKS, re.IGNORECASE)
_PREFIX = re.compile(rf"[-−–+]?\s*[(\[]?\s*(?:{CURRENCY})\s*[(\[]?|[(\[]")
_SUFFIX = re.compile(r"[)\]]?\s*(?:%|‰|bps?|basis points|pp|pts?\.?|x|X)?\s*[)\]]?")
_STARTS_NUMBER = re.compile(r"[-−–—(\[]?\s*(?:[.\d]|[-−–—]\s*$|[-−–—])")
_ENDS_NUMBER = re.compile(rf"(?:\d|[-−–—]|\)|%|[.,])\s*(?:{CURRENCY})?{_MARKS}$")
# The text of a cell is looked at by some ten rules within its table; the caches need only outlast the table.
_REMEMBERED = 16384
_MARK_ONLY = re.compile(r"[*†‡§#⁰¹²³⁴-⁹⁽⁾ᵃ-ᶻ]{1,6}|[(\[][a-z][)\]]")


@lru_cache(maxsize=_REMEMBERED)
def is_numeric(text: str) -> bool:
    """Whether the whole cell is one number with its signs, units and footnote marks (a year counts too)."""
    return len(text) <= 60 and bool(_NUMERIC.fullmatch(text))


@lru_cache(maxsize=_REMEMBERED)
def is_dash(text: str) -> bool:
    """Whether the cell is a dash, which stands for zero in a numeric column."""
    return len(text) <= 12 and bool(_DASH.fullmatch(text))


@lru_cache(maxsize=_REMEMBERED)
def is_no_value(text: str) -> bool:
    """Whether the cell says that there is no meaningful value."""
    return len(text) <= 20 and bool(_NO_VALUE.fullmatch(text))


@lru_cache(maxsize=_REMEMBERED)
def is_year(text: str) -> bool:
    """Whether the cell is a bare year."""
    return len(text) <= 20 and bool(_YEAR.fullmatch(text))


@lru_cache(maxsize=_REMEMBERED)
def is_value(text: str) -> bool:
    """Whether the cell belongs to a numeric column: a number, a dash or an explicit no-value."""
    return is_numeric(text) or is_dash(text) or is_no_value(text)


@lru_cache(maxsize=_REMEMBERED)
def is_data_number(text: str) -> bool:
    """Whether the cell is a value that a header row would not hold."""
    return (is_numeric(text) and not is_year(text)) or is_dash(text)


def glue_between(left: str, right: str) -> str | None:
    """The separator with which two neighbouring cells are one number, or None where they are two cells."""
    if _PREFIX.fullmatch(left) and _STARTS_NUMBER.match(right):
        return ""
    if _SUFFIX.fullmatch(right) and _ENDS_NUMBER.search(left) and (is_value(left) or _opens(left)):
        return " " if right[0].isalpha() and right not in ("x", "X") else ""
    if _MARK_ONLY.fullmatch(right) and is_value(left):
        return " "
    return None


def _opens(text: str) -> bool:
    """Whether a bracket opened in this number is closed by the next cell."""
    return text.count("(") > text.count(")") and any(c.isdigit() for c in text) and len(text) <= 40
