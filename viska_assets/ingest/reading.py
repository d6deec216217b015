"""The one way in: bytes and a name become a ``ParsedDocument``, by what the bytes are rather than what they claim."""

import hashlib
import re
from dataclasses import replace
from pathlib import PurePath

from viska_assets.ingest.charsets import decode_bytes
from viska_assets.ingest.errors import ReadingError
from viska_assets.ingest.ocr import OcrEngine
from viska_assets.model.document import MediaType, Notice, NoticeKind, ParsedDocument
from viska_assets.text.instructions import find_instructions
from viska_assets.text.locales import infer_locale

MAX_BYTES = 256 << 20
_MAX_DEPTH = 3
_HTML_START = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_HTML_TAG = re.compile(r"<(?:html|body|table|div|p|span)\b[^>]*>", re.IGNORECASE)
_MAIL_HEADER = re.compile(rb"(?:[A-Za-z][A-Za-z0-9-]*:[ \t][^\n]*\r?\n(?:[ \t][^\n]*\r?\n)*){3,}", re.MULTILINE)
_MAIL_NAMES = re.compile(
    rb"^(?:from|received|message-id|mime-version|return-path|dkim-signature):", re.IGNORECASE | re.MULTILINE
)
_MARKDOWN = re.compile(r"^#{1,6} \S|^\s*\|.*\|\s*\n\s*\|?\s*:?-{2,}", re.MULTILINE)
_BY_ENDING = {
    ".html": MediaType.HTML,
    ".htm": MediaType.HTML,
    ".xhtml": MediaType.HTML,
    ".pdf": MediaType.PDF,
    ".docx": MediaType.DOCX,
    ".eml": MediaType.EMAIL,
    ".csv": MediaType.CSV,
    ".tsv": MediaType.CSV,
    ".xlsx": MediaType.XLSX,
    ".md": MediaType.MARKDOWN,
    ".markdown": MediaType.MARKDOWN,
    ".txt": MediaType.TEXT,
}
_UNREADABLE = (
    (b"\xd0\xcf\x11\xe0", "an old Office file", "save it as .docx or .xlsx"),
    (b"\x89PNG", "a PNG image", "send the document, or a PDF of the scan"),
    (b"\xff\xd8\xff", "a JPEG image", "send the document, or a PDF of the scan"),
    (b"GIF8", "a GIF image", "send the document, or a PDF of the scan"),
    (b"\x1f\x8b", "a gzip archive", "unpack it first"),
    (b"Rar!", "a RAR archive", "unpack it first"),
    (b"7z\xbc\xaf", "a 7-Zip archive", "unpack it first"),
    (b"\x7fELF", "a program", "send the document"),
    (b"MZ", "a program", "send the document"),
)


def read_document(
    data: bytes, name: str, *, ocr: OcrEngine | None = None, max_bytes: int = MAX_BYTES
) -> ParsedDocument:
    """Read one file of any supported format.

    The media type comes from the content, the ending of ``name`` decides only between text formats. The result
    depends on ``data`` and ``name`` alone. Raises ``ReadingError`` for a file that cannot be read.
    """
    return _read(data, name, ocr, max_bytes, 0)


def _with_language(document: ParsedDocument) -> ParsedDocument:
    """The document with the locale its words speak for, and with notices of words that speak to a machine.

    How a document prints numerals follows from its locale, never per number.
    """
    speaks = tuple(Notice(NoticeKind.INSTRUCTION_LIKE, passage) for passage in find_instructions(document.text))
    cover = replace(document.cover, locale=infer_locale(document.text))
    return replace(document, cover=cover, notices=(*document.notices, *speaks))


def sniff_media_type(data: bytes, name: str) -> MediaType:
    """What a file is, by its bytes first and its ending second; raises for what cannot be read."""
    ending = PurePath(name).suffix.lower()
    if b"%PDF-" in data[:1024]:
        return MediaType.PDF
    if data.startswith(b"PK\x03\x04"):
        return _packed_type(data, name)
    for magic, kind, mend in _UNREADABLE:
        if data.startswith(magic):
            raise ReadingError(name, f"the file is {kind}", mend)
    by_ending = _BY_ENDING.get(ending)
    if by_ending in (MediaType.PDF, MediaType.DOCX, MediaType.XLSX):
        raise ReadingError(name, f"the content is not {by_ending.value.upper()}", "give it its true file name ending")
    if by_ending is MediaType.EMAIL or (by_ending is None and _looks_like_mail(data)):
        return MediaType.EMAIL
    return by_ending or MediaType.TEXT


