"""Opening a reference: a page, a footnote's passage in its document, a chunk or a source, a window at a time."""

import re
from dataclasses import dataclass
from enum import StrEnum

from viska_assets.model.span import Span
from viska_assets.okf.page import parse_page
from viska_assets.query.errors import QueryError
from viska_assets.query.library import Reader
from viska_assets.query.sources import resolve_sources
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.document_places import (
    chunk_places,
    document_of_source,
    document_places,
    document_with_prefix,
    text_length,
    text_window,
)
from viska_assets.store.index_rows import index_rows, page_texts

WINDOW = 6_000
_CHUNK = re.compile(r"^(?:viska://chunk/|chunk:)?([0-9a-f]{16}|[\w.-]+-\d+)$")
_SOURCE = re.compile(r"^viska://source/([0-9a-f]{8,64})$|^([0-9a-f]{64})$")
_CONCEPT = re.compile(r"^(?:viska://concept/|page:|/)?([a-z]+/[A-Za-z0-9._-]+?)(?:\.md)?(?:#\^?([\w-]+))?$")


class OpenedKind(StrEnum):
    """What was opened."""

    INDEX = "index"
    PAGE = "page"
    PASSAGE = "passage"
    DOCUMENT = "document"
    FILE = "file"


@dataclass(frozen=True)
class Opened:
    """A window of what was opened: ``text`` is the characters ``span`` of ``total``, ``highlight`` lies in ``text``.

    ``next_offset`` is where the rest begins, None at the end. ``links`` are references to go on with.
    """

    uri: str
    kind: OpenedKind
    title: str
    text: str
    span: Span
    total: int
    highlight: Span | None = None
    detail: str = ""
    links: tuple[str, ...] = ()

    @property
    def next_offset(self) -> int | None:
        """Where the rest begins."""
        return self.span.end if self.span.end < self.total else None


def open_reference(reader: Reader, reference: str, *, offset: int | None = None, limit: int = WINDOW) -> Opened:
    """Opens a reference and shows a window of it.

    Args:
        reader: whose connection and namespaces are used.
        reference: ``viska://index``; a page (``issuers/apple``, ``viska://concept/issuers/apple``); a footnote
            (``issuers/apple#c62afc7cee``); a chunk (``viska://chunk/…``, its id); a source (``viska://source/…``).
        offset: the first character of the window; where not given the beginning, or around what is highlighted.
        limit: how many characters at most.

    Raises:
        QueryError: for what is no reference, or opens nothing that the reader may see.
    """
    limit = window_limit(limit)
    wanted = reference.strip()
    if wanted in ("viska://index", "index", "index.md"):
        return _index(reader, offset or 0, limit)
    if match := _SOURCE.match(wanted):
        return _source(reader, match[1] or match[2], offset or 0, limit)
    if match := _CONCEPT.match(wanted):
        concept, footnote = match[1], match[2]
        if footnote:
            return _footnote(reader, concept, footnote, offset, limit)
        return _page(reader, concept, offset or 0, limit)
    if match := _CHUNK.match(wanted):
        return _chunk(reader, match[1], offset, limit)
    raise QueryError(
        f"{reference[:80]!r} is no reference", "take one from a hit or a source, or open viska://index for the pages"
    )


def _window(text: str, offset: int, limit: int) -> tuple[str, Span]:
    start = min(max(0, offset), len(text))
    return text[start : start + limit], Span(start, min(len(text), start + limit))


def _index(reader: Reader, offset: int, limit: int) -> Opened:
    rows = [row for row in index_rows(reader.connection) if not row.withheld]
    lines, last = [], ""
    for row in rows:
        folder = row.concept_id.split("/", 1)[0]
        lines += [f"# {folder}"] if folder != last else []
        last = folder
        lines.append(f"* {row.concept_id}: {row.title}{f' - {row.description}' if row.description else ''}")
    text = "\n".join(lines)
    shown, span = _window(text, offset, limit)
    return Opened("viska://index", OpenedKind.INDEX, "Index of the bundle", shown, span, len(text))


def _page(reader: Reader, concept: str, offset: int, limit: int) -> Opened:
    pages = page_texts(reader.connection, [concept])
    if not pages:
        raise QueryError(f"the bundle shows no page {concept!r}", "open viska://index for what there is")
    page = pages[0]
    body = parse_page(page.text, f"{concept}.md").page.body
    shown, span = _window(body, offset, limit)
    return Opened(
        f"viska://concept/{concept}",
        OpenedKind.PAGE,
        page.title,
        shown,
        span,
        len(body),
        detail=f"{page.type}, known at {page.known_at.isoformat()}",
    )


