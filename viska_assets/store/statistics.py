"""Whether the search statistics are those of the chunks that stand, and how to make them so."""

from dataclasses import dataclass

from viska_assets.store.database import Connection


@dataclass(frozen=True)
class Drift:
    """How many figures were compared, and which differ."""

    compared: int
    problems: tuple[str, ...]


def statistics_drift(connection: Connection) -> Drift:
    """Compares document frequencies and corpus sizes with the postings and chunks themselves."""
    terms = connection.execute(
        """
        SELECT t.namespace, t.term, t.df, count(p.chunk_no) FROM retrieval.term t
        LEFT JOIN retrieval.posting p ON p.namespace = t.namespace AND p.term_no = t.term_no
        GROUP BY t.namespace, t.term, t.df
        """
    ).fetchall()
    corpora = connection.execute(
        """
        SELECT s.namespace, s.chunks, s.terms, count(c.chunk_no), coalesce(sum(c.terms), 0) FROM retrieval.corpus s
        LEFT JOIN retrieval.chunk c ON c.namespace = s.namespace GROUP BY s.namespace, s.chunks, s.terms
        """
    ).fetchall()
    problems = [f"term {term!r} of {ns}: df {df}, postings {n}" for ns, term, df, n in terms if df != n]
    problems += [
        f"corpus {ns}: {chunks} chunks and {size} terms on record, {n} and {total} counted"
        for ns, chunks, size, n, total in corpora
        if (chunks, size) != (n, total)
    ]
    return Drift(len(terms) + len(corpora), tuple(problems[:50]))


def repair_statistics(connection: Connection) -> None:
    """Counts document frequencies and corpus sizes again."""
    connection.execute(
        """
        UPDATE retrieval.term t SET df = (
            SELECT count(*) FROM retrieval.posting p WHERE p.namespace = t.namespace AND p.term_no = t.term_no)
        """
    )
    connection.execute(
        """
        UPDATE retrieval.corpus s SET
            chunks = (SELECT count(*) FROM retrieval.chunk c WHERE c.namespace = s.namespace),
            terms = (SELECT coalesce(sum(c.terms), 0) FROM retrieval.chunk c WHERE c.namespace = s.namespace)
        """
    )
