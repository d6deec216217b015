"""Chunks by what literally stands in them: a pattern, or every word of a topic. No statistics of the corpus count."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import psycopg

from viska_assets.store.database import Connection

SECONDS = 10


class PatternError(ValueError):
    """A pattern is no regular expression, or takes too long; the message says so without the text that was read."""


@dataclass(frozen=True, slots=True)
class MatchedChunk:
    """A chunk in which something stands: where it begins in the chunk's text, and what stands there."""

    chunk_id: str
    document_id: str
    namespace: str
    document: str
    text: str
    start: int
    page: int | None
    known_at: datetime
    asserter: str
    authentication: str
    at: int
    matched: str


_COLUMNS = """
    c.chunk_id, c.document_id, c.namespace, coalesce(nullif(d.cover ->> 'title', ''), d.name), c.text,
    c.start_char, c.page, d.known_at, d.asserter, d.authentication
"""
_LITERAL = """
    strpos(lower(c.text), lower(%(pattern)s)),
    substring(c.text FROM strpos(lower(c.text), lower(%(pattern)s)) FOR length(%(pattern)s))
"""
_REGEX = "regexp_instr(c.text, %(pattern)s), regexp_substr(c.text, %(pattern)s)"


def chunks_matching(
    connection: Connection, namespaces: Sequence[str], pattern: str, *, regex: bool, limit: int
) -> list[MatchedChunk]:
    """The chunks that hold a text in any case, or match a POSIX regular expression, in the order they were filed.

    Raises:
        PatternError: for a pattern that Postgres refuses or cannot finish in time.
    """
    found, condition = (
        (_REGEX, "c.text ~ %(pattern)s") if regex else (_LITERAL, "strpos(lower(c.text), lower(%(pattern)s)) > 0")
    )
    try:
        with connection.transaction():
            connection.execute("SELECT set_config('statement_timeout', %s, true)", (str(SECONDS * 1000),))
            rows = connection.execute(
                f"""
                SELECT {_COLUMNS}, {found} FROM retrieval.chunk c JOIN raw.document d USING (document_id)
                WHERE c.namespace = ANY(%(namespaces)s) AND NOT d.withdrawn AND {condition}
                ORDER BY c.chunk_no LIMIT %(limit)s
                """,  # noqa: S608
                {"namespaces": list(namespaces), "pattern": pattern, "limit": limit},
            ).fetchall()
    except psycopg.errors.QueryCanceled as error:
        raise PatternError(f"the pattern took longer than {SECONDS} s: make it narrower") from error
    except (psycopg.errors.InvalidRegularExpression, psycopg.errors.DataError) as error:
        raise PatternError(
            "the pattern is no regular expression: check its brackets, or look for it as it stands"
        ) from error
    return [MatchedChunk(*(*row[:10], max(0, row[10] - 1), row[11] or "")) for row in rows]


@dataclass(frozen=True, slots=True)
class DocumentAbout:
    """A document with chunks in which every word of a topic stands."""

    document_id: str
    title: str
    namespace: str
    asserter: str
    authentication: str
    known_at: datetime
    chunks: int
    first_chunk: str


def documents_about(connection: Connection, namespaces: Sequence[str], words: Sequence[str]) -> list[DocumentAbout]:
    """The documents with a chunk, its prefix included, in which every word stands; newest first."""
    escaped = str.maketrans({"\\": r"\\", "%": r"\%", "_": r"\_"})
    patterns = [f"%{word.translate(escaped)}%" for word in words]
    if not patterns:
        return []
    rows = connection.execute(
        """
        SELECT d.document_id, coalesce(nullif(d.cover ->> 'title', ''), d.name), c.namespace, d.asserter,
            d.authentication, d.known_at, count(*), (array_agg(c.chunk_id ORDER BY c.chunk_no))[1]
        FROM retrieval.chunk c JOIN raw.document d USING (document_id)
        WHERE c.namespace = ANY(%s) AND NOT d.withdrawn AND c.prefix || ' ' || c.text ILIKE ALL(%s)
        GROUP BY d.document_id, c.namespace ORDER BY d.known_at DESC, d.document_id
        """,
        (list(namespaces), patterns),
    )
    return [DocumentAbout(*row) for row in rows]
