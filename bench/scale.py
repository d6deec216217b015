"""Measures storage and search by size: ingest, BM25, dense and hybrid latency, the index's recall, BM25's exactness.

Run as ``python bench/scale.py --chunks 10000 100000 1000000 [--home H]``. Chunks follow the open pack's term
distribution, vectors are synthetic (``bench/scale_corpus.py``). Each size has a home of its own below H; one that was
loaded before is used again. Latencies are wall time of one client on a warm server, a query's embedding left out.
"""

import argparse
import json
import os
import platform
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from rank_bm25 import BM25Okapi

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.scale_corpus import CHUNKS_PER_DOCUMENT, DIMENSION, Document, Terms, Vectors, documents, queries
from viska_assets.engines.protocols import ModelIdentity
from viska_assets.maintain.engine_version import engine_version
from viska_assets.model.document import BlockKind, Chunk
from viska_assets.model.span import Span
from viska_assets.retrieval.search import LEG_DEPTH, hybrid_search
from viska_assets.store.chunks import DocumentChunks, IndexedChunk, remove_chunks, write_documents_chunks
from viska_assets.store.database import Connection
from viska_assets.store.dense import dense_search, ef_search
from viska_assets.store.documents import add_document
from viska_assets.store.embeddings import build_index, write_embeddings
from viska_assets.store.home import Home
from viska_assets.store.lexical import lexical_search
from viska_assets.store.merging import compact
from viska_assets.store.scope import SearchScope
from viska_assets.store.server import EmbeddedServer
from viska_assets.store.settings import Settings

SEED = 20_261_130
EPOCH = datetime(2025, 1, 1, tzinfo=UTC)
IDENTITY = ModelIdentity("synthetic", "1", "0" * 64, DIMENSION)
VECTOR_BATCH = 10_000
WARM_UP, MEASURED, COMPARED = 30, 200, 50
ISSUERS = 100
TOGETHER = 100  # documents in one transaction of a bulk load


@dataclass(frozen=True)
class Loaded:
    """How long loading a home took."""

    chunks: int
    ingest_seconds: float
    compact_seconds: float
    vectors_seconds: float
    index_seconds: float
    load_average: float


