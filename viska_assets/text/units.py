"""Words and signs of measure: currencies, scale words and units, as regular expressions and lookup tables."""

# ruff: noqa: E501 (one alternative of a pattern or one row of a table a line)
import re

from viska_assets.model.evidence import Unit

CURRENCY_SIGNS: dict[str, str] = {
    "US$": "USD", "U.S.$": "USD", "C$": "CAD", "CA$": "CAD", "CAD$": "CAD", "A$": "AUD", "AU$": "AUD", "NZ$": "NZD",
    "HK$": "HKD", "S$": "SGD", "NT$": "TWD", "R$": "BRL", "MX$": "MXN", "$": "USD", "€": "EUR", "£": "GBP",
    "¥": "JPY", "₹": "INR", "₩": "KRW", "₽": "RUB", "₺": "TRY", "₪": "ILS", "฿": "THB", "Rs.": "INR", "Rs": "INR",
    "Fr.": "CHF", "SFr.": "CHF",
}  # fmt: skip
CURRENCY_CODES: dict[str, str] = {
    code: code
    for code in [
        "USD",
        "EUR",
        "GBP",
        "JPY",
        "CHF",
        "CAD",
        "AUD",
        "NZD",
        "DKK",
        "SEK",
        "NOK",
        "ISK",
        "CNY",
        "HKD",
        "SGD",
        "TWD",
        "INR",
        "KRW",
        "BRL",
        "MXN",
        "ZAR",
        "PLN",
        "CZK",
        "HUF",
        "RUB",
        "TRY",
        "ILS",
        "THB",
        "MYR",
        "IDR",
        "PHP",
        "VND",
        "AED",
        "SAR",
        "CLP",
        "COP",
        "ARS",
        "EGP",
        "NGN",
    ]
} | {"RMB": "CNY", "CNH": "CNY", "DKr": "DKK", "SKr": "SEK", "NKr": "NOK", "TL": "TRY"}
CURRENCY_WORDS: dict[str, str] = {
    "us dollars": "USD", "u.s. dollars": "USD", "united states dollars": "USD", "canadian dollars": "CAD",
    "australian dollars": "AUD", "hong kong dollars": "HKD", "singapore dollars": "SGD", "new taiwan dollars": "TWD",
    "dollars": "USD", "dollar": "USD", "euros": "EUR", "euro": "EUR", "pounds sterling": "GBP", "sterling": "GBP",
    "pounds": "GBP", "yen": "JPY", "swiss francs": "CHF", "yuan": "CNY", "renminbi": "CNY", "rupees": "INR",
    "danish kroner": "DKK", "danish krone": "DKK", "swedish kronor": "SEK", "swedish krona": "SEK",
    "norwegian kroner": "NOK", "norwegian krone": "NOK", "korean won": "KRW", "won": "KRW",
}  # fmt: skip
# Spelled "kr": the issuer's own crown, so it needs a currency from outside or a Nordic locale.
CROWN = "kr"
CROWN_OF_LOCALE: dict[str, str] = {"da": "DKK", "sv": "SEK", "nb": "NOK", "no": "NOK", "is": "ISK"}
CROWNS = frozenset({"DKK", "SEK", "NOK", "ISK"})
# A hundredth of the currency unit, written as a unit of its own.
SUBUNITS: dict[str, str] = {
    "cents": "USD",
    "cent": "USD",
    "¢": "USD",
    "pence": "GBP",
    "penny": "GBP",
    "gbp_pence": "GBP",
}

SCALE_WORDS: dict[str, int] = {
    "hundred": 2, "thousand": 3, "thousands": 3, "tusind": 3, "tausend": 3, "mille": 3, "k": 3, "tkr": 3, "t": 3,
    "tsd": 3, "'000": 3, "000": 3, "000s": 3, "million": 6, "millions": 6, "millionen": 6, "millioner": 6, "mn": 6,
    "mln": 6, "mm": 6, "m": 6, "mio": 6, "billion": 9, "billions": 9, "bn": 9, "b": 9, "bln": 9, "mia": 9, "mrd": 9,
    "milliard": 9, "milliards": 9, "milliarder": 9, "milliarden": 9, "trillion": 12, "trillions": 12, "tn": 12,
    "trn": 12, "lakh": 5, "lakhs": 5, "lac": 5, "crore": 7, "crores": 7, "cr": 7,
}  # fmt: skip

_CODES = "|".join(sorted(CURRENCY_CODES, key=len, reverse=True))
_SIGNS = "|".join(re.escape(s) for s in sorted(CURRENCY_SIGNS, key=len, reverse=True))
_WORDS = "|".join(re.escape(s) for s in sorted(CURRENCY_WORDS, key=len, reverse=True))
CURRENCY_BEFORE = (
    rf"(?:(?<![A-Za-z])(?:{_CODES})\s?\$?|(?<![A-Za-z])kr\.?|GBp|(?<![A-Za-z])(?=[A-Z])(?:{_SIGNS})|{_SIGNS})"
)
CURRENCY_AFTER = (
    rf"(?:(?:{_CODES}|GBp|GBX|kr\.?)(?![A-Za-z])|[€£¥₹₩]|(?i:{_WORDS}|pence|penny|cents?)(?![A-Za-z])|¢|p(?![A-Za-z.]))"
)

