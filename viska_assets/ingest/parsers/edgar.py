"""EDGAR submissions: the SGML header, then each document in it, as HTML or as ASCII with ``<TABLE>`` marks."""

import re
from collections.abc import Iterator

from viska_assets.ingest.builder import DocumentBuilder
from viska_assets.ingest.covers import cover_of_html, cover_of_sgml, finished
from viska_assets.ingest.parsers.html import walk_html
from viska_assets.ingest.parsers.ixbrl import XbrlReader
from viska_assets.ingest.parsers.text import read_lines, split_lines
from viska_assets.ingest.print_lines import PrintLine, emit_lines, emit_table
from viska_assets.model.document import BlockKind, MediaType, Notice, NoticeKind, ParsedDocument, XbrlFact

_HEADER = re.compile(r"<(SEC|IMS)-HEADER>[^\n]*\n(.*?)</\1-HEADER>", re.DOTALL | re.IGNORECASE)
_FIELD = re.compile(r"^[ \t]*(?:<([A-Z-]+)>|([A-Z][A-Z0-9 .'/-]+):)[ \t]*(\S.*?)?[ \t]*$", re.MULTILINE)
_DOCUMENT = re.compile(r"<DOCUMENT>(.*?)(?:</DOCUMENT>|(?=<DOCUMENT>)|\Z)", re.DOTALL | re.IGNORECASE)
_TEXT = re.compile(r"<TEXT>(.*?)(?:</TEXT>|\Z)", re.DOTALL | re.IGNORECASE)
_DESCRIPTION = re.compile(r"^<(TYPE|SEQUENCE|FILENAME|DESCRIPTION)>[ \t]*(.*?)\s*$", re.MULTILINE | re.IGNORECASE)
_HTML = re.compile(r"<html[\s>]|<!doctype\s+html|<body[\s>]", re.IGNORECASE)
_BINARY = re.compile(r"\s*(?:<PDF>\s*)?begin \d{3} \S|\s*<(?:ZIP|EXCEL|XBRL|XML|JSON)>", re.IGNORECASE)
_MARK = re.compile(r"<(/?)(TABLE|PAGE)>", re.IGNORECASE)
_COLUMN_MARKS = re.compile(r"<S>", re.IGNORECASE)
_SGML = re.compile(r"</?(?:S|C|CAPTION|FN|F\d+|TEXT|BTB|ET|R|MULTIPLIER|LEGEND|RESTATED|CURRENCY)>", re.IGNORECASE)


def looks_like_edgar(text: str) -> bool:
    """Whether a text is an EDGAR submission or one document cut out of it."""
    head = text[:4096]
    return any(mark in head for mark in ("<SEC-DOCUMENT>", "<IMS-DOCUMENT>", "<SEC-HEADER>")) or bool(
        re.match(r"\s*<DOCUMENT>\s*<TYPE>", head)
    )


def parse_edgar(text: str, name: str, document_id: str) -> ParsedDocument:
    """Read a decoded EDGAR submission."""
    builder = DocumentBuilder()
    headers, facts = _read_header(text, builder), list[XbrlFact]()
    first_xbrl = XbrlReader()
    for index, match in enumerate(_DOCUMENT.finditer(text)):
        described = {key.upper(): value for key, value in _DESCRIPTION.findall(match[1][:2000])}
        if index == 0:
            headers.setdefault("CONFORMED SUBMISSION TYPE", described.get("TYPE", ""))
        xbrl = _read_document(text, match, described, name, builder)
        if xbrl is not None:
            facts.extend(xbrl.facts(builder.marks, builder.text()))
            first_xbrl = xbrl if index == 0 else first_xbrl
    cover = cover_of_html("", first_xbrl, builder.text(), builder.blocks, name)
    metadata = {key.lower().replace(" ", "_"): value for key, value in headers.items() if value}
    return builder.build(
        document_id, MediaType.EDGAR, finished(cover_of_sgml(headers, cover)), facts=facts, metadata=metadata
    )


def _read_header(text: str, builder: DocumentBuilder) -> dict[str, str]:
    match = _HEADER.search(text)
    if match is None:
        return {}
    piece = builder.reader.read(match[2], match.start(2), keep_lines=True)
    builder.add(BlockKind.PREFORMATTED, piece)
    headers: dict[str, str] = {}
    for tag, label, value in _FIELD.findall(match[2]):
        if value:
            headers.setdefault((tag or label).strip(), value)
    return headers


def _read_document(
    text: str, match: re.Match[str], described: dict[str, str], name: str, builder: DocumentBuilder
) -> XbrlReader | None:
    label = " ".join(described[key] for key in ("TYPE", "DESCRIPTION") if described.get(key))
    if label:
        at = text.find(described.get("TYPE", ""), match.start())
        builder.add(BlockKind.HEADING, builder.reader.read(label, at), level=1)
    body = _TEXT.search(text, match.start(1), match.end(1))
    start, end = body.span(1) if body else match.span(1)
    content = text[start:end]
    if _BINARY.match(content):
        builder.notices.append(
            Notice(NoticeKind.TRUNCATED, f"document {described.get('FILENAME', label)!r} is binary and was not read")
        )
        return None
    if _HTML.search(content[:20_000]):
        return walk_html(content, name, builder, source_start=start).xbrl
    _read_ascii(content, start, builder)
    return None


def _read_ascii(content: str, start: int, builder: DocumentBuilder) -> None:
    """Read an ASCII document; ``<TABLE>`` says where tables stand and ``<S>`` ends their headers."""
    page: int | None = 1 if re.search(r"<PAGE>", content, re.IGNORECASE) else None
    for is_table, at, part in _parts(content):
        if part is None:
            page = page + 1 if page and at > 80 else page
        elif is_table:
            lines, header_lines = _table_lines(part, start + at, builder)
            emit_table(builder, lines, header_lines=header_lines, page=page)
        else:
            emit_lines(builder, read_lines(_blanked(part), builder.reader, start + at), page=page)


def _parts(content: str) -> Iterator[tuple[bool, int, str | None]]:
    """Stretches of text ``(is table, offset, text)`` between marks; a page mark has no text."""
    position, is_table = 0, False
    for match in _MARK.finditer(content):
        if match.start() > position:
            yield is_table, position, content[position : match.start()]
        if match[2].upper() == "PAGE":
            yield False, match.start(), None
        else:
            is_table = not match[1]
        position = match.end()
    if position < len(content):
        yield is_table, position, content[position:]


def _blanked(part: str) -> str:
    """The text with its SGML marks overwritten by spaces, so that columns and offsets stay."""
    return _SGML.sub(lambda match: " " * len(match.group()), part)


def _table_lines(part: str, at: int, builder: DocumentBuilder) -> tuple[list[PrintLine], int]:
    stub = next((start for start, line in split_lines(part) if _COLUMN_MARKS.match(line)), None)
    if stub is None:
        return read_lines(_blanked(part), builder.reader, at), 0
    headers = read_lines(_blanked(part[:stub]), builder.reader, at)
    return headers + read_lines(_blanked(part[stub:]), builder.reader, at + stub), len(headers)
