"""How a posting list is written in a segment, and what it adds to the scores there. Bytes and arrays only.

A rare term's list holds the ordinals of its chunks with their term frequencies, 4 bytes a posting. From a quarter of
the chunks on it is shorter to hold the frequency of every chunk, zero included, in one byte each, or in two where one
is too small. The length of a list, compared with the number of chunks, tells which form it has.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_CHUNKS = 65_536  # an ordinal has two bytes
MOST_FREQUENT = 65_535


def pack(values: Integers, width: int) -> bytes:
    """Integers in ``width`` bytes each, big-endian as Postgres sends them."""
    return values.astype(f">i{width}" if width > 2 else f">u{width}").tobytes()


def unpack(data: bytes, width: int) -> Integers:
    """What ``pack`` wrote."""
    return np.frombuffer(data, f">i{width}" if width > 2 else f">u{width}").astype(np.int64)


def pack_lists(ordinals: Integers, frequencies: Integers, bounds: Integers, chunks: int) -> list[bytes]:
    """Posting lists from their entries, laid end to end: list ``i`` is ``bounds[i]:bounds[i + 1]``, by ordinal."""
    pairs = np.empty((len(ordinals), 2), ">u2")
    pairs[:, 0] = ordinals
    pairs[:, 1] = np.minimum(frequencies, MOST_FREQUENT)
    entries = pairs.tobytes()
    edges = bounds.tolist()
    lists = []
    for start, end in pairwise(edges):
        if 4 * (end - start) < chunks:
            lists.append(entries[4 * start : 4 * end])
        else:
            every = np.zeros(chunks, np.int64)
            every[ordinals[start:end]] = pairs[start:end, 1]
            lists.append(every.astype("u1" if every.max(initial=0) < 256 else ">u2").tobytes())
    return lists


def unpack_list(data: bytes, chunks: int) -> tuple[Integers, Integers]:
    """The ordinals of a list, ascending, and their frequencies."""
    if len(data) in (chunks, 2 * chunks):
        every = _of_every_chunk(data, chunks)
        ordinals = np.flatnonzero(every)
        return ordinals.astype(np.int64), every[ordinals].astype(np.int64)
    pairs = np.frombuffer(data, ">u2").reshape(-1, 2)
    return pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)


def unpack_lists(lists: Sequence[bytes], chunks: Integers) -> tuple[Integers, Integers, Integers]:
    """Many lists at once: for every entry the place of its list, its ordinal and its frequency; in no useful order.

    Args:
        lists: posting lists.
        chunks: for each list, how many chunks its segment has.
    """
    sizes = np.fromiter(map(len, lists), np.int64, len(lists))
    dense = (sizes == chunks) | (sizes == 2 * chunks)
    pairs = np.frombuffer(b"".join(data for data, full in zip(lists, dense, strict=True) if not full), ">u2")
    places = [np.repeat(np.flatnonzero(~dense), sizes[~dense] // 4)]
    ordinals, frequencies = [pairs[0::2].astype(np.int64)], [pairs[1::2].astype(np.int64)]
    for at in np.flatnonzero(dense):
        found, counts = unpack_list(lists[int(at)], int(chunks[at]))
        places.append(np.full(len(found), at))
        ordinals.append(found)
        frequencies.append(counts)
    return np.concatenate(places), np.concatenate(ordinals), np.concatenate(frequencies)


def add_scores(scores: Scores, lists: Iterable[tuple[float, bytes]], norms: Scores) -> None:
    """Adds ``weight × tf / (tf + norm)`` for every posting of the lists, list after list.

    Args:
        scores: by ordinal; changed in place.
        lists: weight and posting list of each term.
        norms: by ordinal, BM25's length norm ``k1 × (1 - b + b × length / mean length)``.
    """
    chunks = len(scores)
    for weight, data in lists:
        if len(data) in (chunks, 2 * chunks):
            frequencies = _of_every_chunk(data, chunks).astype(np.float64)
            part = norms + frequencies
            np.divide(frequencies, part, out=part)
            part *= weight
            scores += part
        else:
            pairs = np.frombuffer(data, ">u2").reshape(-1, 2)
            ordinals = pairs[:, 0].astype(np.intp)
            frequencies = pairs[:, 1].astype(np.float64)
            part = norms.take(ordinals)
            part += frequencies
            np.divide(frequencies, part, out=part)
            part *= weight
            scores[ordinals] += part


def _of_every_chunk(data: bytes, chunks: int) -> NDArray[np.unsignedinteger[Any]]:
    return np.frombuffer(data, "u1" if len(data) == chunks else ">u2")
