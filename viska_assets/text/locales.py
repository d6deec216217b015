"""How a language prints numerals: its group and decimal signs, and which language a document seems to be in."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """The signs of one locale: ``group`` separates thousands, ``decimal`` the fraction."""

    group: str
    decimal: str


STYLES: dict[str, NumberStyle] = {
    "en": NumberStyle(",", "."),
    "in": NumberStyle(",", "."),
    "ch": NumberStyle("'’", "."),
    "da": NumberStyle(".", ","),
    "de": NumberStyle(".", ","),
    "es": NumberStyle(".", ","),
    "fr": NumberStyle("", ","),
}

# Plain, no-break, thin, narrow and figure spaces all serve as group signs.
GROUP_SPACES = " \u00a0\u2009\u202f\u2007"

_HINTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("da", re.compile(r"\b(?:og|af|til|udgjorde|omsætning\w*|årets|mio\.? kr|mia\.? kr|resultat|kuponen|er)\b", re.I)),
    ("de", re.compile(r"\b(?:der|die|und|das|betrug|umsatz\w*|preis|ergebnis|mio\.?|mrd\.?|für)\b", re.I)),
    ("fr", re.compile(r"\b(?:le|les|des|du|et|chiffre|d'affaires|résultat|exercice|milliards?)\b", re.I)),
    ("es", re.compile(r"\b(?:el|los|las|del|caída|máxima|ingresos|ventas|ejercicio|beneficio)\b", re.I)),
    ("en", re.compile(r"\b(?:the|of|and|was|were|for|from|net|revenues?|sales|in|to|total|income|price)\b", re.I)),
)
_SWISS = re.compile(r"\d['’]\d{3}\b")
_COMMA_DECIMAL_FORMAT = re.compile(r"num-?comma-?decimal", re.I)


def style_of(locale: str) -> NumberStyle:
    """The number style of a locale such as ``en`` or ``da-DK``; English where it is unknown."""
    return STYLES.get(locale.lower().replace("_", "-").split("-")[0], STYLES["en"])


def infer_locale(text: str) -> str:
    """The locale that a whole document's function words speak for: ``en`` unless another language clearly leads.

    An inline-XBRL format named in the text (``num-comma-decimal``) decides; a number never does.
    """
    if _COMMA_DECIMAL_FORMAT.search(text):
        return "de"
    sample = text[:20000]
    scores = {locale: len(pattern.findall(sample)) for locale, pattern in _HINTS}
    english = scores.pop("en")
    best = max(scores, key=lambda locale: scores[locale])
    if scores[best] <= english:
        return "en"
    return "ch" if best in ("de", "fr") and _SWISS.search(sample) else best
