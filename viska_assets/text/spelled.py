"""Numbers in words: cardinals, dozens, fractions, ordinals, multipliers and roman numerals (a closed English list)."""

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from viska_assets.model.span import Span

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = {
    w: 10 * i
    for i, w in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2)
}
_SMALL = {w: i for i, w in enumerate(_ONES)} | _TENS
_BIG = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
]
ORDINAL_WORDS = {word: number for number, word in enumerate(_ORDINALS, start=1)}
MULTIPLIERS: dict[str, Decimal] = {
    "doubled": Decimal(2), "tripled": Decimal(3), "trebled": Decimal(3), "quadrupled": Decimal(4),
    "quintupled": Decimal(5), "halved": Decimal("0.5"), "twofold": Decimal(2), "threefold": Decimal(3),
    "fourfold": Decimal(4), "fivefold": Decimal(5), "tenfold": Decimal(10),
}  # fmt: skip
_DENOMINATORS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5, "fifths": 5,
                 "tenth": 10, "tenths": 10}  # fmt: skip

_UNIT = "|".join(sorted(_SMALL, key=len, reverse=True))
_CARDINAL = rf"(?:{_UNIT})(?:[\s-](?:and\s)?(?:{_UNIT}|hundred|thousand|million|billion|trillion))*"
# The first two letters of every word below, so that the long alternation is tried at few words of a text.
_BEGINS = r"(?=z[e]|o[n]|t[wher]|f[oi]|s[ie]|e[il]|n[i]|an?[\s-]|h[ua]|d[o]|q[u])"
_WORD = re.compile(
    rf"\b{_BEGINS}(?:(?P<fraction>(?:an?|one|two|three|four)[\s-](?:half|halves|thirds?|quarters?|fifths?|tenths?)(?=\sof\b|[\s-](?:of|the)\b)|half(?=\sof\b|\sthe\b))"
    rf"|(?P<multiplier>{'|'.join(MULTIPLIERS)})"
    rf"|(?P<dozen>(?:(?:an?|{_UNIT})\s)?dozen)(?!s)"
    rf"|(?P<hundred>an?\s(?:hundred|thousand|million|billion)(?:\sand\s(?:{_UNIT})(?:-(?:{_UNIT}))?)?)"
    rf"|(?P<cardinal>{_CARDINAL})(?P<tail>\sand\sa\shalf)?)\b",
    re.I,
)
# "one" and numbers in fixed phrases are pronouns or idioms, not counts.
_PRONOUN = re.compile(r"one(?!\s(?:hundred|thousand|million|billion|percent|per|basis|share|third|half))", re.I)


class Form(StrEnum):
    """What a spelled number is."""

    CARDINAL = "cardinal"
    FRACTION = "fraction"
    MULTIPLIER = "multiplier"


@dataclass(frozen=True, slots=True)
class Spelled:
    """A number in words and its value."""

    span: Span
    value: Decimal
    form: Form


def find_spelled(text: str) -> list[Spelled]:
    """All numbers in words, left to right. ``one`` alone is left out: it is nearly always a pronoun."""
    found: list[Spelled] = []
    for match in _WORD.finditer(text):
        if match["cardinal"] and match[0].lower() == "one" and _PRONOUN.match(text, match.start()):
            continue
        span = Span(match.start(), match.end())
        if match["fraction"]:
            found.append(Spelled(span, _fraction(match["fraction"].lower()), Form.FRACTION))
        elif match["multiplier"]:
            found.append(Spelled(span, MULTIPLIERS[match["multiplier"].lower()], Form.MULTIPLIER))
        else:
            value = read_words(match[0])
            if value is not None:
                found.append(Spelled(span, value, Form.CARDINAL))
    return found


def read_words(words: str) -> Decimal | None:
    """The value of a spelled cardinal such as ``three hundred and forty-two``; None where it is not one number."""
    total, current, half = Decimal(0), Decimal(0), words.lower().endswith("and a half")
    tokens = re.split(r"[\s-]+", words.lower().removesuffix(" and a half"))
    previous = ""
    for token in tokens:
        if token in ("and", "a", "an"):
            continue
        if token in _SMALL:
            if previous in _SMALL and not (previous in _TENS and 0 < _SMALL[token] < 10):
                return None
            current += _SMALL[token]
        elif token == "dozen":  # noqa: S105
            current = (current or Decimal(1)) * 12
        elif token == "hundred":  # noqa: S105
            current = (current or Decimal(1)) * 100
        elif token in _BIG:
            total += (current or Decimal(1)).scaleb(_BIG[token])
            current = Decimal(0)
        else:
            return None
        previous = token
    value = total + current + (Decimal("0.5") if half else 0)
    return value.quantize(Decimal(1)) if value == value.to_integral_value() else value


def _fraction(words: str) -> Decimal:
    parts = re.split(r"[\s-]+", words)
    numerator = _SMALL.get(parts[0], 1) if len(parts) > 1 else 1
    return Decimal(numerator) / Decimal(_DENOMINATORS[parts[-1]])


def roman_value(word: str) -> int | None:
    """The value of a roman numeral below forty (labels such as ``Phase III``), else None."""
    values = {"I": 1, "V": 5, "X": 10}
    if not word or any(char not in values for char in word):
        return None
    total = 0
    for char, following in zip(word, word[1:] + " ", strict=True):
        total += -values[char] if values.get(following, 0) > values[char] else values[char]
    return total
