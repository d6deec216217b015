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
        connection: for two statements.
        terms: the analysed query; a repeated term counts as often as it stands.
        scope: which chunks may be found. Term statistics are those of the whole namespace.
        limit: how many hits at most.

    Returns:
        Hits, best first, equal scores in the order of the ids.
    """
    counted = Counter(terms)
    if not counted or limit < 1:
        return []
    while True:
        query, segments = _read(connection, counted, scope)
        best = _Best(limit)
        for number, segment in sorted(segments.items()):
            if segment.lists:
                best.add(number, _scores(query, segment))
        hits = _named(connection, best, limit)
        if hits is not None:
            return hits


_TERM, _LENGTHS, _ADMITTED, _HIDDEN = -4, -1, -2, -3

# The floor of a negative idf is a share of the mean idf over all terms of the namespace. That is summed up, from how
# many terms have each document frequency, only where a term of the query stands in more than half of the chunks; it
# refers to nothing outside itself, so that it is summed up once and not for every term.
_KNOWN = """
    known AS MATERIALIZED (
        SELECT t.term, t.term_no, t.df, c.chunks, c.terms, CASE WHEN 2 * max(t.df) OVER () > c.chunks THEN (
            SELECT sum(f.terms * (ln(k.chunks - f.df + 0.5::float8) - ln(f.df + 0.5::float8))) / sum(f.terms)::float8
            FROM retrieval.document_frequency f JOIN retrieval.corpus k USING (namespace)
            WHERE f.namespace = %(namespace)s AND f.terms > 0
        ) END AS mean_idf
        FROM retrieval.term t JOIN retrieval.corpus c USING (namespace)
        WHERE t.namespace = %(namespace)s AND t.term = ANY(%(words)s) AND t.df > 0
    )
"""
_TERMS = f"SELECT term_no, {_TERM}::int8, NULL::bytea, term, df, chunks, terms, mean_idf FROM known"  # noqa: S608
_NO_TERM = "NULL, NULL, NULL, NULL, NULL"
_WANTED = "p.term_no = ANY(ARRAY(SELECT term_no FROM known))"

_WHOLE = f"""
    WITH {_KNOWN}
    {_TERMS}
    UNION ALL
    SELECT segment_no, {_LENGTHS}, lengths, {_NO_TERM} FROM retrieval.segment WHERE namespace = %(namespace)s
    UNION ALL
    SELECT p.segment_no, p.term_no, p.postings, {_NO_TERM}
    FROM retrieval.segment s JOIN retrieval.posting_list p USING (segment_no)
    WHERE s.namespace = %(namespace)s AND {_WANTED}
    UNION ALL
    SELECT segment_no, {_HIDDEN}, ordinals, {_NO_TERM} FROM retrieval.segment_document WHERE removed
    UNION ALL
    SELECT p.segment_no, {_HIDDEN}, p.ordinals, {_NO_TERM}
    FROM raw.document d JOIN retrieval.segment_document p USING (document_id) WHERE d.withdrawn
"""  # noqa: S608


def _within(condition: str) -> str:
    return f"""
        WITH {_KNOWN}, admitted AS MATERIALIZED (
            SELECT s.segment_no, s.lengths, p.ordinals
            FROM raw.document d JOIN retrieval.segment_document p USING (document_id)
            JOIN retrieval.segment s USING (segment_no)
            WHERE s.namespace = %(namespace)s AND NOT p.removed AND {condition}
        ), touched AS MATERIALIZED (SELECT DISTINCT ON (segment_no) segment_no, lengths FROM admitted)
        {_TERMS}
        UNION ALL
        SELECT segment_no, {_ADMITTED}, ordinals, {_NO_TERM} FROM admitted
        UNION ALL
        SELECT segment_no, {_LENGTHS}, lengths, {_NO_TERM} FROM touched
        UNION ALL
        SELECT p.segment_no, p.term_no, p.postings, {_NO_TERM}
        FROM touched t JOIN retrieval.posting_list p USING (segment_no) WHERE {_WANTED}
    """  # noqa: S608


def _read(connection: Connection, terms: Counter[str], scope: SearchScope) -> tuple[_Query, dict[int, _Segment]]:
    """The terms' weights, the segments' lengths and lists, and which chunks count, in one statement: one state."""
    condition, values = scope_condition(scope)
    statement = _WHOLE if scope.is_whole_namespace else _within(condition)
    rows = connection.cursor(binary=True).execute(statement, values | {"words": list(terms)})
    segments: dict[int, _Segment] = {}
    weights: dict[int, float] = {}
    mean_length = 1.0
    for number, kind, data, term, df, chunks, length, mean_idf in rows.fetchall():
        if kind == _TERM:
            idf = log(chunks - df + 0.5) - log(df + 0.5)
            weights[number] = terms[term] * (idf if idf >= 0 else EPSILON * mean_idf) or MATCHED
            mean_length = length / chunks
            continue
        segment = segments.setdefault(number, _Segment())
        if kind == _LENGTHS:
            segment.lengths = data
        elif kind == _HIDDEN:
            segment.hidden.append(data)
        elif kind == _ADMITTED:
            segment.admitted = [*(segment.admitted or []), data]
        else:
            segment.lists[kind] = data
    return _Query(weights, mean_length), segments


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
    row = connection.execute(
        """
        SELECT count(s.segment_no), array_agg(c.chunk_id ORDER BY b.place)
        FROM unnest(%s::int8[], %s::int4[]) WITH ORDINALITY AS b (segment_no, ordinal, place)
        LEFT JOIN retrieval.segment s USING (segment_no)
        LEFT JOIN retrieval.chunk c ON c.chunk_no =
            ('x' || encode(substring(s.chunk_nos FROM 8 * b.ordinal + 1 FOR 8), 'hex'))::bit(64)::bigint
        """,
        (_array(best.segments), _array(best.ordinals)),
    ).fetchone()
    assert row is not None
    standing, chunk_ids = row
    if standing < len(best.scores):
        return None
    scored = zip(best.scores.tolist(), chunk_ids or (), strict=True)
    ranked = sorted((-score, chunk_id) for score, chunk_id in scored if chunk_id is not None)
    return [Hit(chunk_id, -score) for score, chunk_id in ranked[:limit]]


def _array(numbers: Integers) -> str:
    """Numbers as an array in Postgres's own notation, which costs a tenth of having each of them adapted."""
    return f"{{{','.join(map(str, numbers.tolist()))}}}"
