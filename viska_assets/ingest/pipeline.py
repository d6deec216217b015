"""From stored bytes to indexed chunks and evidence, document by document, each document one transaction."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter

from viska_assets.ingest.authentication import Authentication, AuthenticationResult, authenticate_mail
from viska_assets.ingest.chunking import chunk_document
from viska_assets.ingest.evidence import extract_evidence
from viska_assets.ingest.reading import ReadingError, read_document
from viska_assets.model.document import Chunk, MediaType, NoticeKind, ParsedDocument
from viska_assets.model.evidence import Evidence
from viska_assets.store.blobs import BlobError, RawBlobs
from viska_assets.store.chunks import write_chunks, write_document_text
from viska_assets.store.database import Connection, Database
from viska_assets.store.documents import (
    StoredDocument,
    add_incident,
    documents_with_status,
    mark_failed,
    mark_ingested,
)

CountTokens = Callable[[str], int]
AnalyseTerms = Callable[[str], list[str]]

INCIDENT_NOTICES = (NoticeKind.HIDDEN_TEXT, NoticeKind.INSTRUCTION_LIKE, NoticeKind.NEEDS_OCR)


@dataclass(frozen=True)
class ReadResult:
    """What became of one document: counts, or the error that names the file and the mend."""

    document_id: str
    name: str
    media_type: str
    chunks: int
    evidence: int
    seconds: float
    authentication: str = ""
    notices: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class Reading:
    """A document read in full, before anything of it is stored."""

    document: ParsedDocument
    chunks: tuple[Chunk, ...]
    evidence: tuple[Evidence, ...]
    authentication: Authentication


def read_bytes(data: bytes, name: str, count_tokens: CountTokens, dns: Mapping[str, str]) -> Reading:
    """Parses, chunks and reads the evidence of one document. Pure but for the libraries that parse.

    Raises:
        ReadingError: naming the file, the place and the mend.
    """
    document = read_document(data, name)
    chunks = chunk_document(document, count_tokens)
    if document.media_type is MediaType.EMAIL:
        authentication = authenticate_mail(data, dns)
    else:
        authentication = Authentication(AuthenticationResult.NOT_APPLICABLE, "", "")
    return Reading(document, chunks, extract_evidence(document, chunks), authentication)


def read_received(
    database: Database,
    blobs: RawBlobs,
    count_tokens: CountTokens,
    terms_of: AnalyseTerms,
    *,
    dns: Mapping[str, str],
    progress: Callable[[ReadResult], None] = lambda _: None,
) -> list[ReadResult]:
    """Reads every document that was received and not read yet; a failure is recorded and the rest goes on.

    Args:
        database: for rows, chunks and evidence.
        blobs: for the bytes.
        count_tokens: of the active embedder, which bounds a chunk's size.
        terms_of: the analyser whose terms are indexed.
        dns: recorded DNS answers for the authentication of mail.
        progress: called after each document.
    """
    with database.transaction() as connection:
        waiting = documents_with_status(connection, "received")
    results = []
    for stored in waiting:
        result = _read_one(database, blobs, stored, count_tokens, terms_of, dns)
        progress(result)
        results.append(result)
    return results


def _read_one(
    database: Database,
    blobs: RawBlobs,
    stored: StoredDocument,
    count_tokens: CountTokens,
    terms_of: AnalyseTerms,
    dns: Mapping[str, str],
) -> ReadResult:
    started = perf_counter()
    try:
        reading = read_bytes(blobs.get(stored.document_id), stored.name, count_tokens, dns)
    except (ReadingError, BlobError) as error:
        with database.transaction() as connection:
            mark_failed(connection, stored.document_id, str(error))
            add_incident(connection, "unreadable_document", str(error), document_id=stored.document_id)
        return ReadResult(stored.document_id, stored.name, "", 0, 0, perf_counter() - started, error=str(error))
    with database.transaction() as connection:
        store_reading(connection, stored, reading, terms_of)
    return ReadResult(
        stored.document_id,
        stored.name,
        reading.document.media_type.value,
        len(reading.chunks),
        len(reading.evidence),
        perf_counter() - started,
        reading.authentication.result.value,
        tuple(f"{notice.kind.value}: {notice.detail}" for notice in reading.document.notices),
    )


def store_reading(connection: Connection, stored: StoredDocument, reading: Reading, terms_of: AnalyseTerms) -> None:
    """Writes all that reading a document brought, in the caller's transaction."""
    document = reading.document
    write_document_text(connection, document)
    write_chunks(
        connection,
        document.document_id,
        reading.chunks,
        [terms_of(f"{chunk.prefix}\n{chunk.text}") for chunk in reading.chunks],
        reading.evidence,
    )
    mark_ingested(
        connection,
        document.document_id,
        media_type=document.media_type.value,
        cover=document.cover,
        notices=document.notices,
        authentication=reading.authentication.result.value,
        needs_ocr=any(notice.kind is NoticeKind.NEEDS_OCR for notice in document.notices),
        known_at=_known_at(document, stored),
    )
    for notice in document.notices:
        if notice.kind in INCIDENT_NOTICES:
            detail = f"{notice.detail} ({notice.count})" if notice.count > 1 else notice.detail
            add_incident(connection, notice.kind.value, detail, document_id=document.document_id)
    if reading.authentication.result in (AuthenticationResult.NONE, AuthenticationResult.FAIL):
        add_incident(
            connection, "unauthenticated_mail", reading.authentication.reason, document_id=document.document_id
        )


def _known_at(document: ParsedDocument, stored: StoredDocument) -> datetime:
    """When the document became known: what it says itself, otherwise when it was received."""
    published = document.cover.published_at
    if published is None:
        return stored.known_at
    return published if published.tzinfo else published.replace(tzinfo=UTC)
