"""Whether the search statistics are those of the chunks that stand, and how to make them so."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from viska_assets.store.database import Connection
from viska_assets.store.postings import unpack, unpack_list


@dataclass(frozen=True)
class Drift:
    """How many figures were compared, and which differ."""

    compared: int
    problems: tuple[str, ...]


def statistics_drift(connection: Connection) -> Drift:
    """Compares document frequencies and corpus sizes with the postings and chunks themselves."""
    standing = _standing_frequencies(connection)
    terms = connection.execute("SELECT namespace, term, term_no, df FROM retrieval.term").fetchall()
    problems = [
        f"term {term!r} of {namespace}: df {df}, postings {standing.get(number, 0)}"
        for namespace, term, number, df in terms
        if df != standing.get(number, 0)
    ]
    corpora = connection.execute(
        """
        SELECT s.namespace, s.chunks, s.terms, count(c.chunk_no), coalesce(sum(c.terms), 0) FROM retrieval.corpus s
        LEFT JOIN retrieval.chunk c ON c.namespace = s.namespace GROUP BY s.namespace, s.chunks, s.terms
        """
    ).fetchall()
    problems += [
        f"corpus {ns}: {chunks} chunks and {size} terms on record, {n} and {total} counted"
        for ns, chunks, size, n, total in corpora
        if (chunks, size) != (n, total)
    ]
    counted = Counter((namespace, standing[number]) for namespace, _, number, _ in terms if standing.get(number))
    frequencies = connection.execute("SELECT namespace, df, terms FROM retrieval.document_frequency")
    recorded = Counter({(namespace, df): n for namespace, df, n in frequencies})
    problems += [
        f"{namespace}: {recorded[namespace, df]} terms on record with df {df}, {counted[namespace, df]} counted"
        for namespace, df in sorted({*counted, *recorded})
        if counted[namespace, df] != recorded[namespace, df]
    ]
    return Drift(len(terms) + len(corpora), tuple(problems[:50]))


def _standing_frequencies(connection: Connection) -> dict[int, int]:
    """By term number, in how many chunks the postings have it; what was removed and not yet merged away left out."""
    counts: dict[int, int] = {}
    sizes = connection.execute("SELECT segment_no, chunks FROM retrieval.segment ORDER BY segment_no").fetchall()
    for segment, chunks in sizes:
        standing = np.ones(chunks, bool)
        removed = connection.execute(
            "SELECT ordinals FROM retrieval.segment_document WHERE segment_no = %s AND removed", (segment,)
        )
        for (ordinals,) in removed:
            standing[unpack(ordinals, 2)] = False
        lists = connection.cursor(binary=True).execute(
            "SELECT term_no, postings FROM retrieval.posting_list WHERE segment_no = %s", (segment,)
        )
        for term, data in lists:
            found, _ = unpack_list(data, chunks)
            counts[term] = counts.get(term, 0) + int(standing[found].sum())
    return counts


def repair_statistics(connection: Connection) -> None:
    """Counts document frequencies and corpus sizes again."""
    standing = _standing_frequencies(connection)
    connection.execute(
        """
        UPDATE retrieval.term t SET df = coalesce(n.df, 0)
        FROM retrieval.term o LEFT JOIN unnest(%s::int8[], %s::int[]) AS n (term_no, df) USING (term_no)
        WHERE o.term_no = t.term_no AND t.df <> coalesce(n.df, 0)
        """,
        (list(standing), list(standing.values())),
    )
    connection.execute("DELETE FROM retrieval.document_frequency")
    connection.execute(
        """
        INSERT INTO retrieval.document_frequency (namespace, df, terms)
        SELECT namespace, df, count(*) FROM retrieval.term WHERE df > 0 GROUP BY namespace, df
        """
    )
    connection.execute(
        """
        UPDATE retrieval.corpus s SET
            chunks = (SELECT count(*) FROM retrieval.chunk c WHERE c.namespace = s.namespace),
            terms = (SELECT coalesce(sum(c.terms), 0) FROM retrieval.chunk c WHERE c.namespace = s.namespace)
        """
    )
