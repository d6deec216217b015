"""Rows of ``retrieval``: a document's cleaned text, chunks, evidence and postings, written and read as one."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from viska_assets.model.document import BlockKind, Chunk, ParsedDocument
from viska_assets.model.evidence import Evidence
from viska_assets.model.span import Span
from viska_assets.model.views import CitedChunk
from viska_assets.store.codec import from_json, to_json_text
from viska_assets.store.database import Connection
from viska_assets.store.merging import merge_when_due
from viska_assets.store.scope import UNTRUSTED
from viska_assets.store.segments import IndexedDocument, add_postings, lock_namespace, remove_postings
from viska_assets.store.term_lists import TermLists

DEFAULT_NAMESPACE = "default"


# Enough for one statement to pay, few enough to hold as objects.
_CHUNKS_AT_ONCE = 500
_RUNS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk as it is stored: with the analysed terms of its prefix and text, repeats included, and its numbers."""

    chunk: Chunk
    terms: Sequence[str]
    evidence: Sequence[Evidence] = ()


def text_hash(text: str) -> str:
    """The sha256 of a text, in hex: what a citation pins."""
    return hashlib.sha256(text.encode()).hexdigest()


def text_key(kind: str, prefix: str, text: str) -> UUID:
    """Half of the sha256 of all that embedding a chunk depends on: the key under which every model keeps its vector."""
    return UUID(bytes=hashlib.sha256(f"{kind}\n{prefix}\n{text}".encode()).digest()[:16])


def write_document_text(connection: Connection, document: ParsedDocument) -> None:
    """Stores the cleaned text with its map back to the source."""
    connection.execute(
        """
        INSERT INTO retrieval.document_text (document_id, text, text_sha256, offsets) VALUES (%s, %s, %s, %s)
        ON CONFLICT (document_id) DO UPDATE SET text = EXCLUDED.text, text_sha256 = EXCLUDED.text_sha256,
            offsets = EXCLUDED.offsets
        """,
        (document.document_id, document.text, text_hash(document.text), _runs_as_json(document.offsets.runs)),
    )


def _runs_as_json(runs: Sequence[tuple[int, int]]) -> str:
    """Offset runs as the text of a JSON list, of which a large document has millions."""
    slices = (runs[start : start + _RUNS_AT_ONCE] for start in range(0, len(runs), _RUNS_AT_ONCE))
    return "[" + ",".join(",".join(f"[{clean},{source}]" for clean, source in part) for part in slices) + "]"


@dataclass(frozen=True)
class DocumentChunks:
    """A document's chunks in reading order; taken and written by and by, so that few are held at once."""

    document_id: str
    chunks: Iterable[IndexedChunk]


def write_chunks(
    connection: Connection, document_id: str, chunks: Iterable[IndexedChunk], *, namespace: str = DEFAULT_NAMESPACE
) -> None:
    """Replaces a document's chunks, their evidence and their postings, in the caller's transaction.

    Args:
        connection: in a transaction of the caller's.
        document_id: whose chunks these are.
        chunks: in reading order; taken and written by and by, so that no more than a few are held at once.
        namespace: the scope in which the chunks are found.
    """
    write_documents_chunks(connection, [DocumentChunks(document_id, chunks)], namespace=namespace)


def write_documents_chunks(
    connection: Connection, documents: Sequence[DocumentChunks], *, namespace: str = DEFAULT_NAMESPACE
) -> None:
    """Replaces the chunks of many documents at once, in the caller's transaction: the way to load in bulk."""
    ids = [document.document_id for document in documents]
    for held in sorted({namespace, *_namespaces(connection, ids)}):
        lock_namespace(connection, held)
    for document_id in ids:
        remove_chunks(connection, document_id)
    indexed = [_write_document(connection, document, namespace) for document in documents]
    add_postings(connection, namespace, [document for document in indexed if document.chunk_nos])
    merge_when_due(connection, namespace)


def _write_document(connection: Connection, document: DocumentChunks, namespace: str) -> IndexedDocument:
    terms = TermLists()
    ordered = iter(document.chunks)
    while batch := list(islice(ordered, _CHUNKS_AT_ONCE)):
        _write_rows(connection, document.document_id, batch, namespace)
        _write_evidence(connection, (evidence for indexed in batch for evidence in indexed.evidence))
        for indexed in batch:
            terms.add(indexed.terms)
    rows = connection.execute(
        "SELECT chunk_no FROM retrieval.chunk WHERE document_id = %s AND namespace = %s ORDER BY ordinal",
        (document.document_id, namespace),
    )
    return IndexedDocument(document.document_id, [row[0] for row in rows], terms)


def _write_rows(connection: Connection, document_id: str, batch: Sequence[IndexedChunk], namespace: str) -> None:
    copy = """
        COPY retrieval.chunk (chunk_id, document_id, namespace, ordinal, kind, start_char, end_char, text, prefix,
            headings, page, tokens, terms, numbers, text_sha256, text_key) FROM STDIN
    """
    with connection.cursor() as cursor, cursor.copy(copy) as rows:
        for indexed in batch:
            chunk = indexed.chunk
            rows.write_row(
                (
                    chunk.chunk_id,
                    document_id,
                    namespace,
                    chunk.ordinal,
                    chunk.kind.value,
                    chunk.span.start,
                    chunk.span.end,
                    chunk.text,
                    chunk.prefix,
                    list(chunk.headings),
                    chunk.page,
                    chunk.tokens,
                    len(indexed.terms),
                    len(indexed.evidence),
                    text_hash(chunk.text),
                    text_key(chunk.kind.value, chunk.prefix, chunk.text),
                )
            )