class Given:
    """An embedder whose vectors are given, so that the time of a model is not in the figures."""

    identity = IDENTITY

    def __init__(self, vectors: dict[str, np.ndarray]) -> None:
        self._vectors = vectors

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        """The given vectors of the texts."""
        return np.stack([self._vectors[text] for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        """The given vector of a query."""
        return self._vectors[text]

    def count_tokens(self, text: str) -> int:
        """How many words a text has."""
        return len(text.split())


def said(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


def as_chunks(document: Document) -> DocumentChunks:
    document_id = f"{document.number:064x}"
    chunks = []
    for ordinal, terms in enumerate(document.chunks):
        text = " ".join(terms)
        chunk_id = f"{document.number}-{ordinal}"
        chunk = Chunk(chunk_id, document_id, ordinal, BlockKind.PARAGRAPH, Span(0, len(text)), text, "")
        chunks.append(IndexedChunk(chunk, terms))
    return DocumentChunks(document_id, chunks)


def write(connection: Connection, batch: Sequence[Document]) -> None:
    """Writes documents in one transaction, with what a search scope asks of them."""
    for document in batch:
        document_id = f"{document.number:064x}"
        issuer = f"issuers/{document.number % ISSUERS}"
        add_document(connection, document_id, issuer, 1, feed="bench", path=str(document.number), received_at=EPOCH)
        connection.execute(
            "UPDATE raw.document SET entity = %s, status = 'ingested' WHERE document_id = %s", (issuer, document_id)
        )
    write_documents_chunks(connection, [as_chunks(document) for document in batch])


def batches(size: int, together: int) -> Iterator[list[Document]]:
    """The documents in batches of so many."""
    batch: list[Document] = []
    for document in documents(size, SEED):
        batch.append(document)
        if len(batch) == together:
            yield batch
            batch = []
    if batch:
        yield batch


def load(home: Home, size: int) -> Loaded:
    started = time.perf_counter()
    for batch in batches(size, TOGETHER):
        with home.database.transaction() as connection:
            write(connection, batch)
        done = (batch[-1].number + 1) * CHUNKS_PER_DOCUMENT
        said(f"{done} chunks in {time.perf_counter() - started:.0f} s, load {os.getloadavg()[0]:.1f}")
    ingested = time.perf_counter()
    standing = compact(home.database)
    compacted = time.perf_counter()
    said(f"{standing} segments after {compacted - ingested:.0f} s of compaction")
    vectors = Vectors(SEED)
    for number, start in enumerate(range(0, size, VECTOR_BATCH)):
        places = range(start, min(start + VECTOR_BATCH, size))
        ids = [f"{at // CHUNKS_PER_DOCUMENT}-{at % CHUNKS_PER_DOCUMENT}" for at in places]
        with home.database.transaction() as connection:
            write_embeddings(connection, str(IDENTITY), ids, vectors.batch(number, len(ids)))
    embedded = time.perf_counter()
    said(f"vectors stored after {embedded - compacted:.0f} s")
    with home.database.transaction() as connection:
        build_index(connection, str(IDENTITY))
    indexed = time.perf_counter()
    said(f"index built after {indexed - embedded:.0f} s")
    with home.database.transaction() as connection:
        connection.execute("ANALYZE")
    return Loaded(
        size,
        ingested - started,
        compacted - ingested,
        embedded - compacted,
        indexed - embedded,
        os.getloadavg()[0],
    )


def timed(run: Callable[[int], object], count: int, server: int) -> dict[str, float]:
    """Wall time of a query, and the CPU of both sides: ``server`` is the process that answers this client."""
    for at in range(WARM_UP):
        run(at)
    wall, cpu = [], []
    before = ticks_of(server)
    for at in range(WARM_UP, count):
        started, ticks = time.perf_counter(), time.process_time()
        run(at)
        wall.append((time.perf_counter() - started) * 1000)
        cpu.append((time.process_time() - ticks) * 1000)
    used = (ticks_of(server) - before) / os.sysconf("SC_CLK_TCK") * 1000
    return {
        "p50_ms": round(float(np.percentile(wall, 50)), 2),
        "p95_ms": round(float(np.percentile(wall, 95)), 2),
        "client_cpu_p50_ms": round(float(np.percentile(cpu, 50)), 2),
        "client_cpu_p95_ms": round(float(np.percentile(cpu, 95)), 2),
        "server_cpu_mean_ms": round(used / len(wall), 2),
    }


def ticks_of(process: int) -> int:
    """The CPU time of a process in clock ticks, user's and system's; 0 where it cannot be seen."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])


def measure(home: Home, loaded: Loaded) -> dict[str, Any]:
    size, model = loaded.chunks, str(IDENTITY)
    sample = [text for document in documents(min(size, 20_000), SEED) for text in document.chunks]
    count = WARM_UP + MEASURED
    asked = queries(sample, count, SEED)
    vectors = Vectors(SEED).batch(10_000_000, count)
    texts = [" ".join(terms) for terms in asked]
    embedder = Given(dict(zip(texts, vectors, strict=True)))
    everything, issuer = SearchScope(), SearchScope(entity="issuers/7")
    result: dict[str, Any] = {}
    with home.database.transaction() as connection:
        runs: dict[str, Callable[[int], object]] = {
            "bm25": lambda at: lexical_search(connection, asked[at], everything, LEG_DEPTH),
            "dense": lambda at: dense_search(connection, model, vectors[at], everything, LEG_DEPTH),
            "hybrid": lambda at: hybrid_search(connection, embedder, texts[at], everything),
            "bm25_issuer": lambda at: lexical_search(connection, asked[at], issuer, LEG_DEPTH),
            "dense_issuer": lambda at: dense_search(connection, model, vectors[at], issuer, LEG_DEPTH),
        }
        for name, run in runs.items():
            figures = timed(run, count, connection.info.backend_pid)
            said(f"{name}: {figures}, load {os.getloadavg()[0]:.1f}")
            result |= {f"{name}_{key}": value for key, value in figures.items()}
            result[f"{name}_load"] = round(os.getloadavg()[0], 1)
        found = 0
        for vector in vectors[:COMPARED]:
            near = {hit.chunk_id for hit in dense_search(connection, model, vector, everything, LEG_DEPTH)[:10]}
            true = {hit.chunk_id for hit in dense_search(connection, model, vector, everything, 10, exact=True)}
            found += len(near & true)
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        segments = connection.execute("SELECT count(*) FROM retrieval.segment").fetchone()
    assert row is not None and segments is not None
    return {
        "ingest_chunks_per_s": round(size / (loaded.ingest_seconds + loaded.compact_seconds)),
        "db_mb": round(row[0] / 1e6),
        "segments": segments[0],
        "hnsw_recall10": round(found / (10 * COMPARED), 4),
        "build_s": {key: round(value, 1) for key, value in asdict(loaded).items() if key.endswith("_seconds")},
        "build_load": round(loaded.load_average, 1),
    } | result


def equals_oracle() -> dict[str, Any]:
    """BM25 against rank-bm25 on 10,000 chunks after random inserts and deletions, 200 queries."""
    rng, numbers = random.Random(SEED), np.random.default_rng(SEED)
    terms, standing = Terms(), {}
    with temporary_home() as home:
        for number in range(1_600):
            size = rng.randint(1, 15)
            lengths = np.clip(numbers.normal(104, 45, size), 15, 260).astype(int)
            document = Document(number, terms.draw(numbers, lengths))
            with home.database.transaction() as connection:
                write(connection, [document])
                standing[number] = document
                if rng.random() < 0.1:
                    gone = rng.choice(list(standing))
                    remove_chunks(connection, f"{gone:064x}")
                    del standing[gone]
            if number == 900:
                compact(home.database)
            if sum(len(d.chunks) for d in standing.values()) >= 10_000:
                break
        texts = {f"{d.number}-{at}": text for d in standing.values() for at, text in enumerate(d.chunks)}
        places = {chunk: at for at, chunk in enumerate(texts)}
        oracle = BM25Okapi(list(texts.values()))
        wrong = []
        with home.database.transaction() as connection:
            for query in queries(list(texts.values()), 200, SEED):
                truth = oracle.get_scores(query)
                hits = lexical_search(connection, query, SearchScope(), LEG_DEPTH)
                scores = [hit.score for hit in hits]
                own = [truth[places[hit.chunk_id]] for hit in hits]
                best = np.sort(truth)[::-1][: len(hits)]
                if len(hits) != LEG_DEPTH or not (
                    np.allclose(scores, best, 1e-9, 0) and np.allclose(scores, own, 1e-9, 0)
                ):
                    wrong.append(" ".join(query))
    return {"equal": not wrong, "chunks": len(texts), "queries": 200, "different": wrong}


@contextmanager
def temporary_home() -> Iterator[Home]:
    """A home in a temporary folder whose server and data are gone afterwards."""
    folder = Path(tempfile.mkdtemp())
    home = Home(Settings(home=folder, database_url=""))
    try:
        yield home
    finally:
        home.close()
        remove_home(folder)


def remove_home(folder: Path) -> None:
    """Stops a home's server and removes all of it."""
    server = EmbeddedServer(folder)
    data = server.status().data
    server.stop()
    shutil.rmtree(data.parent, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)


def at_size(folder: Path, size: int, *, keep: bool) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    home = Home(Settings(home=folder, database_url=""))
    record = folder / "loaded.json"
    if not record.exists():
        said(f"loading {size} chunks into {folder}")
        record.write_text(json.dumps(asdict(load(home, size))))
    try:
        return measure(home, Loaded(**json.loads(record.read_text())))
    finally:
        home.close()
        EmbeddedServer(folder).stop()
        if not keep:
            remove_home(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--home", type=Path, help="where the loaded homes are kept, one a size")
    parser.add_argument("--without-oracle", action="store_true", help="leave the comparison with rank-bm25 out")
    arguments = parser.parse_args()
    kept = arguments.home or Path(tempfile.mkdtemp())
    result = {
        "at": {
            str(size): at_size(kept / str(size), size, keep=arguments.home is not None) for size in arguments.chunks
        },
        "bm25_equals_oracle": None if arguments.without_oracle else equals_oracle(),
        "ef_search": {str(size): ef_search(size) for size in arguments.chunks},
        "leg_depth": LEG_DEPTH,
        "n": {"queries": MEASURED, "recall_queries": COMPARED},
        "vectors": f"synthetic: clustered unit vectors of {DIMENSION} dimensions; recall on real ones may differ",
        "terms": "drawn by the document frequencies of the open pack's filings, independently of each other",
        "engine_version": engine_version("synthetic"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
    }
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