_ABBREVIATED = frozenset({"hundred", "mio", "mia", "mrd", "mln", "bln", "tsd", "trn", "tkr"})
_LONG_SCALE = "|".join(
    sorted((w for w in SCALE_WORDS if len(w) > 2 and w.isalpha() and w not in _ABBREVIATED), key=len, reverse=True)
)
# Spaced after the number: full words and unmistakable abbreviations. Glued: one letter is enough.
SCALE_SPACED = rf"(?:(?i:{_LONG_SCALE}|trn|tn|cr)\b|(?i:mio|mia|mrd|bn|mn|mln|bln|tsd)\b\.?|'000\b|t\.(?=\s?kr))"
SCALE_GLUED = r"(?:(?i:bn|mn|mm|mln|bln|trn|tn|mio|mia|mrd|tkr)\b\.?|[kKmMbB](?![A-Za-z0-9])|'000\b)"
SCALE_AFTER_CURRENCY = r"(?:[kmbMB](?![A-Za-z0-9.])|mm\b)"

UNIT_AFTER: tuple[tuple[str, Unit, int], ...] = (
    (r"percentage[\s-]points?\b|%[\s-]points?\b|p\.p\.|ppts?\b|pp\b|procentpoint\b", Unit.PERCENTAGE_POINT, 0),
    (r"basis[\s-]points?\b|bps?\b\.?", Unit.BASIS_POINT, 0),
    (r"%|％|per[\s-]?cents?\b\.?|pct\b\.?|procent\b|prozent\b", Unit.PERCENT, 0),
    (r"x(?![A-Za-z0-9])|×(?!\s?\d)|times\b(?!\s+(?:a|per|in|during)\b)", Unit.RATIO, 0),
)
UNIT_PATTERN = "|".join(f"(?P<u{i}>(?i:{p}))" for i, (p, _, _) in enumerate(UNIT_AFTER))
PER_SHARE = re.compile(
    r"\s*(?:(?:net|cash)\s)?(?:/|per|a|an|for each)\s?(?:basic\s|diluted\s|common\s|ordinary\s|fully\s|ads\b|preferred\s|class\s\w\s|and\s)*"
    r"(?:shares?|stocks?|ads|adr|unit of stock)\b",
    re.I,
)
SHARES_AFTER = re.compile(
    r"\s*(?:[A-Za-z-]+\s){0,4}?(?:shares|stock options|options|rsus?|restricted stock units|warrants)\b(?!\s*(?:price|repurchase program))",
    re.I,
)


_DECLARED = re.compile(
    rf"(?:\(|,\s|\bin\s|^)(?:in\s)?(?P<ccy>{CURRENCY_BEFORE})?\s?(?P<scale>(?i:thousands?|millions?|billions?|trillions?|mn|bn|m|'000|lakh|crore))\b"
    rf"(?:\s(?:of\s)?(?P<after>{CURRENCY_AFTER}))?(?:\)|$|,)"
)


def declared_scale(label: str) -> tuple[int, str | None]:
    """The power of ten and the currency that a page's row or column label declares: ``2025 (USD million)``."""
    match = _DECLARED.search(label)
    if match is None:
        return 0, None
    mark = match["ccy"] or match["after"]
    return scale_of(match["scale"]), currency_of(mark) if mark else None


def currency_of(mark: str, default: str | None = None, locale: str = "en") -> str | None:
    """The ISO code that a sign, code or word stands for; ``default`` resolves ``kr`` and a bare ``$``.

    ``$`` is USD unless ``default`` is another dollar; ``kr`` needs a Nordic default or locale, else it is None.
    """
    key = " ".join(mark.split()).rstrip("$ ") if mark[:1].isalpha() and mark.rstrip("$ ") in CURRENCY_CODES else mark
    key = " ".join(key.split())
    if key.rstrip(".").lower() == CROWN:
        return default if default in CROWNS else CROWN_OF_LOCALE.get(locale.split("-")[0])
    if key == "$" and default is not None and default in {"CAD", "AUD", "NZD", "HKD", "SGD", "TWD", "MXN"}:
        return default
    if key in ("GBp", "GBX", "p"):
        return "GBP"
    found = CURRENCY_SIGNS.get(key) or CURRENCY_CODES.get(key)
    return found or CURRENCY_WORDS.get(key.lower()) or SUBUNITS.get(key.lower())


def is_subunit(mark: str) -> bool:
    """Whether a currency mark names a hundredth (pence, cents)."""
    return mark.strip() in ("GBp", "GBX", "p") or mark.strip().lower() in SUBUNITS


def scale_of(word: str) -> int:
    """The power of ten of a scale word or abbreviation; 0 where it is none."""
    return SCALE_WORDS.get(word.strip().rstrip(".").lower(), 0)
