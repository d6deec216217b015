"""Working off the embedding backlog of the active model, batch by batch, each batch a transaction."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from viska_assets.engines.protocols import Embedder
from viska_assets.retrieval.embedding_text import embedding_text
from viska_assets.store.database import Database
from viska_assets.store.search import chunks_without_embedding, embedding_backlog, write_embeddings

BATCH = 256


@dataclass(frozen=True)
class EmbeddingRun:
    """What one run embedded and what is left."""

    embedded: int
    tokens: int
    seconds: float
    backlog: int


def embed_backlog(
    database: Database,
    embedder: Embedder,
    *,
    limit: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> EmbeddingRun:
    """Embeds chunks that the active model has not seen, until none or ``limit`` are done.

    Args:
        database: where chunks and embeddings live.
        embedder: the active model.
        limit: how many chunks at most in this run.
        progress: called with the number of chunks done so far.
    """
    identity = embedder.identity
    model, dimension = str(identity), identity.dimension
    done = tokens = 0
    started = perf_counter()
    while limit is None or done < limit:
        with database.transaction() as connection:
            size = BATCH if limit is None else min(BATCH, limit - done)
            batch = chunks_without_embedding(connection, model, dimension, size)
        if not batch:
            break
        texts = [embedding_text(prefix, text, kind) for _, prefix, text, kind in batch]
        vectors = embedder.embed_passages(texts)
        with database.transaction() as connection:
            write_embeddings(connection, model, [row[0] for row in batch], vectors)
        done += len(batch)
        tokens += sum(min(embedder.count_tokens(text), 256) for text in texts)
        progress(done)
    with database.transaction() as connection:
        backlog = embedding_backlog(connection, model, dimension)
    return EmbeddingRun(done, tokens, perf_counter() - started, backlog)
