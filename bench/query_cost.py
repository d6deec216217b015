"""What a search costs the client beside llama-index's fusion and haystack's, on the same passages and vectors."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Any

import numpy as np

from bench.homes import scratch_home
from bench.llama_peer import LlamaFusion
from bench.relevance import DEPTH, Asked, Chunk, mean_of, measures
from bench.retrieval_systems import Remembered, quantiles
from viska_assets.model.document import BlockKind
from viska_assets.model.document import Chunk as StoredChunk
from viska_assets.model.span import Span
from viska_assets.query.library import Reader
from viska_assets.query.search import search
from viska_assets.retrieval.analyser import terms_of
from viska_assets.store.chunks import DocumentChunks, IndexedChunk, write_documents_chunks
from viska_assets.store.database import Connection
from viska_assets.store.documents import add_document
from viska_assets.store.embeddings import build_index, register_model, settle_model
from viska_assets.store.home import Home
from viska_assets.store.parity_gate import Gate
from viska_assets.store.search import SearchScope, write_embeddings

SYSTEMS = ("viska", "llama_index", "haystack")
PEER_QUESTIONS_AT_50000 = 12
System = Callable[[Asked], list[str]]


@contextmanager
def corpus_home(chunks: Sequence[Chunk], vectors: np.ndarray, model: str) -> Iterator[Home]:
    """A home of its own that holds these passages with these vectors."""
    with scratch_home() as home:
        with home.database.transaction() as connection:
            _write(connection, chunks, vectors, model)
        with home.database.transaction() as connection:
            connection.execute("ANALYZE")
        yield home


def _write(connection: Connection, chunks: Sequence[Chunk], vectors: np.ndarray, model: str) -> None:
    by_document: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        by_document.setdefault(chunk.document_id, []).append(chunk)
    known = datetime(2024, 1, 1, tzinfo=UTC)
    for document_id in by_document:
        add_document(connection, document_id, document_id[:12], 1, feed="bench", path=document_id, received_at=known)
    groups = [DocumentChunks(d, (_indexed(c, at) for at, c in enumerate(group))) for d, group in by_document.items()]
    write_documents_chunks(connection, groups)
    register_model(connection, model, vectors.shape[1])
    write_embeddings(connection, model, [chunk.chunk_id for chunk in chunks], vectors)
    build_index(connection, model)
    settle_model(connection, model)


def _indexed(chunk: Chunk, ordinal: int) -> IndexedChunk:
    kind = BlockKind(chunk.kind)
    stored = StoredChunk(
        chunk.chunk_id, chunk.document_id, ordinal, kind, Span(0, len(chunk.text)), chunk.text, chunk.prefix
    )
    return IndexedChunk(stored, terms_of(chunk.embedded))


def systems_over(
    connection: Connection, chunks: Sequence[Chunk], vectors: np.ndarray, embedder: Remembered
) -> dict[str, System]:
    """Search and its peers over the same passages; haystack only where it is installed (``pip install '.[bench]'``)."""
    closed = Gate(False, "closed in the benchmark")
    reader = Reader(connection, lambda: embedder, lambda: closed, datetime(2025, 1, 1, tzinfo=UTC))
    llama = LlamaFusion(chunks, dict(zip((c.chunk_id for c in chunks), vectors, strict=True)))

    def viska(asked: Asked) -> list[str]:
        found = search(reader, asked.question, scope=asked.scope, limit=DEPTH)
        return [hit.id.removeprefix("chunk:") for hit in found.hits]

    def llama_index(asked: Asked) -> list[str]:
        return llama.search(asked.question, embedder.vectors[asked.question], None, DEPTH)

    systems: dict[str, System] = {"viska": viska, "llama_index": llama_index}
    if find_spec("haystack") is None:
        print("haystack is not installed and is left out: pip install '.[bench]'", file=sys.stderr)
        return systems
    from bench.haystack_peer import Haystack

    haystack = Haystack([(chunk.chunk_id, chunk.embedded) for chunk in chunks], vectors)

    def haystack_memory(asked: Asked) -> list[str]:
        return haystack.search(asked.question, embedder.vectors[asked.question], DEPTH)

    return systems | {"haystack": haystack_memory}


def measured(systems: dict[str, System], questions: Sequence[Asked], rounds: int) -> dict[str, Any]:
    """CPU, wall and ranking of each system; of some rounds the least time counts, since load only adds to it."""
    found: dict[str, Any] = {}
    for name, system in systems.items():
        print(f"asking {name}", file=sys.stderr)
        system(questions[0])
        cpu, wall, rows = [], [], []
        for asked in questions:
            times = []
            for _ in range(rounds):
                started, used = time.perf_counter(), time.process_time()
                ranked = system(asked)
                times.append(((time.process_time() - used) * 1000, (time.perf_counter() - started) * 1000))
            cpu.append(min(times)[0])
            wall.append(min(w for _, w in times))
            rows.append(measures(asked, ranked))
        found[name] = {"cpu_ms": quantiles(cpu), "wall_ms": quantiles(wall), **mean_of(rows)}
    return found


def enlarged(chunks: Sequence[Chunk], vectors: np.ndarray, size: int) -> tuple[list[Chunk], np.ndarray]:
    """Passages up to a size: copies with their words in another order and vectors a little off, all different."""
    generator = np.random.default_rng(7)
    grown, rows = list(chunks), [vectors]
    while len(grown) < size:
        number = len(grown) // len(chunks)
        batch = list(chunks)[: size - len(grown)]
        for chunk in batch:
            words = chunk.text.split()
            generator.shuffle(words)
            grown.append(
                replace(
                    chunk,
                    chunk_id=f"{number}-{chunk.chunk_id}",
                    document_id=f"{number:02x}{chunk.document_id[2:]}",
                    text=f"{number} {' '.join(words)}",
                )
            )
        noisy = vectors[: len(batch)] + generator.normal(0, 0.02, (len(batch), vectors.shape[1])).astype(np.float32)
        rows.append(noisy / np.linalg.norm(noisy, axis=1, keepdims=True))
    return grown, np.concatenate(rows).astype(np.float32)


def cost_at(
    chunks: Sequence[Chunk], vectors: np.ndarray, questions: Sequence[Asked], embedder: Remembered, rounds: int
) -> dict[str, Any]:
    """All systems on one corpus."""
    whole = [replace(asked, scope=SearchScope()) for asked in questions]
    with corpus_home(chunks, vectors, str(embedder.identity)) as home, home.database.transaction() as connection:
        found = measured(systems_over(connection, chunks, vectors, embedder), whole, rounds)
    ratio = found["viska"]["cpu_ms"]["p50"] / max(0.01, found["llama_index"]["cpu_ms"]["p50"])
    return found | {"passages": len(chunks), "questions": len(whole), "cpu_ratio_to_llama_index": round(ratio, 4),
                    "load_average": round(os.getloadavg()[0], 2)}  # fmt: skip
