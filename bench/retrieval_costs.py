"""What searching and embedding cost: CPU at 2,000 chunks, tokens per CPU-second, seconds from landing to found."""

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.maintainer import receive
from bench.packs import read_lines
from bench.relevance import Asked, Chunk, read_chunks
from bench.retrieval_systems import Answered, Remembered, ask_all, peer_systems, quantiles, viska_systems
from viska_assets.engines.catalogue import EMBEDDERS, load_embedder
from viska_assets.engines.minilm import WINDOW
from viska_assets.engines.protocols import Embedder, EngineError
from viska_assets.retrieval.analyser import terms_of
from viska_assets.retrieval.embedding import embed_backlog
from viska_assets.store.blobs import content_hash
from viska_assets.store.home import Home
from viska_assets.store.search import SearchScope, dense_search, lexical_search, write_embeddings
from viska_assets.store.server import EmbeddedServer
from viska_assets.store.settings import Settings

SMALL = 2000
LANDING_PAGES = 100
SAMPLE = 48
ROUNDS = 3


@dataclass(frozen=True)
class Corpus:
    """The pack as the benchmark holds it."""

    pack: Path
    chunks: dict[str, list[Chunk]]
    vectors: dict[str, np.ndarray]


def costs(corpus: Corpus, questions: Sequence[Asked], embedder: Embedder, asked: Remembered) -> dict[str, Any]:
    """CPU and wall at 2,000 chunks, and the landing of a long filing, in a home of their own."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Home(Settings(home=Path(scratch)))
        try:
            landing = _longest_of(corpus)
            chosen = _documents_up_to(corpus, SMALL, without=landing)
            receive(home, [_path_of(corpus.pack)[document] for document in chosen])
            found = _at_2000(home, corpus, questions, asked)
            return found | {"landing": _land(home, corpus, landing, embedder)}
        finally:
            home.close()
            EmbeddedServer(Path(scratch)).stop()


def _path_of(pack: Path) -> dict[str, Path]:
    paths = [pack / entry["path"] for entry in read_lines(pack / "manifest.jsonl")]
    return {content_hash(path.read_bytes()): path for path in paths}


def _documents_up_to(corpus: Corpus, chunks: int, without: str) -> list[str]:
    """Documents in the order of their hashes, as many as fit."""
    chosen: list[str] = []
    total = 0
    for document, held in sorted(corpus.chunks.items()):
        if document != without and total + len(held) <= chunks:
            chosen.append(document)
            total += len(held)
    return chosen


def _longest_of(corpus: Corpus) -> str:
    """The paged filing whose length is nearest to 100 pages."""

    def distance(document: str) -> int:
        return abs(max((chunk.page or 0) for chunk in corpus.chunks[document]) - LANDING_PAGES)

    return min(sorted(corpus.chunks), key=distance)


def _at_2000(home: Home, corpus: Corpus, questions: Sequence[Asked], asked: Remembered) -> dict[str, Any]:
    with home.database.transaction() as connection:
        chunks = [chunk for group in read_chunks(connection).values() for chunk in group]
        ids = [chunk.chunk_id for chunk in chunks if chunk.chunk_id in corpus.vectors]
        vectors = np.stack([corpus.vectors[chunk_id] for chunk_id in ids])
        write_embeddings(connection, str(asked.identity), ids, vectors)
    with home.database.transaction() as connection:
        connection.execute("ANALYZE")
        whole = [question for question in questions if question.self_contained]
        systems = viska_systems(connection, asked, None) | peer_systems(chunks, corpus.vectors, asked)
        answered: dict[str, list[Answered]] = {name: ask_all(system, whole, ROUNDS) for name, system in systems.items()}
    return {
        "chunks": len(chunks),
        "cpu_ms": {name: quantiles([a.cpu_ms for a in found]) for name, found in answered.items()},
        "wall_ms": {name: quantiles([a.wall_ms for a in found]) for name, found in answered.items()},
    }


def _land(home: Home, corpus: Corpus, document: str, embedder: Embedder) -> dict[str, Any]:
    """Seconds from a filing's landing until its own words find it, and until its vectors do."""
    probe = max(corpus.chunks[document], key=lambda chunk: len(chunk.text))
    scope = SearchScope()
    started, cpu = time.perf_counter(), time.process_time()
    receive(home, [_path_of(corpus.pack)[document]])
    with home.database.transaction() as connection:
        lexical = lexical_search(connection, terms_of(probe.text[:300]), scope, 5)
    lexical_seconds, lexical_cpu = time.perf_counter() - started, time.process_time() - cpu
    run = embed_backlog(home.database, embedder)
    vector = embedder.embed_query(probe.text[:300])
    with home.database.transaction() as connection:
        dense = dense_search(connection, str(embedder.identity), vector, scope, 5)
    return {
        "pages": max(chunk.page or 0 for chunk in corpus.chunks[document]),
        "chunks": len(corpus.chunks[document]),
        "tokens": run.tokens,
        "lexical_seconds": round(lexical_seconds, 2),
        "dense_seconds": round(time.perf_counter() - started, 2),
        "lexical_cpu_seconds": round(lexical_cpu, 2),
        "dense_cpu_seconds": round(time.process_time() - cpu, 2),
        "found": [probe.chunk_id in {hit.chunk_id for hit in hits} for hits in (lexical, dense)],
        "load_average": round(os.getloadavg()[0], 2),
    }


def throughput(chunks: Sequence[Chunk]) -> dict[str, Any]:
    """Tokens per CPU-second of every embedder that runs here, over the same passages; each counts its own tokens."""
    sample = [chunk.embedded for chunk in chunks[:: max(1, len(chunks) // SAMPLE)]][:SAMPLE]
    found: dict[str, Any] = {}
    for name in EMBEDDERS:
        try:
            embedder = load_embedder(name)
            embedder.embed_query("warm")
        except EngineError as error:
            found[name] = {"error": str(error)}
            continue
        cpu, wall = time.process_time(), time.perf_counter()
        embedder.embed_passages(sample)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        window = WINDOW - 2 if name == "minilm-int8" else sys.maxsize
        tokens = sum(min(embedder.count_tokens(text), window) for text in sample)
        found[name] = {"tokens_per_cpu_s": round(tokens / cpu), "tokens_per_s": round(tokens / wall), "tokens": tokens}
    return found