def _footnote(reader: Reader, concept: str, footnote: str, offset: int | None, limit: int) -> Opened:
    pages = page_texts(reader.connection, [concept])
    if not pages:
        raise QueryError(f"the bundle shows no page {concept!r}", "open viska://index for what there is")
    entries = {e.id: e for e in parse_page(pages[0].text, f"{concept}.md").page.head.sources}
    entry = entries.get(footnote)
    if entry is None:
        raise QueryError(f"{concept} has no footnote {footnote!r}", f"open {concept} for its footnotes")
    if entry.computation is not None:
        operands = tuple(f"{concept}#{name}" for name in entry.computation.operands.values())
        text = f"{entry.computation.expression}\n" + "\n".join(
            f"{name} = {concept}#{operand}" for name, operand in entry.computation.operands.items()
        )
        uri = f"viska://concept/{concept}#{footnote}"
        span = Span(0, len(text))
        return Opened(
            uri, OpenedKind.PASSAGE, "Computed", text, span, len(text), detail="a computation", links=operands
        )
    sources = resolve_sources(reader.connection, [(entry, concept)], StoredEvidence(reader.connection))
    if not sources or sources[0].where.namespace not in reader.namespaces:
        raise QueryError("the cited passage is no longer there", f"trace {concept} for its other citations")
    source = sources[0]
    assert source.where.span is not None
    detail = (
        f"{source.locator}; {source.contributor}, {source.date}{'' if source.pinned else '; THE CHUNK HAS CHANGED'}"
    )
    return _document_at(reader, source.where.document_id, source.where.span, offset, limit, source.where.uri, detail)


def _chunk(reader: Reader, chunk_id: str, offset: int | None, limit: int) -> Opened:
    place = chunk_places(reader.connection, [chunk_id]).get(chunk_id)
    if place is None or place.document.namespace not in reader.namespaces:
        raise QueryError(f"there is no chunk {chunk_id!r}", "search again; a document may have been read anew")
    page = f"page {place.page}; " if place.page else ""
    detail = f"{page}{place.document.asserter or place.document.name}, {place.document.known_at.isoformat()}"
    uri = f"viska://chunk/{chunk_id}"
    return _document_at(reader, place.document.document_id, place.span, offset, limit, uri, detail)


def _document_at(
    reader: Reader, document_id: str, span: Span, offset: int | None, limit: int, uri: str, detail: str
) -> Opened:
    """A window of a document's cleaned text around a span, which is highlighted."""
    document = document_places(reader.connection, [document_id])[document_id]
    reader.show(document.namespace, uri)
    detail = announced(reader, document.namespace, detail)
    total = text_length(reader.connection, document_id)
    start = window_start(span, offset, limit, total)
    text = text_window(reader.connection, document_id, Span(start, start + limit))
    return Opened(
        uri,
        OpenedKind.PASSAGE,
        document.title,
        text,
        Span(start, start + len(text)),
        total,
        part_within(span, Span(start, start + len(text))),
        detail,
        (f"viska://source/{document_id[:16]}",),
    )


def window_limit(limit: int) -> int:
    """How many characters a window may have, for what was asked."""
    return max(1, min(limit, 20_000))


def window_start(span: Span, offset: int | None, limit: int, total: int) -> int:
    """Where a window begins: at the offset, or with a span in its middle where none is given."""
    spare = max(0, limit - len(span)) // 2
    return min(max(0, span.start - spare if offset is None else offset), total)


def part_within(span: Span, window: Span) -> Span | None:
    """The part of a span that a window shows, counted from the window's start; None where it shows nothing of it."""
    start, end = max(span.start, window.start), min(span.end, window.end)
    return Span(start, end).shifted(-window.start) if start < end else None


def announced(reader: Reader, namespace: str, detail: str) -> str:
    """A detail with the word that a private namespace was opened for it, where it was."""
    return f"{detail}; {reader.announcement}" if namespace in reader.private else detail


def _source(reader: Reader, prefix: str, offset: int, limit: int) -> Opened:
    found = document_with_prefix(reader.connection, prefix)
    document = document_places(reader.connection, found).get(found[0]) if len(found) == 1 else None
    if document is None or document.namespace not in reader.namespaces:
        raise QueryError(f"there is no source {prefix!r}", "take the id from a hit or a source")
    uri = f"viska://source/{document.document_id[:16]}"
    reader.show(document.namespace, uri)
    said = f"{document.media_type}, {document.asserter or document.name}, {document.known_at.isoformat()}"
    total = text_length(reader.connection, document.document_id)
    start = min(max(0, offset), total)
    text = text_window(reader.connection, document.document_id, Span(start, start + limit))
    return Opened(
        uri,
        OpenedKind.DOCUMENT,
        document.title,
        text,
        Span(start, start + len(text)),
        total,
        detail=announced(reader, document.namespace, said),
    )


def reference_of_source_page(reader: Reader, concept: str) -> str | None:
    """The reference of the document for which a Source page stands."""
    document_id = document_of_source(reader.connection, concept)
    return f"viska://source/{document_id[:16]}" if document_id else None
