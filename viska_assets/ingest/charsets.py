"""Bytes to text: byte-order marks, declared charsets, UTF-8, then detection; every guess leaves a notice."""

import codecs
import re
from dataclasses import dataclass

from viska_assets.ingest.errors import ReadingError
from viska_assets.model.document import Notice, NoticeKind

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_SAMPLE = 1 << 16
# Browsers read these labels as Windows-1252 (WHATWG Encoding Standard); filings labelled so hold its dashes and quotes.
_AS_WINDOWS = frozenset({"ascii", "iso8859-1", "latin-1", "us-ascii"})


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded text, the charset used, and what was noticed."""

    text: str
    charset: str
    notices: tuple[Notice, ...] = ()


def decode_bytes(data: bytes, name: str, *, declared: str = "") -> Decoded:
    """Decode a text file; raises where it is no text in any charset."""
    for mark, charset in _MARKS:
        if data.startswith(mark):
            return _strict(data, charset, name)
    if b"\x00" in data[:_SAMPLE]:
        return _without_mark(data, name)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        pass
    named = declared or _declared(data)
    if not named and _mostly_utf8(data):
        return _lossy(data, named)
    for charset in filter(None, (_python_name(named), "cp1252")):
        if charset == "utf-8":
            continue
        try:
            text = data.decode(charset)
        except (UnicodeDecodeError, LookupError):
            continue
        if charset == "cp1252" and not named:
            return _detected(data, text)
        return Decoded(text, charset, (_notice(f"read as {charset}, as the file declares"),))
    return _lossy(data, named)


def _strict(data: bytes, charset: str, name: str) -> Decoded:
    try:
        return Decoded(data.decode(charset), charset)
    except UnicodeDecodeError as error:
        raise ReadingError(
            name, f"byte {error.start} is not {charset}, which its mark announces", "save it again as UTF-8"
        ) from error


def _without_mark(data: bytes, name: str) -> Decoded:
    """UTF-16 without a byte-order mark has zeros in every other byte; other zeros mean that it is no text."""
    sample = data[: _SAMPLE - _SAMPLE % 2]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    charset = "utf-16-le" if odd > 10 * max(1, even) else "utf-16-be" if even > 10 * max(1, odd) else ""
    if not charset or max(even, odd) * 3 < len(sample) // 2:
        raise ReadingError(
            name,
            f"byte {data.index(0)} is a zero byte, so the file is binary, not text",
            "give it its true file name ending",
        )
    decoded = _strict(data, charset, name)
    return Decoded(decoded.text, charset, (_notice(f"read as {charset}, which has no byte-order mark"),))


def _detected(data: bytes, as_windows: str) -> Decoded:
    """The charset of undeclared bytes: Windows-1252 for Western text, else what charset-normalizer says."""
    high = sum(1 for byte in data[:_SAMPLE] if byte >= 0x80)
    if high * 3 < len(data[:_SAMPLE]):
        return Decoded(as_windows, "cp1252", (_notice("charset not declared, read as cp1252"),))
    from charset_normalizer import from_bytes

    best = from_bytes(data[:_SAMPLE]).best()
    if best is None:
        return Decoded(as_windows, "cp1252", (_notice("charset not declared, read as cp1252"),))
    try:
        text = data.decode(best.encoding)
    except (UnicodeDecodeError, LookupError):
        return Decoded(as_windows, "cp1252", (_notice("charset not declared, read as cp1252"),))
    return Decoded(text, best.encoding, (_notice(f"charset not declared, detected {best.encoding}"),))


def _lossy(data: bytes, named: str) -> Decoded:
    """Windows-1252 with its five unassigned bytes replaced, counted in the notice."""
    charset = "utf-8" if _python_name(named) == "utf-8" or _mostly_utf8(data) else "cp1252"
    text = data.decode(charset, "replace")
    lost = text.count("\ufffd")
    return Decoded(text, charset, (_notice(f"{lost} bytes are not {charset} and were replaced", lost),))


def _mostly_utf8(data: bytes) -> bool:
    text = data[:_SAMPLE].decode("utf-8", "replace")
    good = sum(1 for c in text if ord(c) >= 0x80 and c != "\ufffd")
    return good > 4 * text.count("\ufffd")


def _declared(data: bytes) -> str:
    match = _DECLARED.search(data[:4096])
    return match[1].decode("ascii") if match else ""


def _python_name(named: str) -> str:
    if not named:
        return ""
    try:
        canonical = codecs.lookup(named).name
    except LookupError:
        return ""
    return "cp1252" if canonical in _AS_WINDOWS else canonical


def _notice(detail: str, count: int = 1) -> Notice:
    return Notice(NoticeKind.DECODED_WITH_LOSS, detail, count)