def remove_chunks(connection: Connection, document_id: str) -> None:
    """Takes a document's chunks, evidence and postings out of every index."""
    for namespace in _namespaces(connection, [document_id]):
        lock_namespace(connection, namespace)
        gone = connection.execute(
            "DELETE FROM retrieval.chunk WHERE document_id = %s AND namespace = %s RETURNING terms",
            (document_id, namespace),
        ).fetchall()
        remove_postings(connection, namespace, document_id, len(gone), sum(row[0] for row in gone))
        merge_when_due(connection, namespace)


def _namespaces(connection: Connection, document_ids: Sequence[str]) -> list[str]:
    rows = connection.execute(
        "SELECT DISTINCT namespace FROM retrieval.chunk WHERE document_id = ANY(%s) ORDER BY namespace",
        (list(document_ids),),
    )
    return [row[0] for row in rows]


def _write_evidence(connection: Connection, evidence: Iterable[Evidence]) -> None:
    copy = """
        COPY retrieval.evidence (chunk_id, start_char, end_char, value, unit, concept, period_start, period_end, record)
        FROM STDIN
    """
    with connection.cursor() as cursor, cursor.copy(copy) as rows:
        for item in evidence:
            rows.write_row(
                (
                    item.chunk_id,
                    item.span.start,
                    item.span.end,
                    item.value,
                    item.unit.value,
                    item.xbrl.concept if item.xbrl else None,
                    item.period.start if item.period else None,
                    item.period.end if item.period else None,
                    to_json_text(Evidence, item),
                )
            )


_CITED = """
    SELECT c.chunk_id, c.document_id, c.text, c.text_sha256, c.start_char, c.end_char, c.kind, d.source_concept,
        d.entity, d.entity_names, d.asserter, d.cover, d.known_at, d.withdrawn, d.authentication,
        coalesce((SELECT jsonb_agg(e.record ORDER BY e.start_char) FROM retrieval.evidence e
                  WHERE e.chunk_id = c.chunk_id), '[]')
    FROM retrieval.chunk c JOIN raw.document d USING (document_id)
"""


def cited_chunks(connection: Connection, chunk_ids: Sequence[str]) -> dict[str, CitedChunk]:
    """The chunks with these ids as the gate sees them; unknown ids are absent."""
    rows = connection.execute(f"{_CITED} WHERE c.chunk_id = ANY(%s)", (list(chunk_ids),))
    return {row[0]: _cited(row) for row in rows}


def document_chunks(connection: Connection, document_id: str) -> list[CitedChunk]:
    """All chunks of a document in reading order, with their evidence."""
    rows = connection.execute(f"{_CITED} WHERE c.document_id = %s ORDER BY c.ordinal", (document_id,))
    return [_cited(row) for row in rows]


def opening_texts(connection: Connection, document_id: str, chunks: int) -> list[str]:
    """The texts of a document's first chunks in reading order, without their evidence."""
    rows = connection.execute(
        "SELECT text FROM retrieval.chunk WHERE document_id = %s ORDER BY ordinal LIMIT %s", (document_id, chunks)
    )
    return [row[0] for row in rows]


def _cited(row: tuple[object, ...]) -> CitedChunk:
    (chunk_id, document_id, text, digest, start, end, kind, source, entity, names, asserter, cover, known_at, withdrawn,
     authentication, records) = row  # fmt: skip
    assert isinstance(cover, dict)
    year_end = cover.get("fiscal_year_end")
    return CitedChunk(
        chunk_id=str(chunk_id),
        document_id=str(document_id),
        text=str(text),
        content_sha256=str(digest),
        span=Span(start, end),  # type: ignore[arg-type]
        source_concept=str(source),
        entity=entity,  # type: ignore[arg-type]
        entity_names=tuple(names),  # type: ignore[arg-type]
        asserter=str(asserter),
        fiscal_year_end=(year_end[0], year_end[1]) if year_end else None,
        locale=cover.get("locale", "en"),
        known_at=known_at,  # type: ignore[arg-type]
        withdrawn=bool(withdrawn),
        authenticated=authentication not in UNTRUSTED,
        table=kind == BlockKind.TABLE.value,
        evidence=from_json(tuple[Evidence, ...], records),
    )


class StoredEvidence:
    """The gate's view of the retrieval tier: chunks by id, read once each."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._seen: dict[str, CitedChunk | None] = {}

    def preload(self, chunk_ids: Iterable[str]) -> None:
        """Reads many chunks in one round trip."""
        missing = sorted(set(chunk_ids) - self._seen.keys())
        found = cited_chunks(self._connection, missing) if missing else {}
        self._seen.update({chunk_id: found.get(chunk_id) for chunk_id in missing})

    def chunk(self, chunk_id: str) -> CitedChunk | None:
        """The chunk, or None where there is none of this id."""
        if chunk_id not in self._seen:
            self.preload([chunk_id])
        return self._seen[chunk_id]
