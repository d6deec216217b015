"""Hybrid search: both legs, their fusion, a second reading of the best; each passage with its place."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import psycopg

from viska_assets.engines.protocols import Embedder, EngineError, Reranker
from viska_assets.retrieval.fusion import FusionProfile, Ranking, fuse, greatest_score
from viska_assets.retrieval.near_duplicates import group_near_duplicates
from viska_assets.retrieval.profiles import profile_of
from viska_assets.retrieval.query_terms import query_terms
from viska_assets.retrieval.rerank import DEPTH, rerank
from viska_assets.store.database import Connection
from viska_assets.store.embeddings import EmbeddingModel
from viska_assets.store.passages import PlacedChunk, StoredPassage, read_passages
from viska_assets.store.savepoint import savepoint
from viska_assets.store.search import Hit, SearchScope, dense_search, lexical_search

LEG_DEPTH = 60
# Passages read beyond the limit, so that collapsed ones are made up for.
SPARE = 5

Legs = dict[str, Ranking]


@dataclass(frozen=True)
class Passage(PlacedChunk):
    """A found chunk: its text, where it stands and why it was found.

    ``resource`` is the document's page in the bundle, empty where none is written yet; with the chunk and the hash of
    its text it is what a citation names. ``duplicates`` are the ids of passages that say the same with the same numbers
    and were left out for this one, ``superseded_by`` those of passages that supersede a figure of this one.
    """

    resource: str
    text_sha256: str
    score: float
    ranks: dict[str, int]
    leg_scores: dict[str, float]
    duplicates: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class SearchResult:
    """Passages, best first, and the parts of the search that could not be asked: bm25, dense, reranker.

    ``legs`` says how many chunks each leg found, ``greatest_score`` what a chunk scores that is the first of every leg.
    """

    passages: tuple[Passage, ...]
    degraded: tuple[str, ...]
    legs: dict[str, int]
    greatest_score: float


def hybrid_search(
    connection: Connection,
    embedder: Embedder | None,
    query: str,
    scope: SearchScope,
    limit: int = 10,
    *,
    reranker: Reranker | None = None,
    profile: FusionProfile | None = None,
    terms: Sequence[str] | None = None,
    model: EmbeddingModel | None = None,
) -> SearchResult:
    """The best passages for a question.

    Args:
        connection: read access to the retrieval tier.
        embedder: the active model; None searches by words only and reports the dense leg as degraded.
        query: the question as asked.
        scope: which chunks may be found.
        limit: how many passages at most.
        reranker: who reads the best passages again; None leaves the fusion's order.
        profile: how the legs are joined; the embedder's own where not given.
        terms: what the words are looked up by, where the caller has analysed the question before.
        model: the embedder's embeddings on record, where the caller has read them in this transaction.
    """
    if terms is None:
        terms = query_terms(query)
    legs, degraded = _ask_legs(
        connection,
        {
            "bm25": lambda: lexical_search(connection, terms, scope, LEG_DEPTH),
            "dense": lambda: _dense_leg(connection, embedder, model, query, scope),
        },
    )
    if profile is None:
        profile = profile_of(embedder.identity.name if embedder and "dense" in legs else None)
    ranking = fuse(legs, profile)
    stored: dict[str, StoredPassage] = {}
    if reranker is not None:
        ranking = _read(connection, ranking[: max(limit + SPARE, DEPTH)], stored, scope.known_at)
        try:
            ranking = _reranked(query, ranking, stored, legs, reranker)
        except EngineError as error:
            _warn("reranker", error)
            degraded.append("reranker")
    kept = _grouped(connection, ranking, stored, limit, scope.known_at)
    if len(kept) < limit < len(ranking):
        kept = _grouped(connection, ranking, stored, limit + SPARE, scope.known_at)[:limit]
    passages = tuple(_passages(kept, legs))
    counts = {leg: len(hits) for leg, hits in legs.items()}
    return SearchResult(passages, tuple(degraded), counts, greatest_score(profile))


def _ask_legs(connection: Connection, asked: Mapping[str, Callable[[], list[Hit]]]) -> tuple[Legs, list[str]]:
    """What each leg found, and which legs are dead. A dead leg leaves the transaction usable for the other."""
    legs: Legs = {}
    degraded = []
    with savepoint(connection) as back:
        for name, ask in asked.items():
            try:
                legs[name] = ask()
            except (EngineError, psycopg.OperationalError) as error:
                if connection.broken:
                    raise
                back()
                _warn(f"{name} leg", error)
                degraded.append(name)
    return legs, degraded


def _warn(what: str, error: Exception) -> None:
    logging.getLogger(__name__).warning("the %s is out: %s", what, error)


def _dense_leg(
    connection: Connection, embedder: Embedder | None, model: EmbeddingModel | None, query: str, scope: SearchScope
) -> list[Hit]:
    if embedder is None:
        raise EngineError("no embedder is active")
    vector = embedder.embed_query(query)
    return dense_search(connection, model or str(embedder.identity), vector, scope, LEG_DEPTH)


def _read(connection: Connection, ranking: Ranking, stored: dict[str, StoredPassage], at: datetime | None) -> Ranking:
    """The part of a ranking that still exists, its passages put into ``stored`` where they are not there yet."""
    missing = [chunk_id for chunk_id, _ in ranking if chunk_id not in stored]
    if missing:
        stored |= read_passages(connection, missing, at)
    return [hit for hit in ranking if hit[0] in stored]


def _reranked(
    query: str, ranking: Ranking, stored: dict[str, StoredPassage], legs: Legs, reranker: Reranker
) -> Ranking:
    """The ranking with its head in a new order; the tail follows with its own."""
    head, tail = ranking[:DEPTH], ranking[DEPTH:]
    texts = [(chunk_id, f"{stored[chunk_id].prefix}\n{stored[chunk_id].text}") for chunk_id, _ in head]
    return rerank(query, texts, legs, reranker) + tail


def _grouped(
    connection: Connection, ranking: Ranking, stored: dict[str, StoredPassage], depth: int, at: datetime | None
) -> list[list[tuple[StoredPassage, float]]]:
    """The head of a ranking with its scores, near-duplicates behind the best of their kind."""
    found = [(stored[chunk_id], score) for chunk_id, score in _read(connection, ranking[:depth], stored, at)]
    # What another issuer says, of another period or from a sender of another standing, is another statement.
    texts = [((chunk.entity, chunk.period_end, chunk.authentication), chunk.text) for chunk, _ in found]
    return [[found[at] for at in group] for group in group_near_duplicates(texts)]


def _passages(groups: Iterable[list[tuple[StoredPassage, float]]], legs: Legs) -> Iterable[Passage]:
    """The passages of groups, each with its rank and score in every leg that found it."""
    places = {leg: {hit[0]: (rank, hit[1]) for rank, hit in enumerate(hits, 1)} for leg, hits in legs.items()}
    for (chunk, score), *others in groups:
        own = {leg: place[chunk.chunk_id] for leg, place in places.items() if chunk.chunk_id in place}
        yield _passage(chunk, score, own, tuple(other.chunk_id for other, _ in others))


def _passage(
    stored: StoredPassage, score: float, own: dict[str, tuple[int, float]], duplicates: tuple[str, ...]
) -> Passage:
    return Passage(
        chunk_id=stored.chunk_id,
        document_id=stored.document_id,
        document=stored.document,
        text=stored.text,
        prefix=stored.prefix,
        kind=stored.kind,
        start=stored.start,
        end=stored.end,
        page=stored.page,
        known_at=stored.known_at,
        authentication=stored.authentication,
        asserter=stored.asserter,
        namespace=stored.namespace,
        resource=f"/{stored.source_concept}.md" if stored.source_concept else "",
        text_sha256=stored.text_sha256,
        score=score,
        ranks={leg: rank for leg, (rank, _) in own.items()},
        leg_scores={leg: found for leg, (_, found) in own.items()},
        duplicates=duplicates,
        superseded_by=stored.superseded_by,
    )
