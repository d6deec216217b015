"""Scale statements: "in millions, except per share data", "£m", "$000s", "Dollars in millions; shares in thousands".

A statement is read once from a header, caption, note or document and then asked what it means for one class of
number. Its "except" clause is kept as phrases that name rows by their words.
"""

# ruff: noqa: E501 (one alternative of a pattern a line)
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from viska_assets.model.evidence import Unit
from viska_assets.text.units import currency_of

_WORDS = {
    "hundred": 2,
    "thousand": 3,
    "k": 3,
    "000": 3,
    "tkr": 3,
    "tsd": 3,
    "million": 6,
    "mm": 6,
    "mn": 6,
    "m": 6,
    "mio": 6,
    "mln": 6,
    "billion": 9,
    "bn": 9,
    "b": 9,
    "mia": 9,
    "mrd": 9,
    "trillion": 12,
    "tn": 12,
    "lakh": 5,
    "crore": 7,
    "cr": 7,
}
_LONG = r"(?:hundred|thousand|million|billion|trillion|lakh|crore)s?"
_SHORT = r"(?:mio|mia|mrd|mln|bn|mn|mm|tkr|tsd)\b\.?"
_MONEY_WORD = (
    r"(?:(?:U\.?\s?S\.?|Canadian|Australian|Hong Kong|Singapore)\s+)?(?:dollars?|euros?|pounds?(?: sterling)?|yen|rupees?|renminbi|"
    r"kroner|kronor|francs?|pesos?|won|reais)"
)
_SIGN = r"(?:(?:US|C|CA|A|AU|HK|NZ|S|R|NT|MX)?\$|[€£¥₹₩]|Rs\.?|\b(?:USD|EUR|GBP|JPY|CHF|DKK|SEK|NOK|RMB|CNY|INR|CAD|AUD|HKD|SGD|KRW|BRL|MXN|ZAR|kr)\b\.?)"
_CODES = r"(?:USD|EUR|GBP|JPY|CHF|DKK|SEK|NOK|RMB|CNY|INR|CAD|AUD|HKD|SGD)"
_STATEMENT = re.compile(
    rf"(?P<sign>{_SIGN})\s?['’‘]?(?P<signed>000['’]?s?|k\b|mm?\b|bn?\b|{_SHORT}|{_LONG})"
    rf"|\b(?P<code>{_CODES})(?P<glued>mn?|bn|k)\b|\b(?P<lead>[kKtTmM])\.?\s?(?P<lead_code>{_CODES}|€|kr\.?)(?![A-Za-z])"
    rf"|(?P<before>{_MONEY_WORD}(?:\s+and\s+shares)?|{_SIGN}|shares?|units?|amounts?|figures|all numbers)?[\s,]*(?:are\s+|is\s+)?"
    rf"(?:(?:expressed|stated|presented|reported|reflected|shown)\s+)?(?:\bin\s+|\()\s*(?P<word>{_LONG}|{_SHORT})"
    rf"(?:\s+of\s+(?P<of>{_MONEY_WORD}|{_SIGN}|shares|[a-z]+)|,\s*(?P<after>{_SIGN}))?"
    rf"|(?<![\d.])\b(?P<plural>thousands|millions|billions|crores|lakhs)\b(?:\s+of\s+(?P<plural_of>{_MONEY_WORD}|{_SIGN}|shares|[a-z]+))?"
    rf"|(?<![\w,.])['’‘(]?(?P<zeros>000['’]?s?)(?:\s+omitted)?(?![\d,.])",
    re.IGNORECASE,
)
_QUICK = re.compile(
    r"thousand|million|billion|trillion|hundred|crore|lakh|000|mio|mia|mrd|mln|tsd|tkr|\bcr\b|[mb]n\b|mm\b|(?<![a-z])[kmb]\b"
    r"|(?:USD|EUR|GBP|JPY|CHF|DKK|SEK|NOK|RMB|CNY|INR|CAD|AUD|HKD|SGD)[mbk]|[kKtTmM]\.?\s?(?:EUR|DKK|SEK|NOK|CHF|USD|€|kr)",
    re.IGNORECASE,
)
_EXCEPT = re.compile(r"\bexcept(?:ing)?\b(?:\s+for)?|\bother than\b|\bexcluding\b|\bunless otherwise\b", re.IGNORECASE)
# Paragraphs are asked twice, by the chunker and by the evidence.
_REMEMBERED_LENGTH = 1500
_LETTERS = re.compile(r"[a-z]+")
_PHRASE = re.compile(r"\s*(?:,|;|\band\b|\bor\b)\s*", re.IGNORECASE)
_NUMBER_BEFORE = re.compile(
    r"\bper\s*$|\d[\d,.]*\s*$|\b(?:hundred|one|two|three|four|five|six|seven|eight|nine|ten|several|tens|hundreds)\s+(?:of\s+)?$",
    re.I,
)
_STOP_WORDS = frozenset(
    [
        "per",
        "share",
        "shares",
        "and",
        "or",
        "the",
        "of",
        "for",
        "data",
        "amounts",
        "amount",
        "number",
        "numbers",
        "which",
        "are",
        "in",
        "as",
        "where",
        "otherwise",
        "noted",
        "indicated",
        "stated",
        "information",
        "figures",
        "except",
        "thousands",
        "millions",
        "billions",
        "reflected",
        "par",
        "value",
        "values",
        "unless",
        "other",
        "than",
    ]
)
_CURRENCY_OF_WORD = (
    ("canadian", "CAD"),
    ("australian", "AUD"),
    ("hong kong", "HKD"),
    ("singapore", "SGD"),
    ("dollar", "USD"),
    ("euro", "EUR"),
    ("pound", "GBP"),
    ("yen", "JPY"),
    ("rupee", "INR"),
    ("renminbi", "CNY"),
    ("franc", "CHF"),
)


