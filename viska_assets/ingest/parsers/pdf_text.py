"""The characters of a PDF page as fragments: stretches of text with their boxes, parted where columns part."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pypdfium2.raw as pdfium

from viska_assets.ingest import cell_forms

_GAP_EM = 0.8
_LINE_BREAKS = (10, 13)
_HYPHENS = (2, 0xFFFE)
_SPACES = (0, 32, 160, *_HYPHENS)


@dataclass(slots=True)
class Fragment:
    """Characters that the page sets without a gap, with their box in points (y grows upwards)."""

    text: str
    left: float
    right: float
    bottom: float
    top: float
    size: float
    bold: bool
    words: list[tuple[int, float, float]] = field(default_factory=list)

    def add(self, character: str, left: float, right: float, bottom: float, top: float, *, spaced: bool) -> None:
        """Append a character; ``words`` keeps each word's offset, its left edge and the right edge before it."""
        if spaced:
            self.words.append((len(self.text) + 1, left, self.right))
            self.text += " "
        self.text += character
        if right > self.right:
            self.right = right
        if bottom < self.bottom:
            self.bottom = bottom
        if top > self.top:
            self.top = top

    def parted(self) -> list["Fragment"]:
        """The fragment, cut before each number where it is a run of numbers (columns set close together)."""
        tokens = self.text.split(" ")
        numbers = sum(1 for token in tokens if cell_forms.is_value(token))
        if (numbers < 2 and tokens[-1] not in ("$", "€", "£")) or any(not _is_number_part(token) for token in tokens):
            return [self]
        cuts = [word for word in self.words if _starts_number(self.text[word[0] :], self.text[: word[0] - 1])]
        parts: list[Fragment] = []
        start, left = 0, self.left
        for offset, next_left, right in cuts:
            parts.append(self._part(start, offset - 1, left, right))
            start, left = offset, next_left
        return [*parts, self._part(start, len(self.text), left, self.right)]

    def _part(self, start: int, end: int, left: float, right: float) -> "Fragment":
        return Fragment(self.text[start:end], left, right, self.bottom, self.top, self.size, self.bold)


def _is_number_part(token: str) -> bool:
    return cell_forms.is_value(token) or token in ("$", "%", ")", ")%", "€", "£", "(", "$(")


def _starts_number(rest: str, before: str) -> bool:
    return rest[:1] not in ("%", ")") and not before.endswith(("$", "(", "€", "£"))


def page_fragments(page: Any) -> Iterator[Fragment]:
    """The fragments of a pypdfium2 page in the order in which it sets them."""
    for fragment in _set_fragments(page):
        yield from fragment.parted()


def _set_fragments(page: Any) -> Iterator[Fragment]:
    text_page = page.get_textpage()
    handle = text_page.raw
    x0, x1, y0, y1 = (ctypes.c_double() for _ in range(4))
    pointers = [ctypes.byref(value) for value in (x0, x1, y0, y1)]
    # Looked up once: these two are called for every character of a page.
    code_of, box_of = pdfium.FPDFText_GetUnicode, pdfium.FPDFText_GetCharBox
    current: Fragment | None = None
    spaced = False
    high = 0
    for index in range(pdfium.FPDFText_CountChars(handle)):
        code = code_of(handle, index)
        if 0xD800 <= code < 0xDC00:
            high = code
            continue
        if 0xDC00 <= code < 0xE000 and high:
            code, high = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00), 0
        if code in _LINE_BREAKS:
            if current:
                yield current
            current, spaced = None, False
            continue
        if code in _SPACES:
            if code in _HYPHENS and current:
                current.text += "-"
            spaced = True
            continue
        if not box_of(handle, index, *pointers):
            continue
        left, right, bottom, top = x0.value, x1.value, y0.value, y1.value
        if current is not None and _is_apart(current, left, bottom, top, spaced):
            yield current
            current = None
        if current is None:
            size = _real_size(pdfium.FPDFText_GetFontSize(handle, index), top - bottom)
            current = Fragment(chr(code), left, right, bottom, top, size, _is_bold(handle, index))
        else:
            current.add(chr(code), left, right, bottom, top, spaced=spaced)
        spaced = False
    if current:
        yield current
    text_page.close()


def _is_apart(current: Fragment, left: float, bottom: float, top: float, spaced: bool) -> bool:
    """Whether a character stands a column gap away from the fragment, or on another line."""
    gap, size = left - current.right, current.size
    if gap > _GAP_EM * size or gap < -3 * size:
        return True
    return spaced and min(top, current.top) - max(bottom, current.bottom) < -0.5 * size


def _real_size(size: float, height: float) -> float:
    """The font size in points; a font scaled by its matrix reports 1, so the glyph height decides then."""
    return size if size > 3 else max(6.0, 1.4 * height)


def _is_bold(handle: Any, index: int) -> bool:
    if pdfium.FPDFText_GetFontWeight(handle, index) >= 600:
        return True
    flags = ctypes.c_int()
    length = pdfium.FPDFText_GetFontInfo(handle, index, None, 0, ctypes.byref(flags))
    if not length:
        return False
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFText_GetFontInfo(handle, index, buffer, length, ctypes.byref(flags))
    name = buffer.value.decode("utf-8", "replace").lower()
    return "bold" in name or "black" in name or "heavy" in name
