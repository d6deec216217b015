"""Hidden and confusable characters in page text: what a reader cannot see, or would read as another character."""

import re
import unicodedata

from viska_assets.model.span import Span

_HIDDEN = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u2069\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufff9-\ufffc]")
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_LETTER_DIGIT = re.compile(
    r"(?<![A-Za-z0-9])(?:[OIl](?=[.,]?\d)[\dOIl]*(?:[.,][\dOIl]+)+|\d[\d.,]*[OIl][\dOIl.,]*\d[\d.,OIl]*|[OIl][.,]\d[\d.,]*|\d+[.,][OIl]\b)(?![A-Za-z])"
)
# what every match of _LETTER_DIGIT holds, cheap to look for
_LETTER_BESIDE_DIGIT = re.compile(r"[OIl](?:(?<=[\d.,].)|[.,]?\d)")
_OTHER_SCRIPT = re.compile(r"[\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u13a0-\u13ff]")
_MIXED_WORD = re.compile(r"[^\W\d_]*[\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u13a0-\u13ff][^\W\d_]*")
_DIGIT_NEIGHBOUR = re.compile(
    r"\d[\u0370-\u03ff\u0400-\u052f\u30fb\u00b7\u066b\u066c\uff0c\uff0e]\d|[\u0400-\u052f][,.]?\d|\d[,.]?[\u0400-\u052f]"
)
_NEIGHBOUR = re.compile(r"[\u0370-\u03ff\u0400-\u052f\u30fb\u00b7\u066b\u066c\uff0c\uff0e]")


def find_confusables(text: str) -> list[tuple[Span, str]]:
    """All places of ``text`` that hide or confuse, each with the reason; the page's digits must be ASCII."""
    found = [(Span(m.start(), m.end()), f"control character U+{ord(m[0]):04X}") for m in _CONTROL.finditer(text)]
    if _LETTER_BESIDE_DIGIT.search(text):
        letters = _LETTER_DIGIT.finditer(text)
        found += [(Span(m.start(), m.end()), f"letter among the digits of {m[0]!r}") for m in letters]
    if not text.isascii():
        found += _non_ascii(text)
    return sorted(found, key=lambda item: (item[0].start, item[1]))


def _non_ascii(text: str) -> list[tuple[Span, str]]:
    found: list[tuple[Span, str]] = []
    held = "".join(sorted(set(_NON_ASCII.findall(text))))
    if _HIDDEN.search(held):
        found += [(Span(m.start(), m.end()), f"hidden character U+{ord(m[0]):04X}") for m in _HIDDEN.finditer(text)]
    reasons = {char: reason for char in held if (reason := _foreign_digit(char))}
    for match in _NON_ASCII.finditer(text) if reasons else ():
        if match[0] in reasons:
            found.append((Span(match.start(), match.end()), reasons[match[0]]))
    for match in _MIXED_WORD.finditer(text) if _OTHER_SCRIPT.search(held) else ():
        if re.search(r"[A-Za-z]", match[0]):
            found.append((Span(match.start(), match.end()), f"{match[0]!r} mixes scripts"))
    for match in _DIGIT_NEIGHBOUR.finditer(text) if _NEIGHBOUR.search(held) else ():
        found.append((Span(match.start(), match.end()), f"confusable character beside the digits of {match[0]!r}"))
    return found


def _foreign_digit(char: str) -> str:
    """Why a character is no plain ASCII digit or sign though it looks like one; empty for any other."""
    if unicodedata.category(char) == "Nd":
        return f"digit U+{ord(char):04X} is not ASCII"
    return f"full-width character U+{ord(char):04X}" if 0xFF01 <= ord(char) <= 0xFF5E else ""