@dataclass(frozen=True, slots=True)
class ScaleStatement:
    """What a statement says: ``scale`` for money, ``shares`` for share counts, and the excepted rows.

    ``scale`` is None where only shares are given a scale; ``counted`` says that it scales things, not money.
    ``excepted`` holds (words, scale) of each excepted phrase.
    """

    scale: int | None
    shares: int | None = None
    currency: str | None = None
    excepted: tuple[tuple[frozenset[str], int], ...] = ()
    text: str = ""
    counted: bool = False

    def scale_for(self, unit: Unit, labels: Sequence[str]) -> int | None:
        """The power of ten for a number of a class under its labels; None where the statement is silent."""
        if unit not in (Unit.MONEY, Unit.SHARES, Unit.COUNT):
            return 0
        for phrase, scale in self.excepted:
            stems = _stems(phrase)
            if any(not stems.isdisjoint(_stems_in(label)) for label in labels):
                return scale
        if unit is Unit.SHARES:
            return self.shares if self.shares is not None else self.scale
        if unit is Unit.COUNT and self.currency is not None and not self.counted:
            return 0
        if self.counted:
            return self.scale if unit is Unit.COUNT else None
        return self.scale


@lru_cache(maxsize=1024)
def _stems(words: frozenset[str]) -> frozenset[str]:
    """Words without their plural ending."""
    return frozenset(word.rstrip("s") for word in words)


@lru_cache(maxsize=16384)
def _stems_in(label: str) -> frozenset[str]:
    return _stems(frozenset(_LETTERS.findall(label.lower())))


def find_statement(text: str, *, loose: bool = False) -> ScaleStatement | None:
    """The scale statement in ``text``.

    ``loose`` accepts a bare scale word (``Millions``), as headers and captions print it; prose needs "in millions",
    brackets or a currency sign, and a number before the word is never a statement.
    """
    return _cached_statement(text, loose) if len(text) <= _REMEMBERED_LENGTH else _find_statement(text, loose)


@lru_cache(maxsize=16384)
def _cached_statement(text: str, loose: bool) -> ScaleStatement | None:
    return _find_statement(text, loose)


