"""Writing BM25's postings: each document becomes a segment, and takes itself out of the statistics when it goes.

Document frequencies, corpus sizes and postings change in one transaction, so that a search sees all of a document or
nothing. Writers of one namespace take turns from the moment they touch its statistics.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from struct import Struct

import numpy as np

from viska_assets.store.database import Connection
from viska_assets.store.postings import MOST_CHUNKS, Integers, pack, pack_lists, unpack
from viska_assets.store.term_lists import TermLists


@dataclass(frozen=True)
class IndexedDocument:
    """A document, or a part, as the index takes it: the numbers of its chunks, whose terms begin at ``start``."""

    document_id: str
    chunk_nos: Sequence[int]
    terms: TermLists
    start: int = 0

    def parts(self) -> Iterator["IndexedDocument"]:
        """The document in pieces that fit into a segment."""
        for start in range(0, len(self.chunk_nos), MOST_CHUNKS):
            yield IndexedDocument(
                self.document_id, self.chunk_nos[start : start + MOST_CHUNKS], self.terms, self.start + start
            )


def lock_namespace(connection: Connection, namespace: str) -> None:
    """Waits for other writers of the namespace and keeps them out until the transaction ends."""
    connection.execute(
        "INSERT INTO retrieval.corpus (namespace) VALUES (%s) ON CONFLICT (namespace) DO NOTHING", (namespace,)
    )
    connection.execute("SELECT 1 FROM retrieval.corpus WHERE namespace = %s FOR UPDATE", (namespace,))


def add_postings(connection: Connection, namespace: str, documents: Sequence[IndexedDocument]) -> None:
    """Adds documents to the index; the caller holds the namespace.

    Documents that are added together become one segment, as far as there is room in it: for a bulk load many together
    cost a fraction of what they cost one by one.
    """
    together: list[IndexedDocument] = []
    room = MOST_CHUNKS
    for document in documents:
        for part in document.parts():
            if len(part.chunk_nos) > room:
                _add_segment(connection, namespace, together)
                together, room = [], MOST_CHUNKS
            together.append(part)
            room -= len(part.chunk_nos)
    if together:
        _add_segment(connection, namespace, together)


def _add_segment(connection: Connection, namespace: str, documents: Sequence[IndexedDocument]) -> None:
    vocabulary, entries, frequencies = _entries(documents)
    bounds = np.searchsorted(entries, np.arange(len(vocabulary) + 1) * MOST_CHUNKS)
    numbers = _count_terms(connection, namespace, vocabulary, np.diff(bounds))
    lengths = np.concatenate(
        [np.array(d.terms.lengths[d.start : d.start + len(d.chunk_nos)], np.int64) for d in documents]
    )
    _count_corpus(connection, namespace, len(lengths), int(lengths.sum()))
    lists = pack_lists(entries % MOST_CHUNKS, frequencies, bounds, len(lengths))
    order = np.argsort(numbers)
    chunk_nos = np.concatenate([np.array(document.chunk_nos, np.int64) for document in documents])
    segment = insert_segment(connection, namespace, chunk_nos, lengths)
    copy_lists(connection, segment, numbers[order].tolist(), [lists[at] for at in order])
    _place_documents(connection, segment, documents, numbers[entries // MOST_CHUNKS], entries % MOST_CHUNKS)


def _entries(documents: Sequence[IndexedDocument]) -> tuple[list[str], Integers, Integers]:
    """The vocabulary of the documents; every posting as term × ``MOST_CHUNKS`` + ordinal, in order; its frequency."""
    vocabulary: dict[str, int] = {}
    entries, frequencies, start = [], [], 0
    for document in documents:
        size = len(document.chunk_nos)
        chunks, places, counts = document.terms.entries(document.start, document.start + size)
        used = np.unique(places)
        known = document.terms.vocabulary
        number = np.zeros(len(known), np.int64)
        number[used] = [vocabulary.setdefault(known[place], len(vocabulary)) for place in used]
        entries.append(number[places] * MOST_CHUNKS + chunks + start)
        frequencies.append(counts)
        start += size
    joined = np.concatenate(entries)
    order = np.argsort(joined)
    return list(vocabulary), joined[order], np.concatenate(frequencies)[order]


def _place_documents(
    connection: Connection,
    segment: int,
    documents: Sequence[IndexedDocument],
    term_nos: Integers,
    ordinals: Integers,
) -> None:
    """Records where each document stands in the segment, and in how many of its chunks each of its terms does."""
    starts = np.cumsum([0, *(len(document.chunk_nos) for document in documents)])
    owners = np.searchsorted(starts, ordinals, side="right") - 1
    with connection.cursor() as cursor, cursor.copy(_COPY_DOCUMENTS) as rows:
        order = np.lexsort((term_nos, owners))
        edges = np.searchsorted(owners[order], np.arange(len(documents) + 1))
        for at, document in enumerate(documents):
            own, holding = np.unique(term_nos[order[edges[at] : edges[at + 1]]], return_counts=True)
            places = np.arange(starts[at], starts[at + 1])
            rows.write_row(
                (document.document_id, segment, pack(places, 2), pack(own, 8), pack(holding.astype(np.int64), 4))
            )


_COPY_DOCUMENTS = """
    COPY retrieval.segment_document (document_id, segment_no, ordinals, term_nos, frequencies) FROM STDIN
