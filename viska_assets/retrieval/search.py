"""Hybrid search: both legs in one scope, fused, with every hit's place in its document."""

import logging
from dataclasses import dataclass
from datetime import datetime

import psycopg

from viska_assets.engines.protocols import Embedder, EngineError
from viska_assets.retrieval.analyser import terms_of
from viska_assets.retrieval.fusion import reciprocal_rank_fusion
from viska_assets.store.database import Connection
from viska_assets.store.search import SearchScope, dense_search, lexical_search

LEG_DEPTH = 60
# Equal weights until bench/retrieval.py has chosen others on a pack.
LEG_WEIGHTS = {"bm25": 1.0, "dense": 1.0}


@dataclass(frozen=True)
class Passage:
    """A found chunk: its text, where it stands and why it was found."""

    chunk_id: str
    document_id: str
    document: str
    text: str
    prefix: str
    start: int
    end: int
    page: int | None
    known_at: datetime
    authentication: str
    score: float
    ranks: dict[str, int]


@dataclass(frozen=True)
class SearchResult:
    """Passages, best first, and the legs that could not be asked."""

    passages: tuple[Passage, ...]
    degraded: tuple[str, ...]


def hybrid_search(
    connection: Connection, embedder: Embedder | None, query: str, scope: SearchScope, limit: int = 10
) -> SearchResult:
    """The best passages for a question.

    Args:
        connection: read access to the retrieval tier.
        embedder: the active model; None searches by words only and reports the dense leg as degraded.
        query: the question as asked.
        scope: which chunks may be found.
        limit: how many passages at most.
    """
    legs = {"bm25": [hit.chunk_id for hit in lexical_search(connection, terms_of(query), scope, LEG_DEPTH)]}
    degraded: list[str] = []
    try:
        legs["dense"] = _dense_leg(connection, embedder, query, scope)
    except EngineError as error:
        logging.getLogger(__name__).warning("the dense leg is out: %s", error)
        degraded.append("dense")
    fused = reciprocal_rank_fusion(legs, LEG_WEIGHTS)[:limit]
    ranks = {leg: {chunk: rank for rank, chunk in enumerate(found, start=1)} for leg, found in legs.items()}
    return SearchResult(_passages(connection, fused, ranks), tuple(degraded))


def _dense_leg(connection: Connection, embedder: Embedder | None, query: str, scope: SearchScope) -> list[str]:
    if embedder is None:
        raise EngineError("no embedder is active")
    vector = embedder.embed_query(query)
    hits = dense_search(connection, str(embedder.identity), vector, scope, LEG_DEPTH)
    return [hit.chunk_id for hit in hits]


def _passages(
    connection: psycopg.Connection[tuple[object, ...]],
    fused: list[tuple[str, float]],
    ranks: dict[str, dict[str, int]],
) -> tuple[Passage, ...]:
    rows = connection.execute(
        """
        SELECT c.chunk_id, c.document_id, d.name, c.text, c.prefix, c.start_char, c.end_char, c.page, d.known_at,
            d.authentication
        FROM retrieval.chunk c JOIN raw.document d USING (document_id) WHERE c.chunk_id = ANY(%s)
        """,
        ([chunk_id for chunk_id, _ in fused],),
    )
    found = {row[0]: row for row in rows}
    return tuple(
        Passage(
            *found[chunk_id],  # type: ignore[arg-type]
            score=score,
            ranks={leg: places[chunk_id] for leg, places in ranks.items() if chunk_id in places},
        )
        for chunk_id, score in fused
        if chunk_id in found
    )
