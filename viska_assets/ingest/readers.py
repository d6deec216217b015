"""Reading many documents at once: worker processes that a hostile file may crash without taking the batch along."""

import traceback
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from multiprocessing import get_context
from tempfile import TemporaryDirectory

from viska_assets.engines.catalogue import load_embedder
from viska_assets.ingest.authentication import Authentication, AuthenticationResult, authenticate_mail
from viska_assets.ingest.chunking import cut_chunks
from viska_assets.ingest.errors import ReadingError
from viska_assets.ingest.evidence import evidence_by_chunk
from viska_assets.ingest.ocr import OcrEngine, ocr_engine
from viska_assets.ingest.reading import MAX_BYTES, read_document
from viska_assets.ingest.spool import ReadChunks, spool_chunks
from viska_assets.model.document import MediaType, ParsedDocument
from viska_assets.store.blobs import BlobError, RawBlobs

FEWEST_FOR_WORKERS = 4


@dataclass(frozen=True)
class ReadingPlan:
    """All that decides how a document is read; it travels to the worker processes.

    ``embedder`` names the model whose tokens bound a chunk. ``dns`` holds the recorded answers that mail is
    authenticated against, ``trusted_forwarders`` the domains whose chain may vouch for forwarded mail. ``ocr``
    names the engine for pages without text: ``tesseract``, an HTTP address, or nothing.
    """

    embedder: str
    dns: Mapping[str, str] = field(default_factory=dict)
    trusted_forwarders: tuple[str, ...] = ()
    ocr: str = ""
    ocr_key: str = ""
    largest: int = MAX_BYTES


@dataclass(frozen=True)
class Reading:
    """A document read in full, before anything of it is stored.

    ``document`` comes without the tables and tagged numbers that ``chunks`` were read from.
    """

    document: ParsedDocument
    chunks: ReadChunks
    authentication: Authentication


@dataclass(frozen=True)
class Unreadable:
    """Why a document could not be read; ``defect`` is a traceback where the fault is Viska's own."""

    reason: str
    defect: str = ""


ReadOne = Callable[[str, str], Reading | Unreadable]


@cache
def _token_counter(embedder: str) -> Callable[[str], int]:
    return load_embedder(embedder).count_tokens


@cache
def _ocr(setting: str, key: str) -> OcrEngine | None:
    return ocr_engine(setting, key)


def read_bytes(
    data: bytes, name: str, plan: ReadingPlan, folder: str | None = None, *, document_id: str = ""
) -> Reading:
    """Parses, chunks and reads the evidence of one document. Pure but for the libraries that parse.

    Args:
        data: the document.
        name: its file name.
        plan: how documents are read.
        folder: where the numbers of a large document wait; without one they stay in memory.
        document_id: the document's identity, where it is not the hash of its bytes alone.

    Raises:
        ReadingError: naming the file, the place and the mend.
    """
    document = read_document(data, name, ocr=_ocr(plan.ocr, plan.ocr_key), max_bytes=plan.largest)
    if document_id:
        document = replace(document, document_id=document_id)
    if document.media_type is MediaType.EMAIL:
        authentication = authenticate_mail(data, plan.dns, trusted_forwarders=plan.trusted_forwarders)
    else:
        authentication = Authentication(AuthenticationResult.NOT_APPLICABLE, "", "")
    del data
    found = evidence_by_chunk(document, cut_chunks(document, _token_counter(plan.embedder)))
    chunks = spool_chunks(found, folder)
    return Reading(document.without_tables(), chunks, authentication)


def read_blob(
    blob_url: str, document_id: str, name: str, plan: ReadingPlan, folder: str | None = None
) -> Reading | Unreadable:
    """Reads one stored document; a fault of the file or of the reader is an answer, not an exception."""
    try:
        return read_bytes(RawBlobs(blob_url).get(document_id), name, plan, folder)
    except (ReadingError, BlobError) as error:
        return Unreadable(str(error))
    except Exception as error:  # noqa: BLE001 - the border at which one document's crash must not end the batch
        place = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__} in {place.name}, line {place.lineno}"
        return Unreadable(f"{name}: the reader failed on it ({said}); report it with the file", traceback.format_exc())


def read_many(
    documents: Sequence[tuple[str, str]], blob_url: str, plan: ReadingPlan, workers: int
) -> Iterator[tuple[str, Reading | Unreadable]]:
    """Reads documents, given as (id, name), in their order; at most two per worker are held in memory.

    The numbers of a large document wait in a file, which stands until the next document is asked for. A document that
    kills its worker (out of memory, a fault in a C library) is tried once more by itself; if it kills that one too,
    it is unreadable.
    """
    with TemporaryDirectory(prefix="viska-") as folder:
        read_one = partial(read_blob, blob_url, plan=plan, folder=folder)
        for document_id, found in _read_each(deque(documents), read_one, workers):
            yield document_id, found
            if isinstance(found, Reading):
                found.chunks.discard()


def _read_each(
    waiting: deque[tuple[str, str]], read_one: ReadOne, workers: int
) -> Iterator[tuple[str, Reading | Unreadable]]:
    if workers < 2 or len(waiting) < FEWEST_FOR_WORKERS:
        for document_id, name in waiting:
            yield document_id, read_one(document_id, name)
        return
    while waiting:
        # Whoever broke the pool is among the documents in flight; those are read one by one, then the rest goes on.
        in_flight: deque[tuple[str, str, Future[Reading | Unreadable]]] = deque()
        with suppress(BrokenProcessPool), _pool(workers) as pool:
            while waiting or in_flight:
                while waiting and len(in_flight) < 2 * workers:
                    document_id, name = waiting.popleft()
                    in_flight.append((document_id, name, pool.submit(read_one, document_id, name)))
                document_id, _, future = in_flight[0]
                found = future.result()
                in_flight.popleft()
                yield document_id, found
        for document_id, name, _ in in_flight:
            yield document_id, _read_alone(document_id, name, read_one)


def _pool(workers: int) -> ProcessPoolExecutor:
    # Spawned, because a forked child would share the parent's database connections and locks.
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


def _read_alone(document_id: str, name: str, read_one: ReadOne) -> Reading | Unreadable:
    with _pool(1) as pool:
        try:
            return pool.submit(read_one, document_id, name).result()
        except BrokenProcessPool:
            return Unreadable(f"{name}: reading it ended the reading process (out of memory?); split it or report it")
