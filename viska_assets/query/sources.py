"""From a citation to the characters it names: source entries resolved into spans of chunks and documents."""

from collections.abc import Sequence

from viska_assets.guardrail.binding import describe, locate_cells
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.model.page import QuoteLocator, SourceEntry
from viska_assets.model.span import Span
from viska_assets.model.views import CitedChunk
from viska_assets.query.results import Dated, Source, Where
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Connection
from viska_assets.store.document_places import ChunkPlace, chunk_places

AROUND = 200
NOT_A_DOCUMENT = Dated(None, "a computation has the dates of its operands")


def cited_span(entry: SourceEntry, chunk: CitedChunk) -> Span:
    """The cited characters of the document's text: the quote, the cell's number, or the whole chunk."""
    reading = ChunkReading(chunk)
    if isinstance(entry.locator, QuoteLocator):
        found = reading.find_quote(entry.locator.quote)
        return found.shifted(chunk.span.start) if found else chunk.span
    if entry.locator is not None:
        cells = locate_cells(reading, entry.locator)
        if cells:
            return cells[0].span
    return chunk.span


def resolve_sources(
    connection: Connection, entries: Sequence[tuple[SourceEntry, str]], evidence: StoredEvidence
) -> tuple[Source, ...]:
    """Citations as sources of a reply, numbered from 1 in their order.

    Args:
        connection: read access to the retrieval tier.
        entries: each entry with the page that it was taken from, empty for a passage that was found.
        evidence: the chunks, read once.
    """
    chunk_ids = [entry.chunk for entry, _ in entries if entry.chunk]
    evidence.preload(chunk_ids)
    places = chunk_places(connection, chunk_ids)
    found: list[Source] = []
    for entry, page in entries:
        marker = f"[{len(found) + 1}]"
        chunk = evidence.chunk(entry.chunk) if entry.chunk else None
        place = places.get(entry.chunk or "")
        if chunk is not None and place is not None:
            found.append(_cited(marker, entry, page, chunk, place))
        elif entry.computation is not None:
            found.append(_computed(marker, entry, page))
    return tuple(found)


def _cited(marker: str, entry: SourceEntry, page: str, chunk: CitedChunk, place: ChunkPlace) -> Source:
    span = cited_span(entry, chunk)
    local = span.shifted(-chunk.span.start)
    start, end = max(0, local.start - AROUND), min(len(chunk.text), local.end + AROUND)
    document = place.document
    return Source(
        marker=marker,
        id=entry.id,
        where=Where(
            uri=f"viska://chunk/{chunk.chunk_id}",
            namespace=document.namespace,
            title=document.title,
            document_id=document.document_id,
            span=span,
            page=place.page,
        ),
        locator=describe(entry.locator),
        quoted=local.of(chunk.text),
        passage=chunk.text[start:end],
        quoted_span=local.shifted(-start),
        date=Dated(document.known_at),
        contributor=document.asserter or document.name,
        authentication=document.authentication,
        cited_by=page,
        pinned=not entry.content_sha256 or chunk.content_sha256 == entry.content_sha256,
    )


def _computed(marker: str, entry: SourceEntry, page: str) -> Source:
    assert entry.computation is not None
    return Source(
        marker=marker,
        id=entry.id,
        where=Where(uri=f"viska://concept/{page}", namespace="", title=entry.title or page),
        locator=entry.computation.expression,
        quoted="",
        passage="",
        quoted_span=Span(0, 0),
        date=NOT_A_DOCUMENT,
        contributor="computed from the sources after it",
        authentication="not applicable",
        cited_by=page,
        computation=entry.computation.expression,
    )
