"""Provenance: from a page's footnote to the passage, and from the passage to the bytes of the delivered file."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from viska_assets.model.page import SourceEntry
from viska_assets.model.span import Span
from viska_assets.okf.page import ParsedPage, parse_page
from viska_assets.query.errors import QueryError
from viska_assets.query.library import Reader
from viska_assets.query.places import byte_span, source_span
from viska_assets.query.results import Source, Where
from viska_assets.query.sources import resolve_sources
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.document_places import document_places, offset_map, text_window
from viska_assets.store.index_rows import page_texts

AROUND = 160


@dataclass(frozen=True)
class Traced:
    """One citation to its end: ``source.where`` has the spans in text, decoded file and bytes; ``blob`` is the file.

    ``bytes_note`` says why there are no bytes, where there are none.
    """

    source: Source
    document: str
    media_type: str
    blob: str
    bytes_note: str = ""


def trace(reader: Reader, concept_id: str, source_ids: Sequence[str] = ()) -> tuple[Traced, ...]:
    """The citations of a page, or the named ones, followed to their bytes.

    Raises:
        QueryError: for a page that is not shown, or a footnote that it does not have.
    """
    texts = page_texts(reader.connection, [concept_id])
    if not texts:
        raise QueryError(f"the bundle shows no page {concept_id!r}", "open viska://index for what there is")
    return trace_page(reader, parse_page(texts[0].text, f"{concept_id}.md"), source_ids)


def trace_page(reader: Reader, parsed: ParsedPage, source_ids: Sequence[str] = ()) -> tuple[Traced, ...]:
    """The same for a page that was read already, of the bundle or not."""
    entries = {entry.id: entry for entry in parsed.page.head.sources}
    unknown = [source_id for source_id in source_ids if source_id not in entries]
    if unknown:
        known = ", ".join(list(entries)[:5])
        raise QueryError(
            f"{parsed.path} has no footnote {unknown[0]!r}", f"take one of its footnotes, such as {known or 'none'}"
        )
    wanted = [entries[source_id] for source_id in source_ids] or list(entries.values())
    return trace_entries(reader, _with_operands(wanted, entries), parsed.page.concept_id)


def _with_operands(wanted: list[SourceEntry], entries: dict[str, SourceEntry]) -> list[SourceEntry]:
    found: dict[str, SourceEntry] = {}
    queue = list(wanted)
    while queue:
        entry = queue.pop(0)
        if entry.id not in found:
            found[entry.id] = entry
            operands = entry.computation.operands.values() if entry.computation else ()
            queue += [entries[name] for name in operands if name in entries]
    return list(found.values())


def trace_entries(reader: Reader, entries: Sequence[SourceEntry], page: str) -> tuple[Traced, ...]:
    """Citations followed to their bytes; each document's file and map is read once."""
    evidence = StoredEvidence(reader.connection)
    sources = resolve_sources(reader.connection, [(entry, page) for entry in entries if entry.chunk], evidence)
    files = _Files(reader)
    return tuple(files.traced(source) for source in sources)


class _Files:
    """The files behind some citations, each read once."""

    def __init__(self, reader: Reader) -> None:
        from viska_assets.store.blobs import RawBlobs

        self._reader = reader
        self._blobs = RawBlobs(reader.blobs_url)
        self._data: dict[str, bytes | None] = {}

    def traced(self, source: Source) -> Traced:
        """A source with its places in the decoded file and in bytes."""
        assert source.where.span is not None
        document_id = source.where.document_id
        document = document_places(self._reader.connection, [document_id])[document_id]
        in_source = source_span(source.where.span, offset_map(self._reader.connection, document_id))
        data = self._read(document_id)
        in_bytes = byte_span(data, document.name, document.media_type, in_source) if data is not None else None
        note = (
            "" if in_bytes else "the file is missing" if data is None else _no_bytes(document.media_type, source.where)
        )
        return Traced(
            replace(source, where=replace(source.where, source_span=in_source, byte_span=in_bytes)),
            document.name,
            document.media_type,
            f"{self._reader.blobs_url}/{document_id[:2]}/{document_id}",
            note,
        )

    def _read(self, document_id: str) -> bytes | None:
        from viska_assets.store.blobs import BlobError

        if document_id not in self._data:
            try:
                self._data[document_id] = self._blobs.get(document_id)
            except BlobError:
                self._data[document_id] = None
        return self._data[document_id]


def _no_bytes(media_type: str, where: Where) -> str:
    page = f", see its page {where.page}" if where.page else ""
    return f"a {media_type} file does not hold its text as such{page}"


def surroundings(reader: Reader, source: Source, around: int = AROUND) -> tuple[str, str, str]:
    """What stands before a cited passage, the passage, and what stands after it, in the document's cleaned text."""
    span = source.where.span
    assert span is not None
    start = max(0, span.start - around)
    text = text_window(reader.connection, source.where.document_id, Span(start, span.end + around))
    cut = span.start - start
    return text[:cut], text[cut : cut + len(span)], text[cut + len(span) :]
