"""The lexical leg: exact Okapi BM25 over the posting lists, read from Postgres and summed here."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log

import numpy as np

from viska_assets.store.database import Connection
from viska_assets.store.hit import Hit
from viska_assets.store.postings import Integers, Scores, add_scores, unpack
from viska_assets.store.scope import SearchScope, scope_condition

K1 = 1.5
B = 0.75
MATCHED = 1e-300  # weighs a term of no weight (in half of the chunks), whose chunks are found all the same
EPSILON = 0.25  # floor of a negative idf, as a share of the mean idf (rank-bm25's BM25Okapi)


@dataclass(frozen=True)
class _Query:
    """A query in numbers: the weight of each term that occurs, and the mean length of a chunk."""

    weights: dict[int, float]
    mean_length: float


@dataclass
class _Segment:
    """What a search reads of one segment; ``admitted`` is None where all chunks but the ``hidden`` are."""

    lengths: bytes = b""
    lists: dict[int, bytes] = field(default_factory=dict)
    admitted: list[bytes] | None = None
    hidden: list[bytes] = field(default_factory=list)


def lexical_search(connection: Connection, terms: Sequence[str], scope: SearchScope, limit: int) -> list[Hit]:
    """The best chunks by Okapi BM25 (Robertson and Zaragoza 2009) with rank-bm25's floor for common terms.

    Args:
        connection: for three statements or four.
        terms: the analysed query; a repeated term counts as often as it stands.
        scope: which chunks may be found. Term statistics are those of the whole namespace.
        limit: how many hits at most.

    Returns:
        Hits, best first, equal scores in the order of the ids.
    """
    query = _weigh(connection, Counter(terms), scope.namespace)
    if not query.weights or limit < 1:
        return []
    while True:
        best = _Best(limit)
        for number, segment in sorted(_read(connection, list(query.weights), scope).items()):
            if segment.lists:
                best.add(number, _scores(query, segment))
        hits = _named(connection, best, limit)
        if hits is not None:
            return hits


def _weigh(connection: Connection, terms: Counter[str], namespace: str) -> _Query:
    """Idf times the count in the query, for the terms that occur at all."""
    rows = connection.execute(
        """
        SELECT t.term, t.term_no, t.df, c.chunks, c.terms
        FROM retrieval.term t JOIN retrieval.corpus c USING (namespace)
        WHERE t.namespace = %s AND t.term = ANY(%s) AND t.df > 0
        """,
        (namespace, list(terms)),
    ).fetchall()
    if not rows:
        return _Query({}, 1.0)
    _, _, _, chunks, length = rows[0]
    idfs = {term: log(chunks - df + 0.5) - log(df + 0.5) for term, _, df, _, _ in rows}
    floor = EPSILON * _mean_idf(connection, namespace, chunks) if min(idfs.values()) < 0 else 0.0
    weights = {number: terms[term] * (idfs[term] if idfs[term] >= 0 else floor) or MATCHED for term, number, *_ in rows}
    return _Query(weights, length / chunks)


def _mean_idf(connection: Connection, namespace: str, chunks: int) -> float:
    """The mean idf over all terms of the namespace, from how many terms have each document frequency."""
    row = connection.execute(
        """
        SELECT sum(terms * (ln(%(chunks)s - df + 0.5::float8) - ln(df + 0.5::float8))) / sum(terms)::float8
        FROM retrieval.document_frequency WHERE namespace = %(namespace)s AND terms > 0
        """,
        {"chunks": chunks, "namespace": namespace},
    ).fetchone()
    return float(row[0]) if row and row[0] is not None else 0.0


_LENGTHS, _ADMITTED, _HIDDEN = -1, -2, -3

_WHOLE = f"""
    SELECT segment_no, {_LENGTHS}::int8, lengths FROM retrieval.segment WHERE namespace = %(namespace)s
    UNION ALL
    SELECT p.segment_no, p.term_no, p.postings
    FROM retrieval.segment s JOIN retrieval.posting_list p USING (segment_no)
    WHERE s.namespace = %(namespace)s AND p.term_no = ANY(%(numbers)s)
    UNION ALL
    SELECT segment_no, {_HIDDEN}, ordinals FROM retrieval.segment_document WHERE removed
    UNION ALL
    SELECT p.segment_no, {_HIDDEN}, p.ordinals
    FROM raw.document d JOIN retrieval.segment_document p USING (document_id) WHERE d.withdrawn
