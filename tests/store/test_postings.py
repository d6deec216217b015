"""Posting lists: what is packed is unpacked again, in whichever form, and scores are those of the formula."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from viska_assets.store.postings import add_scores, pack, pack_lists, unpack, unpack_list, unpack_lists

FREQUENCIES = st.one_of(st.integers(1, 5), st.integers(200, 300), st.just(65_535))
LISTS = st.integers(1, 40).flatmap(
    lambda chunks: st.tuples(
        st.just(chunks),
        st.lists(st.dictionaries(st.integers(0, chunks - 1), FREQUENCIES, min_size=1), min_size=1, max_size=6),
    )
)


def packed(chunks: int, lists: list[dict[int, int]]) -> list[bytes]:
    entries = [pair for found in lists for pair in sorted(found.items())]
    bounds = np.cumsum([0, *map(len, lists)])
    ordinals, frequencies = np.array(entries, np.int64).reshape(-1, 2).T
    return pack_lists(ordinals, frequencies, bounds, chunks)


@given(LISTS)
def test_lists_come_back_as_they_were(case: tuple[int, list[dict[int, int]]]) -> None:
    chunks, lists = case
    data = packed(chunks, lists)
    for found, written in zip(data, lists, strict=True):
        ordinals, frequencies = unpack_list(found, chunks)
        assert list(zip(ordinals.tolist(), frequencies.tolist(), strict=True)) == sorted(written.items())
        assert len(found) <= 2 * chunks
    places, ordinals, frequencies = unpack_lists(data, np.full(len(data), chunks))
    entries = sorted(zip(places.tolist(), ordinals.tolist(), frequencies.tolist(), strict=True))
    assert entries == [(at, *pair) for at, written in enumerate(lists) for pair in sorted(written.items())]


@given(LISTS)
def test_scores_are_the_sum_over_the_postings(case: tuple[int, list[dict[int, int]]]) -> None:
    chunks, lists = case
    norms = np.linspace(0.5, 3, chunks)
    scores = np.zeros(chunks)
    weights = [0.5 + at for at in range(len(lists))]
    add_scores(scores, zip(weights, packed(chunks, lists), strict=True), norms)
    for at in range(chunks):
        terms = [(w, found[at]) for w, found in zip(weights, lists, strict=True) if at in found]
        assert np.isclose(scores[at], sum(w * tf / (tf + norms[at]) for w, tf in terms), rtol=1e-12)


@given(st.lists(st.integers(0, 65_535)), st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_integers_come_back_as_they_were(small: list[int], large: list[int]) -> None:
    assert unpack(pack(np.array(small, np.int64), 2), 2).tolist() == small
    assert unpack(pack(np.array(large, np.int64), 8), 8).tolist() == large
