"""Cleaning of source text: hidden characters removed and counted, spaces and digits made plain, offsets kept.

The gate never repairs page text; only source text passes through here (GUARDRAIL §2.2). Nothing is folded by
NFKC: a superscript stays a superscript and can never become a digit of the number before it.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from viska_assets.model.span import OffsetMap


class HiddenKind(StrEnum):
    """Why a run of characters was taken out of a source text."""

    TAG = "tag characters"
    VARIATION = "variation selectors"
    ZERO_WIDTH = "zero-width characters"
    BIDI = "bidirectional controls"
    SOFT_HYPHEN = "soft hyphens"
    CONTROL = "control characters"
    FILLER = "invisible fillers"


@dataclass(frozen=True, slots=True)
class Removed:
    """One removed run: where it stood in the raw text, and what it says once decoded (empty if nothing)."""

    kind: HiddenKind
    source_start: int
    raw: str
    decoded: str = ""
    inside_number: bool = False

    @property
    def is_suspicious(self) -> bool:
        """Whether the run carries a message, splits a number, re-orders the text, or pads it as print never needs."""
        if self.decoded.strip() or self.inside_number or self.kind is HiddenKind.TAG:
            return True
        if self.kind is HiddenKind.BIDI:
            return any(character in _REORDERING for character in self.raw)
        return self.kind is HiddenKind.ZERO_WIDTH and len(self.raw) >= 8


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A cleaned text, the map from its offsets to the raw text, and the runs that were removed."""

    text: str
    offsets: OffsetMap
    removed: tuple[Removed, ...] = ()


_REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_CLASSES: tuple[tuple[HiddenKind, str], ...] = (
    (HiddenKind.TAG, "\U000e0000-\U000e007f"),
    (HiddenKind.VARIATION, "\ufe00-\ufe0f\U000e0100-\U000e01ef"),
    (HiddenKind.ZERO_WIDTH, "\u200b-\u200d\u2060-\u2064\ufeff\u180e\u034f"),
    (HiddenKind.BIDI, "\u200e\u200f\u061c\u202a-\u202e\u2066-\u206f"),
    (HiddenKind.SOFT_HYPHEN, "\u00ad"),
    (HiddenKind.CONTROL, "\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ufff9-\ufffb\ud800-\udfff"),
    (HiddenKind.FILLER, "\u115f\u1160\u3164\uffa0\u2800"),
)
_HIDDEN = re.compile("|".join(f"(?P<k{i}>[{chars}]+)" for i, (_, chars) in enumerate(_CLASSES)) + "|\r(?=\n)")
_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_DASHES = "\u2212\u2013\u2012\u2010\u2011\uff0d\ufe63"
# GUARDRAIL §2.2: a dash is a minus only where a token starts, so that 2012–13 and $5–$7 stay ranges.
_LEADING_DASH = re.compile(rf"(?<![^\s(\[|/:;=$€£¥])[{_DASHES}](?=(?:[$€£¥]\s?)?\.?\d)")


def _plain_characters() -> dict[int, str]:
    table = {ord(space): " " for space in _SPACES}
    table |= {ord("\r"): "\n", 0x85: "\n", 0x2028: "\n", 0x2029: "\n", 0x0C: "\n"}
    for code in range(0x660, 0x1FC00):
        if unicodedata.category(chr(code)) == "Nd":
            table[code] = str(unicodedata.digit(chr(code)))
    return table


_PLAIN = _plain_characters()
_NEEDS_PLAIN = re.compile("[" + "".join(re.escape(chr(code)) for code in _PLAIN) + "]")


def clean(raw: str) -> Cleaned:
    """Take hidden characters out of ``raw`` and make its spaces, digits and leading minus signs plain.

    Every character that stays keeps its place in the offset map; replacements are one for one.
    """
    text, runs, removed = _without_hidden(raw)
    if _NEEDS_PLAIN.search(text):
        text = text.translate(_PLAIN)
    if not text.isascii():
        text = _LEADING_DASH.sub("-", text)
    return Cleaned(text, OffsetMap(runs), removed)


def needs_cleaning(raw: str) -> bool:
    """Whether ``clean`` would change anything; cheap for the ASCII that most text is."""
    if raw.isascii():
        return bool(_HIDDEN.search(raw)) or "\r" in raw or "\x0c" in raw
    return True


def _without_hidden(raw: str) -> tuple[str, tuple[tuple[int, int], ...], tuple[Removed, ...]]:
    kept: list[str] = []
    runs: list[tuple[int, int]] = [(0, 0)]
    removed: list[Removed] = []
    length = position = 0
    for match in _HIDDEN.finditer(raw):
        kept.append(raw[position : match.start()])
        length += match.start() - position
        position = match.end()
        if runs[-1][0] == length:
            runs.pop()
        runs.append((length, position))
        if match.lastgroup is not None:
            kind = _CLASSES[int(match.lastgroup[1:])][0]
            decoded = _decode(kind, match.group())
            inside = raw[match.start() - 1 : match.start()].isdigit() and raw[match.end() : match.end() + 1].isdigit()
            removed.append(Removed(kind, match.start(), match.group(), decoded, inside))
    if not kept:
        return raw, ((0, 0),), ()
    kept.append(raw[position:])
    return "".join(kept), tuple(runs), tuple(removed)


def _decode(kind: HiddenKind, run: str) -> str:
    if kind is HiddenKind.TAG:
        return "".join(chr(ord(c) - 0xE0000) for c in run if 0xE0020 <= ord(c) <= 0xE007E)
    if kind is HiddenKind.VARIATION and len(run) > 1:
        return _readable(bytes(_variation_byte(c) for c in run))
    if kind is HiddenKind.ZERO_WIDTH and len(run) >= 16 and len(set(run)) == 2:
        return _decode_bits(run)
    return ""


def _variation_byte(character: str) -> int:
    code = ord(character)
    return code - 0xFE00 if code <= 0xFE0F else code - 0xE0100 + 16


def _decode_bits(run: str) -> str:
    """Two zero-width characters used as the bits of ASCII letters, in whichever reading is printable."""
    for zero in sorted(set(run)):
        bits = "".join("0" if c == zero else "1" for c in run)
        for width in (8, 7):
            codes = bytes(int(bits[i : i + width], 2) for i in range(0, len(bits) - width + 1, width))
            if text := _readable(codes):
                return text
    return ""


def _readable(data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return text if text.isprintable() else ""
