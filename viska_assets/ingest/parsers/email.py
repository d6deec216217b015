"""E-mail: headers, the readable body and its attachments as one document; who speaks comes from the headers."""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from email import policy
from email.errors import MessageError
from email.message import EmailMessage, MIMEPart
from email.parser import BytesParser
from email.utils import getaddresses, parsedate_to_datetime

from viska_assets.ingest.builder import DocumentBuilder
from viska_assets.ingest.charsets import decode_bytes
from viska_assets.ingest.covers import cover_of_text, finished
from viska_assets.ingest.errors import ReadingError
from viska_assets.ingest.parsers.html import walk_html
from viska_assets.ingest.parsers.text import read_lines
from viska_assets.ingest.print_lines import emit_lines
from viska_assets.model.document import BlockKind, Cover, MediaType, Notice, NoticeKind, ParsedDocument

ReadAttachment = Callable[[bytes, str], ParsedDocument]

_SHOWN_HEADERS = ("From", "To", "Date", "Subject")
_MAX_PARTS = 500
_FREE_MAIL = frozenset({"gmail", "outlook", "hotmail", "yahoo", "icloud", "proton", "protonmail", "live", "aol"})
_STATED = re.compile(r"^\s*(analyst|house|broker)s?\s*:\s*([^\n|;]{2,80}?)\s*$", re.IGNORECASE | re.MULTILINE)
_NAME_AND_HOUSE = re.compile(
    r"(?P<name>[^,(|/@]{3,60}?)\s*(?:,|\||/|\(| - | – | at | via )\s*(?P<house>[^()|/]{2,60}?)\)?"
)


def parse_email(data: bytes, name: str, document_id: str, read_attachment: ReadAttachment) -> ParsedDocument:
    """Read a message; attachments that can be read follow as sections, others leave a notice."""
    try:
        message = BytesParser(policy=policy.default).parsebytes(data)
    except (MessageError, ValueError, LookupError) as error:
        raise ReadingError(name, f"the message cannot be parsed ({error})", "export it again as .eml") from error
    builder = DocumentBuilder()
    headers = {key: _header(message, key) for key in _SHOWN_HEADERS}
    shown = "\n".join(f"{key}: {value}" for key, value in headers.items() if value)
    builder.add(BlockKind.PREFORMATTED, builder.reader.read(shown, keep_lines=True))
    body_start = len(builder.text())
    _read_parts(message, name, builder, read_attachment)
    text = builder.text()
    cover = cover_of_text(text[body_start:], (), name)
    cover = replace(cover, title=headers["Subject"], form=cover.form or "E-MAIL", period_end=None)
    cover = replace(cover, published_at=_sent_at(headers["Date"]) or cover.published_at)
    cover = replace(cover, issuer="", asserter=find_asserter(headers["From"], _header(message, "Organization"), text))
    metadata = {key.lower(): value for key, value in headers.items() if value}
    if message_id := _header(message, "Message-ID"):
        metadata["message_id"] = message_id
    return builder.build(document_id, MediaType.EMAIL, _with_title(cover), metadata=metadata)


def _with_title(cover: Cover) -> Cover:
    title = cover.title
    return replace(finished(cover), title=title)


def _header(message: EmailMessage, key: str) -> str:
    try:
        value = message[key]
        return " ".join(str(value).split()) if value is not None else ""
    except (ValueError, IndexError, LookupError, AttributeError):
        raw = next((v for k, v in message.raw_items() if k.lower() == key.lower()), "")
        return " ".join(str(raw).split())


def _sent_at(header: str) -> datetime | None:
    try:
        sent = parsedate_to_datetime(header)
    except (ValueError, TypeError, IndexError):
        return None
    return sent.replace(tzinfo=UTC) if sent.tzinfo is None else sent.astimezone(UTC)


def find_asserter(sender: str, organization: str, text: str) -> str:
    """Who speaks, as "house / analyst": what the body states, else the sender's name and house, else the domain."""
    stated = {key.lower(): value.strip() for key, value in reversed(_STATED.findall(text[:20_000]))}
    named = re.fullmatch(r"\s*(.*?)\s*<([^<>]*)>\s*", sender)
    display, address = (named[1].replace('"', ""), named[2]) if named else (getaddresses([sender]) or [("", "")])[0]
    analyst, house = display.strip(), ""
    if match := _NAME_AND_HOUSE.fullmatch(analyst):
        analyst, house = match["name"].strip(), match["house"].strip()
    house = stated.get("house") or stated.get("broker") or house or organization or house_of(address)
    analyst = stated.get("analyst") or analyst
    if not analyst or analyst.lower() == house.lower() or "@" in analyst:
        return house or address
    return f"{house} / {analyst}" if house else analyst


