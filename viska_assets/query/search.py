"""Searching the vaults: passages by words and meaning, ranked by relevance, recency and confidence, each explained."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from viska_assets.engines.protocols import Embedder
from viska_assets.model.document import BlockKind
from viska_assets.model.span import Span
from viska_assets.query.errors import QueryError
from viska_assets.query.intents import intent_of
from viska_assets.query.library import Reader
from viska_assets.query.ranking import asks_for_newest, confidence_of, covered_by, factors_of, match_of, nearness
from viska_assets.query.results import (
    Dated,
    Decomposition,
    Explanation,
    Factors,
    Found,
    FoundIn,
    Hit,
    HitKind,
    Where,
)
from viska_assets.query.weights import CAP
from viska_assets.query.wording import Asked
from viska_assets.retrieval.query_terms import with_metric_names
from viska_assets.retrieval.search import Passage, SearchResult, hybrid_search
from viska_assets.store.embeddings import EmbeddingModel
from viska_assets.store.scope import UNTRUSTED, SearchScope
from viska_assets.store.searchable import searchable

DEFAULT_LIMIT = 10
# Beyond the limit, so that hits which age or standing lift have a place to come from.
SPARE = 5


@dataclass(frozen=True, slots=True)
class Index:
    """What a question is put to: the namespaces that hold anything, the embedder, and its embeddings on record."""

    namespaces: tuple[str, ...]
    embedder: Embedder | None
    model: EmbeddingModel | None


@dataclass(frozen=True)
class _Leg:
    """What one namespace gave."""

    namespace: str
    result: SearchResult


@dataclass(frozen=True, slots=True)
class _Rated:
    """A passage with what ranks it: its rank among those found with it, how it matches, and its factors."""

    passage: Passage
    rank: int
    covered: float
    near: float
    factors: Factors


def search(
    reader: Reader,
    question: str,
    *,
    scope: SearchScope | None = None,
    namespaces: Sequence[str] | None = None,
    limit: int = DEFAULT_LIMIT,
    pool: int | None = None,
) -> Found:
    """The best passages for a question in the namespaces that the reader may see.

    Args:
        reader: whose connection, engines and namespaces are used.
        question: as asked; at most 10,000 characters of it count.
        scope: further conditions (issuer, form, date, …); its namespace does not count.
        namespaces: which of the reader's namespaces are searched; all where not given.
        limit: how many hits at most, 50 at the greatest.
        pool: how many candidates are ranked; the same pool gives the same order whatever the limit.

    Raises:
        QueryError: for an empty question, a limit out of range, or a namespace that the reader may not see.
    """
    question = question[:10_000].replace("\0", " ")
    if not question.strip():
        raise QueryError("the question is empty", "ask for something")
    if not 1 <= limit <= CAP:
        raise QueryError(f"the limit {limit} is out of range", f"ask for 1 to {CAP} hits, and for more by the cursor")
    asked = Asked(question)
    wanted = max(limit, pool or limit + SPARE)
    visible = visible_namespaces(reader, namespaces)
    index = index_of(reader, visible)
    legs = [_Leg(name, _ask(reader, index, asked, scope, name, wanted)) for name in index.namespaces]
    groups = _same_texts(_ranked(reader, asked, scope, legs))
    hits = [_hit(*group) for group in groups[:limit]]
    degraded = tuple(sorted({part for leg in legs for part in leg.result.degraded}))
    counts: dict[str, int] = {}
    for leg in legs:
        for name, number in leg.result.legs.items():
            counts[name] = counts.get(name, 0) + number
    for hit in hits:
        reader.show(hit.where.namespace, hit.id)
    opened = tuple(name for name in visible if name in reader.private)
    explanation = Explanation(decompose(asked), visible, counts, degraded, opened)
    return Found(tuple(hits), explanation, max(0, len(groups) - limit))


def decompose(asked: Asked, entities: Sequence[str] = ()) -> Decomposition:
    """A question taken apart, as it is explained to the asker."""
    periods = tuple(_in_words(p.start, p.end) for p in asked.periods)
    intent = intent_of(asked.question)
    return Decomposition(
        tuple(dict.fromkeys(asked.all_terms)), intent.value, tuple(entities), tuple(asked.metrics), periods
    )


def _in_words(start: object, end: object) -> str:
    return f"{start} to {end}" if start else f"at {end}"


def visible_namespaces(reader: Reader, wanted: Sequence[str] | None) -> tuple[str, ...]:
    """The namespaces that a call may touch: those it names, or all that the reader may see.

    Raises:
        QueryError: for one that the reader may not see, in the same words whether it exists or not.
    """
    if wanted is None:
        return reader.namespaces
    if not wanted or any(name not in reader.namespaces for name in wanted):
        raise QueryError("no such namespace can be asked", f"name some of: {', '.join(reader.namespaces)}")
    return tuple(dict.fromkeys(wanted))


def index_of(reader: Reader, visible: Sequence[str]) -> Index:
    """What a question in some namespaces is put to: most vaults are empty, and asking them costs statements.

    Where nothing is held yet the first is asked all the same, so that engines that cannot be had are named.
    """
    embedder = reader.embedder()
    held, model = searchable(reader.connection, visible, str(embedder.identity) if embedder else "")
    return Index(held or tuple(visible[:1]), embedder, model)


def _ask(
    reader: Reader, index: Index, asked: Asked, scope: SearchScope | None, namespace: str, limit: int
) -> SearchResult:
    own = replace(scope, namespace=namespace) if scope else SearchScope(namespace)
    return hybrid_search(
        reader.connection,
        index.embedder,
        asked.question,
        own,
        limit,
        reranker=reader.reranker,
        terms=with_metric_names(asked.question, asked.all_terms, asked.metrics),
        model=index.model,
    )


def _ranked(reader: Reader, asked: Asked, scope: SearchScope | None, legs: Iterable[_Leg]) -> list[_Rated]:
    at = scope.known_at if scope and scope.known_at else reader.now
    newest = asks_for_newest(asked.question)
    terms = sorted(asked.terms) or list(asked.all_terms)
    found = []
    for leg in legs:
        greatest = leg.result.greatest_score or 1.0
        for rank, passage in enumerate(leg.result.passages, start=1):
            covered, near = covered_by(passage, terms), nearness(passage)
            factors = factors_of(
                passage.score / greatest,
                match_of(covered, near),
                passage.known_at,
                passage.authentication,
                at=at,
                ranking=reader.ranking,
                newest=newest,
                periods=asked.periods,
            )
            found.append(_Rated(passage, rank, covered, near, factors))
    # A place in the ranking is decided by the product, and by the id where two are equal.
    return sorted(found, key=lambda rated: (-rated.factors.score, f"chunk:{rated.passage.chunk_id}"))


def _same_texts(ranked: Sequence[_Rated]) -> list[list[_Rated]]:
    """The passages with those of the same text behind the best of them."""
    groups: dict[str, list[_Rated]] = {}
    for rated in ranked:
        groups.setdefault(rated.passage.text, []).append(rated)
    return list(groups.values())


def _hit(best: _Rated, *others: _Rated) -> Hit:
    """The hit of a passage, with the places of the others that say the same."""
    passage = best.passage
    remarks = ["the sender is not authenticated"] if passage.authentication in UNTRUSTED else []
    remarks += [f"a figure in it is superseded: viska://chunk/{newer}" for newer in passage.superseded_by]
    also_at = list(_duplicates(passage))
    for other in others:
        also_at += [_where(other.passage), *_duplicates(other.passage)]
    return Hit(
        id=f"chunk:{passage.chunk_id}",
        kind=HitKind.TABLE if passage.kind == BlockKind.TABLE else HitKind.PASSAGE,
        found_in=FoundIn.VAULT,
        where=_where(passage),
        text=passage.text,
        date=Dated(passage.known_at),
        contributor=passage.asserter or "unknown sender",
        confidence=confidence_of(best.covered, best.near, best.rank, best.factors.confidence),
        factors=best.factors,
        ranks=passage.ranks,
        also_at=tuple(also_at),
        remarks=tuple(remarks),
    )


def _where(passage: Passage) -> Where:
    return Where(
        uri=f"viska://chunk/{passage.chunk_id}",
        namespace=passage.namespace,
        title=passage.document,
        document_id=passage.document_id,
        span=Span(passage.start, passage.end),
        page=passage.page,
    )


def _duplicates(passage: Passage) -> Iterable[Where]:
    return (Where(f"viska://chunk/{other}", passage.namespace, "") for other in passage.duplicates)
