"""From stored bytes to indexed chunks and evidence, document by document, each document one transaction."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter

from viska_assets.ingest.authentication import Authentication, AuthenticationResult
from viska_assets.ingest.readers import Reading, ReadingPlan, Unreadable, read_many
from viska_assets.model.document import NoticeKind, ParsedDocument
from viska_assets.store.blobs import RawBlobs
from viska_assets.store.chunks import IndexedChunk, write_chunks, write_document_text
from viska_assets.store.database import Connection, Database
from viska_assets.store.documents import (
    StoredDocument,
    add_incident,
    documents_with_status,
    mark_failed,
    mark_ingested,
)
from viska_assets.store.mail import MailAuthentication, record_authentication
from viska_assets.store.merging import compact
from viska_assets.store.supervised.audit_rows import note_ingested

AnalyseTerms = Callable[[str], list[str]]

INCIDENT_NOTICES = (NoticeKind.HIDDEN_TEXT, NoticeKind.INSTRUCTION_LIKE, NoticeKind.NEEDS_OCR)


@dataclass(frozen=True)
class ReadResult:
    """What became of one document: counts, or the error that names the file and the mend."""

    document_id: str
    name: str
    media_type: str = ""
    chunks: int = 0
    evidence: int = 0
    seconds: float = 0.0
    authentication: str = ""
    notices: tuple[str, ...] = ()
    error: str = ""


def read_received(
    database: Database,
    blobs: RawBlobs,
    plan: ReadingPlan,
    terms_of: AnalyseTerms,
    *,
    workers: int = 1,
    progress: Callable[[ReadResult], None] = lambda _: None,
    keep: Callable[[Reading], None] = lambda _: None,
) -> list[ReadResult]:
    """Reads every document that was received and not read yet; a failure is recorded and the rest goes on.

    Args:
        database: for rows, chunks and evidence.
        blobs: for the bytes.
        plan: how documents are read.
        terms_of: the analyser whose terms are indexed.
        workers: how many processes read at once; rows are written by this one, in the documents' order.
        progress: called after each document; ``seconds`` counts from the document before it.
        keep: called with each reading once it is stored.
    """
    with database.transaction() as connection:
        waiting = {stored.document_id: stored for stored in documents_with_status(connection, "received")}
    results = []
    started = perf_counter()
    listed = [(stored.document_id, stored.name) for stored in waiting.values()]
    for document_id, found in read_many(listed, blobs.url, plan, workers):
        result = _store(database, waiting[document_id], found, terms_of, started)
        if isinstance(found, Reading):
            keep(found)
        progress(result)
        results.append(result)
        started = perf_counter()
    if results:
        compact(database)
        with database.transaction() as connection:
            note_ingested(connection, len(results), max(result.seconds for result in results))
    return results


def _store(
    database: Database,
    stored: StoredDocument,
    found: Reading | Unreadable,
    terms_of: AnalyseTerms,
    started: float,
) -> ReadResult:
    if isinstance(found, Unreadable):
        with database.transaction() as connection:
            mark_failed(connection, stored.document_id, found.reason)
            kind = "reader_defect" if found.defect else "unreadable_document"
            add_incident(connection, kind, found.defect or found.reason, document_id=stored.document_id)
        return ReadResult(stored.document_id, stored.name, seconds=perf_counter() - started, error=found.reason)
    with database.transaction() as connection:
        store_reading(connection, stored, found, terms_of)
    return ReadResult(
        stored.document_id,
        stored.name,
        found.document.media_type.value,
        found.chunks.chunks,
        found.chunks.numbers,
        perf_counter() - started,
        found.authentication.result.value,
        tuple(f"{notice.kind.value}: {notice.detail}" for notice in found.document.notices),
    )


def store_reading(connection: Connection, stored: StoredDocument, reading: Reading, terms_of: AnalyseTerms) -> None:
    """Writes all that reading a document brought, in the caller's transaction."""
    document = reading.document
    write_document_text(connection, document)
    write_chunks(
        connection,
        document.document_id,
        (
            IndexedChunk(chunk, terms_of(f"{chunk.prefix}\n{chunk.text}"), evidence)
            for chunk, evidence in reading.chunks
        ),
    )
    mark_ingested(
        connection,
        document.document_id,
        media_type=document.media_type.value,
        cover=document.cover,
        notices=document.notices,
        asserter=_asserter(reading),
        authentication=reading.authentication.result.value,
        needs_ocr=any(notice.kind is NoticeKind.NEEDS_OCR for notice in document.notices),
        known_at=_known_at(document, stored),
    )
    for notice in document.notices:
        if notice.kind in INCIDENT_NOTICES:
            detail = f"{notice.detail} ({notice.count})" if notice.count > 1 else notice.detail
            add_incident(connection, notice.kind.value, detail, document_id=document.document_id)
    if reading.authentication.result is not AuthenticationResult.NOT_APPLICABLE:
        _store_authentication(connection, document.document_id, reading.authentication, stored.known_at)


def _store_authentication(
    connection: Connection, document_id: str, found: Authentication, received_at: datetime
) -> None:
    record_authentication(
        connection,
        document_id,
        MailAuthentication(
            found.result.value,
            found.domain,
            found.reason,
            found.chain.value,
            found.wish,
            found.received_at or received_at,
            found.answers,
        ),
    )
    if found.result is not AuthenticationResult.PASS:
        add_incident(connection, "unauthenticated_mail", found.reason, document_id=document_id)


def _asserter(reading: Reading) -> str:
    """Who speaks; of a mail with the domain of its sender, which alone can be authenticated."""
    said, domain = reading.document.cover.asserter, reading.authentication.domain
    return f"{said} ({domain})" if domain else said


def _known_at(document: ParsedDocument, stored: StoredDocument) -> datetime:
    """When the document became known: what it says itself, otherwise when it was received."""
    published = document.cover.published_at
    if published is None:
        return stored.known_at
    return published if published.tzinfo else published.replace(tzinfo=UTC)