def house_of(address: str) -> str:
    """The house that a mail domain names, or nothing for a free-mail address."""
    labels = address.rpartition("@")[2].lower().split(".")
    if len(labels) < 2:
        return ""
    known = labels[-3] if len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3 else labels[-2]
    return "" if known in _FREE_MAIL else known.replace("-", " ").title()


def _read_parts(message: EmailMessage, name: str, builder: DocumentBuilder, read_attachment: ReadAttachment) -> None:
    body = (
        message.get_body(preferencelist=("html", "plain"))
        if not _has_good_plain(message)
        else message.get_body(("plain",))
    )
    inside = {id(part) for part in body.walk()} if body is not None else set()
    if body is not None:
        _read_body(body, name, builder)
    alternatives = _alternatives(message)
    for count, part in enumerate(_parts(message)):
        if count > _MAX_PARTS:
            builder.notices.append(Notice(NoticeKind.TRUNCATED, f"more than {_MAX_PARTS} parts; the rest is not read"))
            return
        if part.get_content_maintype() == "multipart" or id(part) in inside or id(part) in alternatives:
            continue
        _read_attachment_part(part, name, builder, read_attachment)


def _parts(message: EmailMessage) -> Iterator[EmailMessage]:
    """All parts of a message; an attached message counts as one."""
    waiting = [message]
    while waiting:
        part = waiting.pop(0)
        yield part
        if part.get_content_maintype() == "multipart" and part.is_multipart():
            waiting[:0] = [child for child in part.get_payload() if isinstance(child, EmailMessage)]


def _alternatives(message: EmailMessage) -> set[int]:
    """Parts that say the body again in another type."""
    return {
        id(child)
        for part in message.walk()
        if part.get_content_type() == "multipart/alternative"
        for child in part.walk()
        if child.get_content_maintype() == "text" and not child.get_filename()
    }


def _has_good_plain(message: EmailMessage) -> bool:
    """Whether the plain body is more than a pointer to the HTML one (and the HTML holds no table)."""
    plain, html = message.get_body(("plain",)), message.get_body(("html",))
    if plain is None or html is None:
        return plain is not None
    return b"<table" not in _payload(html).lower() and len(_payload(plain)) > 200


def _payload(part: MIMEPart) -> bytes:
    if part.get_content_type() == "message/rfc822" and part.is_multipart():
        inner = part.get_payload(0)
        return inner.as_bytes() if isinstance(inner, EmailMessage) else b""
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _read_body(part: MIMEPart, name: str, builder: DocumentBuilder) -> None:
    decoded = decode_bytes(_payload(part), name, declared=part.get_content_charset() or "")
    builder.notices.extend(decoded.notices)
    if part.get_content_type() == "text/html":
        if decoded.text.strip():
            walk_html(decoded.text, name, builder)
    else:
        emit_lines(builder, read_lines(decoded.text, builder.reader))


def _read_attachment_part(
    part: EmailMessage, name: str, builder: DocumentBuilder, read_attachment: ReadAttachment
) -> None:
    file_name = part.get_filename() or ""
    data = _payload(part)
    if not data.strip():
        return
    label = file_name or f"part ({part.get_content_type()})"
    if part.get_content_maintype() in ("image", "audio", "video") or part.get_content_subtype() == "pkcs7-signature":
        builder.notices.append(Notice(NoticeKind.TRUNCATED, f"attachment {label!r} holds no text and was not read"))
        return
    suffix = {
        "message/rfc822": ".eml",
        "text/html": ".html",
        "text/plain": ".txt",
        "application/pdf": ".pdf",
        "text/csv": ".csv",
    }
    try:
        attached = read_attachment(data, file_name or "part" + suffix.get(part.get_content_type(), ""))
    except ReadingError as error:
        builder.notices.append(Notice(NoticeKind.TRUNCATED, f"attachment not read: {error}"))
        return
    builder.add(BlockKind.HEADING, builder.reader.read(f"Attachment: {label}"), level=1)
    builder.include(attached)
    digest = hashlib.sha256(data).hexdigest()
    builder.notices.append(Notice(NoticeKind.ATTACHMENT, f"attachment {label!r} read, sha256 {digest}"))
