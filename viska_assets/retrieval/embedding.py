"""Working off a model's embedding backlog, each batch a transaction, and which model answers searches."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from viska_assets.engines.catalogue import load_embedder
from viska_assets.engines.protocols import Embedder, EngineError
from viska_assets.retrieval.embedding_text import embedding_text
from viska_assets.store.database import Database
from viska_assets.store.embeddings import (
    active_model,
    build_index,
    chunks_without_embedding,
    embedding_backlog,
    register_model,
    settle_model,
    write_embeddings,
)

BATCH = 256


@dataclass(frozen=True)
class EmbeddingRun:
    """What one run embedded and what is left; ``switched`` says that searches use this model from now on."""

    embedded: int
    tokens: int
    seconds: float
    backlog: int
    model: str
    switched: bool = False


def embed_backlog(
    database: Database,
    embedder: Embedder,
    *,
    engine: str = "",
    limit: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> EmbeddingRun:
    """Embeds chunks that the model has not seen, until none or ``limit`` are done.

    A text is embedded once, whichever chunks it stands in. A model that catches up for the first time is indexed and
    takes over from the one that answered searches until then; a run that ends before that changes nothing for them.

    Args:
        database: where chunks and embeddings live.
        embedder: the model.
        engine: the name by which settings load it, kept with its embeddings.
        limit: how many chunks at most in this run.
        progress: called with the number of chunks done so far.
    """
    identity = embedder.identity
    model, dimension = str(identity), identity.dimension
    done = tokens = 0
    started = perf_counter()
    with database.transaction() as connection:
        register_model(connection, model, dimension, engine)
    while limit is None or done < limit:
        with database.transaction() as connection:
            size = BATCH if limit is None else min(BATCH, limit - done)
            batch = chunks_without_embedding(connection, model, dimension, size)
        if not batch:
            break
        read = [embedding_text(prefix, text, kind) for _, prefix, text, kind in batch]
        texts = list(dict.fromkeys(read))
        places = {text: at for at, text in enumerate(texts)}
        vectors = embedder.embed_passages(texts)[[places[text] for text in read]]
        with database.transaction() as connection:
            write_embeddings(connection, model, [row[0] for row in batch], vectors)
        done += len(batch)
        tokens += sum(min(embedder.count_tokens(text), 256) for text in texts)
        progress(done)
    seconds = perf_counter() - started
    with database.transaction() as connection:
        backlog = embedding_backlog(connection, model, dimension)
    switched = backlog == 0 and _take_over(database, model)
    return EmbeddingRun(done, tokens, seconds, backlog, model, switched)


def catch_up(
    database: Database,
    configured: str,
    *,
    load: Callable[[str], Embedder] = load_embedder,
    progress: Callable[[int], None] = lambda _: None,
) -> EmbeddingRun:
    """Embeds what the configured engine has not seen; first, where another model answers searches still, for that one.

    Args:
        database: where chunks and embeddings live.
        configured: the engine that settings name.
        load: how an engine is loaded.
        progress: called with the number of chunks done so far, from 0 for each model.

    Returns:
        The run of the configured engine.

    Raises:
        EngineError: where the configured engine cannot be loaded. An old one that cannot is left behind with a warning.
    """
    answering = searching_engine(database, configured)
    if answering != configured:
        try:
            embed_backlog(database, load(answering), engine=answering, progress=progress)
        except EngineError as error:
            logging.getLogger(__name__).warning("new documents are not searched by meaning until the switch: %s", error)
    return embed_backlog(database, load(configured), engine=configured, progress=progress)


def _take_over(database: Database, model: str) -> bool:
    """Indexes a model that has caught up and lets it answer searches; says whether that is new."""
    with database.transaction() as connection:
        build_index(connection, model)
    with database.transaction() as connection:
        before = active_model(connection)
        settled = settle_model(connection, model)
        return settled and before is not None and before.model != model


def searching_engine(database: Database, configured: str) -> str:
    """The engine whose embeddings answer searches: the active model's, or the configured one before there is any."""
    with database.transaction() as connection:
        active = active_model(connection)
    return active.engine if active and active.engine else configured


def searching_embedder(database: Database, configured: str) -> Embedder:
    """The embedder that questions are to be embedded with; while another model is catching up, still the old one.

    Args:
        database: where the embeddings live.
        configured: the engine that settings name.

    Raises:
        EngineError: where it cannot be loaded.
    """
    return load_embedder(searching_engine(database, configured))
