"""Merging segments: many small ones into few large ones, leaving out what was removed. Searches go on meanwhile.

A merge is one transaction: whoever searches sees the old segments until it ends, and a crash leaves them as they were.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from viska_assets.store.database import Connection, Database
from viska_assets.store.postings import MOST_CHUNKS, Integers, pack, pack_lists, unpack, unpack_lists
from viska_assets.store.segments import copy_lists, drop_segments, insert_segment, lock_namespace

FAN_IN = 8  # how many segments of about one size stand before a writer merges them
FULL = MOST_CHUNKS // 2  # a segment of so many chunks is left alone
WASTE = 4  # unless a quarter of it was removed
WASTE_AT_REST = 10  # or, when everything is compacted, a tenth


@dataclass(frozen=True)
class _Segment:
    number: int
    chunks: int
    standing: int

    @property
    def is_full(self) -> bool:
        return self.standing >= FULL

    def wastes(self, part: int) -> bool:
        """Whether more than one in ``part`` of its chunks was removed."""
        return part * (self.chunks - self.standing) > self.chunks

    @property
    def tier(self) -> int:
        """Which segments are of about one size: powers of the fan-in."""
        return (max(1, self.standing).bit_length() - 1) // (FAN_IN.bit_length() - 1)


def merge_when_due(connection: Connection, namespace: str) -> None:
    """Merges the segments of a size of which there are many; the caller holds the namespace.

    A chunk is written again a few times over its life, and the segments stay few whatever the number of documents.
    """
    tiers: dict[int, list[_Segment]] = {}
    for segment in _segments(connection, namespace):
        if segment.wastes(WASTE):
            merge(connection, namespace, [segment.number])
        elif not segment.is_full:
            tiers.setdefault(segment.tier, []).append(segment)
    for group in tiers.values():
        if len(group) >= FAN_IN:
            for packed in _packed(group):
                merge(connection, namespace, [segment.number for segment in packed])


def compact(database: Database) -> int:
    """Merges every namespace into as few segments as are worth it and returns how many stand.

    A large segment is not written again for the sake of a few chunks. A merge is a transaction of its own.
    """
    with database.transaction() as connection:
        namespaces = [row[0] for row in connection.execute("SELECT namespace FROM retrieval.corpus ORDER BY 1")]
    standing = 0
    for namespace in namespaces:
        while True:
            with database.transaction() as connection:
                lock_namespace(connection, namespace)
                segments = _segments(connection, namespace)
                due = next(_due(segments), None)
                if due is None:
                    standing += len(segments)
                    break
                merge(connection, namespace, [segment.number for segment in due])
    return standing


def _due(segments: Sequence[_Segment]) -> Iterator[list[_Segment]]:
    open_segments = [segment for segment in segments if not segment.is_full or segment.wastes(WASTE_AT_REST)]
    for packed in _packed(open_segments):
        worthwhile = _without_giants(packed)
        if len(worthwhile) > 1 or any(segment.wastes(WASTE_AT_REST) for segment in worthwhile):
            yield worthwhile


def _without_giants(segments: Sequence[_Segment]) -> list[_Segment]:
    """The segments without those that are more than ``FAN_IN`` times as large as all smaller ones together."""
    kept: list[_Segment] = []
    smaller = 0
    for segment in sorted(segments, key=lambda item: item.standing):
        if not kept or segment.wastes(WASTE_AT_REST) or segment.standing <= FAN_IN * max(1, smaller):
            kept.append(segment)
        smaller += segment.standing
    return kept


def _packed(segments: Sequence[_Segment]) -> Iterator[list[_Segment]]:
    """The segments in groups of at most ``MOST_CHUNKS`` standing chunks, oldest first."""
    group: list[_Segment] = []
    for segment in sorted(segments, key=lambda item: item.number):
        if group and sum(item.standing for item in group) + segment.standing > MOST_CHUNKS:
            yield group
            group = []
        group.append(segment)
    if group:
        yield group


def _segments(connection: Connection, namespace: str) -> list[_Segment]:
    rows = connection.execute(
        """
        SELECT s.segment_no, s.chunks, s.chunks - coalesce((
            SELECT sum(length(d.ordinals) / 2) FROM retrieval.segment_document d
            WHERE d.segment_no = s.segment_no AND d.removed), 0)
        FROM retrieval.segment s WHERE s.namespace = %s ORDER BY s.segment_no
        """,
        (namespace,),
    )
    return [_Segment(row[0], row[1], int(row[2])) for row in rows]


def merge(connection: Connection, namespace: str, segments: Sequence[int]) -> None:
    """Writes one segment in the place of several; the caller holds the namespace."""
    cursor = connection.cursor(binary=True)
    sources = cursor.execute(
        "SELECT segment_no, chunk_nos, lengths FROM retrieval.segment WHERE segment_no = ANY(%s) ORDER BY segment_no",
        (list(segments),),
    ).fetchall()
    removed = cursor.execute(
        "SELECT segment_no, ordinals FROM retrieval.segment_document WHERE segment_no = ANY(%s) AND removed",
        (list(segments),),
    ).fetchall()
    places, standing = _new_places({row[0]: len(row[1]) // 8 for row in sources}, removed)
    if standing == 0:
        drop_segments(connection, segments)
        return
    kept = {number: places[number] >= 0 for number in places}
    new = insert_segment(
        connection,
        namespace,
        np.concatenate([unpack(row[1], 8)[kept[row[0]]] for row in sources]),
        np.concatenate([unpack(row[2], 4)[kept[row[0]]] for row in sources]),
    )
    _merge_lists(connection, new, places, standing)
    _move_documents(connection, new, places)
    drop_segments(connection, segments)
    connection.execute("DELETE FROM retrieval.document_frequency WHERE namespace = %s AND terms = 0", (namespace,))


def _new_places(sizes: dict[int, int], removed: Sequence[tuple[int, bytes]]) -> tuple[dict[int, Integers], int]:
    """By segment the new ordinal of each old one, -1 for what was removed; and how many there are."""
    places, standing = {}, 0
    for number, size in sizes.items():
        keep = np.ones(size, bool)
        for segment, ordinals in removed:
            if segment == number:
                keep[unpack(ordinals, 2)] = False
        places[number] = np.where(keep, np.cumsum(keep) - 1 + standing, -1).astype(np.int64)
        standing += int(keep.sum())
    return places, standing


def _merge_lists(connection: Connection, new: int, places: dict[int, Integers], standing: int) -> None:
    rows = (
        connection.cursor(binary=True)
        .execute(
            "SELECT term_no, segment_no, postings FROM retrieval.posting_list WHERE segment_no = ANY(%s)",
            (list(places),),
        )
        .fetchall()
    )
    if not rows:
        return
    terms, segments, lists = zip(*rows, strict=True)
    starts = dict(zip(places, np.cumsum([0, *(len(moved) for moved in places.values())]).tolist(), strict=False))
    chunks = np.array([len(places[segment]) for segment in segments])
    at, ordinals, frequencies = unpack_lists(lists, chunks)
    numbers = np.array(terms)[at]
    moved = np.concatenate(list(places.values()))[np.array([starts[segment] for segment in segments])[at] + ordinals]
    kept = np.flatnonzero(moved >= 0)
    order = kept[np.argsort(numbers[kept] * MOST_CHUNKS + moved[kept], kind="stable")]
    numbers = numbers[order]
    first = np.flatnonzero(np.diff(numbers, prepend=-1))
    packed = pack_lists(moved[order], frequencies[order], np.append(first, len(numbers)), standing)
    copy_lists(connection, new, numbers[first].tolist(), packed)


def _move_documents(connection: Connection, new: int, places: dict[int, Integers]) -> None:
    rows = connection.execute(
        """
        SELECT document_id, segment_no, ordinals, term_nos, frequencies FROM retrieval.segment_document
        WHERE segment_no = ANY(%s) AND NOT removed ORDER BY document_id, segment_no
        """,
        (list(places),),
    ).fetchall()
    with connection.cursor() as cursor:
        cursor.executemany(
            """
            INSERT INTO retrieval.segment_document AS d (document_id, segment_no, ordinals, term_nos, frequencies)
            VALUES (%s, %s, %s, %s, %s)
            """,
            [
                (document, new, pack(places[segment][unpack(ordinals, 2)], 2), term_nos, frequencies)
                for document, segment, ordinals, term_nos, frequencies in rows
            ],
        )
