"""From the cleaned text of a document back to its file: characters of the decoded source, and bytes where there are."""

from viska_assets.ingest.charsets import decode_bytes
from viska_assets.ingest.errors import ReadingError
from viska_assets.model.document import MediaType
from viska_assets.model.span import OffsetMap, Span

_BOM = "\ufeff"
# Formats whose source offsets count characters of the file itself, decoded.
_TEXTS = frozenset(
    {MediaType.HTML.value, MediaType.MARKDOWN.value, MediaType.TEXT.value, MediaType.CSV.value, MediaType.EDGAR.value}
)


def source_span(span: Span, offsets: OffsetMap) -> Span:
    """A span of the cleaned text in characters of the decoded source."""
    start = offsets.to_source(span.start)
    return Span(start, max(start, offsets.to_source(span.end - 1) + 1) if len(span) else start)


def byte_span(data: bytes, name: str, media_type: str, span: Span) -> Span | None:
    """The bytes of a file behind a span of its decoded text; None where the format has no text of its own.

    The result is checked: the bytes at it decode to the characters at ``span``, or it is None.
    """
    if media_type not in _TEXTS:
        return None
    try:
        decoded = decode_bytes(data, name)
    except ReadingError:
        return None
    text = decoded.text.removeprefix(_BOM)
    charset, mark = decoded.charset, b""
    if charset == "utf-8-sig":
        charset, mark = "utf-8", data[:3]
    elif charset in ("utf-16", "utf-32"):
        mark = data[: 2 if charset == "utf-16" else 4]
        charset = f"{charset}-{'le' if mark[0] == 0xFF else 'be'}"
    elif decoded.text.startswith(_BOM):
        mark = _BOM.encode(charset)
    try:
        start = len(mark) + len(text[: span.start].encode(charset))
        end = start + len(span.of(text).encode(charset))
        same = data[start:end].decode(charset) == span.of(text)
    except (UnicodeError, LookupError):
        return None
    return Span(start, end) if same else None