def _packed_type(data: bytes, name: str) -> MediaType:
    from viska_assets.ingest.archives import check_archive

    members = check_archive(data, name)
    if "word/document.xml" in members:
        return MediaType.DOCX
    if "xl/workbook.xml" in members:
        return MediaType.XLSX
    raise ReadingError(name, "the archive is neither a Word document nor a workbook", "unpack it first")


def _looks_like_mail(data: bytes) -> bool:
    head = data[:16384]
    return bool(_MAIL_HEADER.match(head)) and len(_MAIL_NAMES.findall(head)) >= 2


def _read(data: bytes, name: str, ocr: OcrEngine | None, max_bytes: int, depth: int) -> ParsedDocument:
    if not data:
        raise ReadingError(name, "the file is empty (0 bytes)", "deliver it again")
    if len(data) > max_bytes:
        raise ReadingError(
            name, f"{len(data)} bytes are more than the limit of {max_bytes}", "split it or raise the limit"
        )
    document_id = hashlib.sha256(data).hexdigest()
    media_type = sniff_media_type(data, name)
    if media_type in (MediaType.PDF, MediaType.DOCX, MediaType.XLSX, MediaType.EMAIL):
        return _with_language(_read_packed(data, name, document_id, media_type, ocr, max_bytes, depth))
    decoded = decode_bytes(data, name)
    text = decoded.text.removeprefix("\ufeff")
    if not text.strip():
        raise ReadingError(name, "the file holds only white space", "deliver it again")
    document = _with_language(_read_text(text, name, document_id, media_type))
    return replace(
        document,
        notices=(*decoded.notices, *document.notices),
        metadata={**document.metadata, "charset": decoded.charset},
    )


def _read_packed(
    data: bytes, name: str, document_id: str, media_type: MediaType, ocr: OcrEngine | None, max_bytes: int, depth: int
) -> ParsedDocument:
    if media_type is MediaType.PDF:
        from viska_assets.ingest.parsers.pdf import parse_pdf

        return parse_pdf(data, name, document_id, ocr=ocr)
    if media_type is MediaType.DOCX:
        from viska_assets.ingest.parsers.docx import parse_docx

        return parse_docx(data, name, document_id)
    if media_type is MediaType.XLSX:
        from viska_assets.ingest.parsers.xlsx import parse_xlsx

        return parse_xlsx(data, name, document_id)
    from viska_assets.ingest.parsers.email import parse_email

    def read_attachment(attached: bytes, file_name: str) -> ParsedDocument:
        if depth >= _MAX_DEPTH:
            raise ReadingError(file_name, f"nested more than {_MAX_DEPTH} messages deep", "send it by itself")
        return _read(attached, file_name, ocr, max_bytes, depth + 1)

    return parse_email(data, name, document_id, read_attachment)


def _read_text(text: str, name: str, document_id: str, media_type: MediaType) -> ParsedDocument:
    from viska_assets.ingest.parsers.csv import parse_csv
    from viska_assets.ingest.parsers.edgar import looks_like_edgar, parse_edgar
    from viska_assets.ingest.parsers.html import parse_html
    from viska_assets.ingest.parsers.markdown import parse_markdown
    from viska_assets.ingest.parsers.text import parse_text

    if looks_like_edgar(text):
        return parse_edgar(text, name, document_id)
    if _HTML_START.match(text[:65536]) or (media_type is MediaType.HTML and _HTML_TAG.search(text)):
        return parse_html(text, name, document_id)
    if media_type is MediaType.CSV:
        return parse_csv(text, name, document_id)
    if media_type is MediaType.MARKDOWN or (media_type is MediaType.TEXT and _MARKDOWN.search(text[:65536])):
        return parse_markdown(text, name, document_id)
    return parse_text(text, name, document_id)
