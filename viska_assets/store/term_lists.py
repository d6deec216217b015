"""The analysed terms of a document's chunks, gathered as numbers until all are known and can be indexed."""

from array import array
from collections import Counter
from collections.abc import Sequence

import numpy as np

from viska_assets.store.postings import MOST_FREQUENT, Integers


class TermLists:
    """The terms of chunks in their order: every term is held once, every posting takes six bytes."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._terms = array("I")
        self._frequencies = array("H")
        self._ends = array("Q", [0])
        self.lengths = array("I")

    def add(self, words: Sequence[str]) -> None:
        """Adds the next chunk by its terms, repeats included."""
        counted = Counter(words)
        for term, frequency in counted.items():
            self._terms.append(self._places.setdefault(term, len(self._places)))
            self._frequencies.append(min(frequency, MOST_FREQUENT))
        self._ends.append(len(self._terms))
        self.lengths.append(len(words))

    @property
    def vocabulary(self) -> list[str]:
        """Every term, by its place."""
        return list(self._places)

    def entries(self, start: int, end: int) -> tuple[Integers, Integers, Integers]:
        """Of the chunks from ``start`` to before ``end`` each posting's chunk (0 at the start), term and frequency."""
        ends = np.array(self._ends[start : end + 1], np.int64)
        chunks = np.repeat(np.arange(end - start), np.diff(ends))
        terms = np.array(self._terms[ends[0] : ends[-1]], np.int64)
        return chunks, terms, np.array(self._frequencies[ends[0] : ends[-1]], np.int64)