"""  # noqa: S608


def _within(condition: str) -> str:
    return f"""
        WITH admitted AS MATERIALIZED (
            SELECT s.segment_no, s.lengths, p.ordinals
            FROM raw.document d JOIN retrieval.segment_document p USING (document_id)
            JOIN retrieval.segment s USING (segment_no)
            WHERE s.namespace = %(namespace)s AND NOT p.removed AND {condition}
        ), touched AS MATERIALIZED (SELECT DISTINCT ON (segment_no) segment_no, lengths FROM admitted)
        SELECT segment_no, {_ADMITTED}::int8, ordinals FROM admitted
        UNION ALL
        SELECT segment_no, {_LENGTHS}, lengths FROM touched
        UNION ALL
        SELECT p.segment_no, p.term_no, p.postings FROM touched t JOIN retrieval.posting_list p USING (segment_no)
        WHERE p.term_no = ANY(%(numbers)s)
    """  # noqa: S608


def _read(connection: Connection, numbers: Sequence[int], scope: SearchScope) -> dict[int, _Segment]:
    """Lengths and lists of the segments, and which chunks of them count, in one statement: one state of the index."""
    condition, values = scope_condition(scope)
    statement = _WHOLE if scope.is_whole_namespace else _within(condition)
    rows = connection.cursor(binary=True).execute(statement, values | {"numbers": list(numbers)})
    segments: dict[int, _Segment] = {}
    for number, kind, data in rows:
        segment = segments.setdefault(number, _Segment())
        if kind == _LENGTHS:
            segment.lengths = data
        elif kind == _HIDDEN:
            segment.hidden.append(data)
        elif kind == _ADMITTED:
            segment.admitted = [*(segment.admitted or []), data]
        else:
            segment.lists[kind] = data
    return segments


def _scores(query: _Query, segment: _Segment) -> Scores:
    """The scores of a segment's chunks by ordinal; 0 where none of the terms stands, or the chunk may not be found."""
    lengths = np.frombuffer(segment.lengths, ">i4").astype(np.float64)
    norms = K1 * (1 - B) + (K1 * B / query.mean_length) * lengths
    scores = np.zeros(len(lengths))
    # In the order of the terms, so that equal chunks of different segments get equal sums.
    weighted = ((query.weights[number] * (K1 + 1), segment.lists[number]) for number in sorted(segment.lists))
    add_scores(scores, weighted, norms)
    if segment.admitted is not None:
        admitted = np.zeros(len(scores), bool)
        for ordinals in segment.admitted:
            admitted[unpack(ordinals, 2)] = True
        scores[~admitted] = 0
    for ordinals in segment.hidden:
        scores[unpack(ordinals, 2)] = 0
    return scores


class _Best:
    """The best chunks so far by segment and ordinal, with all that are level with the last of them."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._least = -np.inf
        self.segments: Integers = np.empty(0, np.int64)
        self.ordinals: Integers = np.empty(0, np.int64)
        self.scores: Scores = np.empty(0)

    def add(self, segment: int, scores: Scores) -> None:
        """Takes the scores of a segment in, those that are not 0."""
        found = np.flatnonzero(scores >= self._least if self._least > 0 else scores)
        found = found[scores[found] >= self._least]
        self.segments = np.append(self.segments, np.full(len(found), segment))
        self.ordinals = np.append(self.ordinals, found)
        self.scores = np.append(self.scores, scores[found])
        if len(self.scores) > self._limit:
            self._least = np.partition(self.scores, -self._limit)[-self._limit]
            keep = self.scores >= self._least
            self.segments, self.ordinals, self.scores = self.segments[keep], self.ordinals[keep], self.scores[keep]


def _named(connection: Connection, best: _Best, limit: int) -> list[Hit] | None:
    """The hits by their chunks' ids, or None where a merge has taken one of their segments away meanwhile."""
    rows = connection.execute(
        """
        SELECT s.segment_no, c.chunk_id, b.score
        FROM unnest(%s::int8[], %s::int4[], %s::float8[]) AS b (segment_no, ordinal, score)
        LEFT JOIN retrieval.segment s USING (segment_no)
        LEFT JOIN retrieval.chunk c ON c.chunk_no =
            ('x' || encode(substring(s.chunk_nos FROM 8 * b.ordinal + 1 FOR 8), 'hex'))::bit(64)::bigint
        ORDER BY s.segment_no IS NOT NULL, b.score DESC, c.chunk_id LIMIT %s
        """,
        (best.segments.tolist(), best.ordinals.tolist(), best.scores.tolist(), limit),
    ).fetchall()
    if any(segment is None for segment, _, _ in rows):
        return None
    return [Hit(chunk_id, score) for _, chunk_id, score in rows if chunk_id is not None]