def _find_statement(text: str, loose: bool) -> ScaleStatement | None:
    if _QUICK.search(text) is None:
        return None
    matches = [match for match in _STATEMENT.finditer(text) if _is_statement(match, text, loose)]
    if not matches:
        return None
    exception = _EXCEPT.search(text, matches[0].start())
    limit = exception.start() if exception else len(text)
    if exception and re.match(r"unless", exception[0], re.IGNORECASE):
        exception, limit = None, len(text)
    scale: int | None = None
    shares: int | None = None
    currency: str | None = None
    counted = False
    for match in matches:
        if match.start() >= limit:
            break
        lead = {"t": "k", "k": "k", "m": "m"}.get((match["lead"] or "").lower())
        word = match["signed"] or match["glued"] or lead or match["word"] or match["plural"] or match["zeros"]
        power = power_of(word or "")
        subject = (match["before"] or match["of"] or match["plural_of"] or "").lower()
        follows = re.match(r"\s+of\s+shares", text[match.end() : match.end() + 12], re.IGNORECASE)
        if subject.startswith("share") or follows:
            shares = power if shares is None else shares
        elif scale is None:
            scale = power
            named = (
                match["sign"],
                match["code"],
                match["lead_code"],
                match["after"],
                match["before"],
                match["of"],
                match["plural_of"],
            )
            counted = _names_things(match)
            shares = power if subject.endswith("shares") else shares
            currency = next((code for subject in named if subject and (code := _currency(subject))), None)
            currency = currency or ("INR" if power in (5, 7) else None)
    excepted, shares_excepted = _read_exceptions(text[exception.end() :]) if exception else ((), None)
    if shares is None:
        shares = shares_excepted
    return ScaleStatement(scale, shares, currency, excepted, text[matches[0].start() : matches[-1].end()], counted)


def _names_things(match: re.Match[str]) -> bool:
    """Whether the scale is one of things ("thousands of barrels daily"), not of money."""
    noun = (match["of"] or match["plural_of"] or "").lower()
    return bool(noun) and _currency(noun) is None and noun not in ("shares", "us", "u", "united", "the", "amounts")


def _is_statement(match: re.Match[str], text: str, loose: bool) -> bool:
    before = text[max(0, match.start() - 16) : match.start()]
    if _NUMBER_BEFORE.search(before):
        return False
    if match["plural"] and not loose:
        return bool(re.search(r"[(]\s*$", before)) or bool(match["plural_of"] and len(text) < 120)
    if match["zeros"]:
        return loose or "omitted" in match[0].lower() or "$" in before
    if match["word"] and not match["word"].lower().endswith("s") and not loose:
        return "(" in match[0] or bool(match["of"])
    if match["signed"] and match["signed"].lower() in ("m", "b", "k", "bn", "mm") and not loose:
        return bool(re.search(r"[(]\s*$", before))
    return True


def power_of(word: str) -> int:
    """The power of ten that a scale word names."""
    lowered = word.lower().strip("'’‘. ")
    if lowered.startswith("000"):
        return 3
    return _WORDS.get(lowered) or _WORDS.get(lowered.rstrip("s"), 0)


def _currency(subject: str) -> str | None:
    lowered = subject.lower()
    for word, code in _CURRENCY_OF_WORD:
        if word in lowered:
            return code
    return currency_of(subject.strip()) if re.search(r"[$€£¥₹₩]|[A-Z]{3}|Rs", subject) else None


def _read_exceptions(clause: str) -> tuple[tuple[tuple[frozenset[str], int], ...], int | None]:
    """The excepted phrases with their own scale (0 where none is given), and the scale of excepted shares."""
    clause = re.split(r"[)\]\n]|\.\s", clause)[0][:200]
    phrases: list[tuple[frozenset[str], int]] = []
    shares: int | None = None
    for phrase in _PHRASE.split(clause):
        lowered = phrase.lower()
        if re.match(r"\s*(?:where\b|as\b|when\b|otherwise|for the\b|years?\b|(?:three|six|nine|twelve)\b)", lowered):
            break
        stated = re.search(rf"\bin\s+({_LONG})", lowered)
        scale = power_of(stated[1]) if stated else 0
        if "which" in lowered and shares == 0 and stated:
            shares = scale
            continue
        if re.search(r"\bshares?\b", lowered) and not re.search(r"per[\s-]+share", lowered):
            shares = scale
        if re.match(r"\s*per\b", lowered) and not stated:
            continue
        words = frozenset(re.findall(r"[a-z]{3,}", lowered)) - _STOP_WORDS
        if words:
            phrases.append((words, scale))
    return tuple(phrases), shares


def statements_in(texts: Iterator[str], *, loose: bool = False) -> Iterator[ScaleStatement]:
    """All statements of several texts."""
    for text in texts:
        statement = find_statement(text, loose=loose)
        if statement is not None:
            yield statement