"""


def insert_segment(connection: Connection, namespace: str, chunk_nos: Integers, lengths: Integers) -> int:
    """Adds a segment of these chunks, still without lists, and returns its number."""
    row = connection.execute(
        """
        INSERT INTO retrieval.segment (namespace, chunks, chunk_nos, lengths) VALUES (%s, %s, %s, %s)
        RETURNING segment_no
        """,
        (namespace, len(chunk_nos), pack(chunk_nos, 8), pack(lengths, 4)),
    ).fetchone()
    assert row is not None
    return int(row[0])


_COPY_HEADER, _COPY_TRAILER = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"
_LIST_ROW = Struct(">hiqiqi")  # three fields: segment and term of 8 bytes each, and the length of the list


def copy_lists(connection: Connection, segment: int, term_nos: Sequence[int], lists: Sequence[bytes]) -> None:
    """Adds the posting lists of a segment, in the order of the term numbers.

    The rows are written in COPY's binary form here: a segment has up to 10^5 of them, and row by row they would take
    longer to hand over than to store.
    """
    statement = "COPY retrieval.posting_list (segment_no, term_no, postings) FROM STDIN WITH (FORMAT BINARY)"
    parts = [_COPY_HEADER]
    for number, postings in zip(term_nos, lists, strict=True):
        parts.append(_LIST_ROW.pack(3, 8, segment, 8, number, len(postings)))
        parts.append(postings)
    parts.append(_COPY_TRAILER)
    with connection.cursor() as cursor, cursor.copy(statement) as rows:
        rows.write(b"".join(parts))


def remove_postings(connection: Connection, namespace: str, document_id: str, chunks: int, terms: int) -> None:
    """Takes a document's chunks out of the index; the caller holds the namespace.

    A segment of this document alone goes at once. In a merged one the document is marked as removed, which keeps it
    from being found; the next merge leaves it out.

    Args:
        connection: in the caller's transaction.
        namespace: where the chunks were found.
        document_id: whose chunks go.
        chunks: how many they are.
        terms: how many terms they have together.
    """
    rows = connection.execute(
        """
        SELECT d.segment_no, s.chunks = length(d.ordinals) / 2, d.term_nos, d.frequencies
        FROM retrieval.segment_document d JOIN retrieval.segment s USING (segment_no)
        WHERE d.document_id = %s AND s.namespace = %s AND NOT d.removed
        """,
        (document_id, namespace),
    ).fetchall()
    for segment, is_alone, term_nos, frequencies in rows:
        _discount_terms(connection, namespace, unpack(term_nos, 8), unpack(frequencies, 4))
        if is_alone:
            drop_segments(connection, [segment])
        else:
            connection.execute(
                """
                UPDATE retrieval.segment_document SET removed = true, term_nos = '', frequencies = ''
                WHERE document_id = %s AND segment_no = %s
                """,
                (document_id, segment),
            )
    _count_corpus(connection, namespace, -chunks, -terms)


def drop_segments(connection: Connection, segments: Sequence[int]) -> None:
    """Removes segments with their lists and their documents' places in them."""
    for table in ("posting_list", "segment_document", "segment"):
        connection.execute(
            f"DELETE FROM retrieval.{table} WHERE segment_no = ANY(%s)",  # noqa: S608
            (list(segments),),
        )


def _count_terms(connection: Connection, namespace: str, terms: list[str], added: Integers) -> Integers:
    """Raises the terms' document frequencies and returns their numbers."""
    rows = connection.execute(
        """
        INSERT INTO retrieval.term AS t (namespace, term, df)
        SELECT %s, term, df FROM unnest(%s::text[], %s::int[]) AS n (term, df)
        ON CONFLICT (namespace, term) DO UPDATE SET df = t.df + EXCLUDED.df
        RETURNING term, term_no, df
        """,
        (namespace, terms, added.tolist()),
    ).fetchall()
    found = {term: (number, df) for term, number, df in rows}
    now = np.array([found[term][1] for term in terms], np.int64)
    _move_frequencies(connection, namespace, now - added, now)
    return np.array([found[term][0] for term in terms], np.int64)


def _discount_terms(connection: Connection, namespace: str, numbers: Integers, removed: Integers) -> None:
    rows = connection.execute(
        """
        UPDATE retrieval.term t SET df = t.df - n.df FROM unnest(%s::int8[], %s::int[]) AS n (term_no, df)
        WHERE t.term_no = n.term_no RETURNING t.df, n.df
        """,
        (numbers.tolist(), removed.tolist()),
    ).fetchall()
    now = np.array([row[0] for row in rows], np.int64)
    _move_frequencies(connection, namespace, now + np.array([row[1] for row in rows], np.int64), now)


def _move_frequencies(connection: Connection, namespace: str, before: Integers, after: Integers) -> None:
    """Counts in ``document_frequency`` that terms went from one document frequency to another."""
    moved = Counter(after.tolist())
    moved.subtract(before.tolist())
    changed = sorted((df, terms) for df, terms in moved.items() if terms and df)
    connection.execute(
        """
        INSERT INTO retrieval.document_frequency AS f (namespace, df, terms)
        SELECT %s, df, terms FROM unnest(%s::int[], %s::int8[]) AS n (df, terms)
        ON CONFLICT (namespace, df) DO UPDATE SET terms = f.terms + EXCLUDED.terms
        """,
        (namespace, [df for df, _ in changed], [terms for _, terms in changed]),
    )


def _count_corpus(connection: Connection, namespace: str, chunks: int, terms: int) -> None:
    connection.execute(
        "UPDATE retrieval.corpus SET chunks = chunks + %s, terms = terms + %s WHERE namespace = %s",
        (chunks, terms, namespace),
    )
