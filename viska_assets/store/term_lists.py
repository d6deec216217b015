"""The analysed terms of a document's chunks, gathered as numbers until all are known and can be indexed."""

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

_LARGEST_FREQUENCY = 32_767


class TermLists:
    """The terms of chunks in their order: every term is held once, every posting takes six bytes."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._documents = array("I")
        self._terms = array("I")
        self._frequencies = array("H")
        self._sizes = array("I")
        self.lengths = array("I")

    def add(self, words: Sequence[str]) -> None:
        """Adds the next chunk by its terms, repeats included."""
        counted = Counter(words)
        for term, frequency in counted.items():
            place = self._places.setdefault(term, len(self._places))
            if place == len(self._documents):
                self._documents.append(0)
            self._documents[place] += 1
            self._terms.append(place)
            self._frequencies.append(min(frequency, _LARGEST_FREQUENCY))
        self._sizes.append(len(counted))
        self.lengths.append(len(words))

    def document_frequencies(self) -> dict[str, int]:
        """How many chunks hold each term, in the terms' order.

        One order in every process, so that two writers never wait for each other in a ring.
        """
        return {term: self._documents[place] for term, place in sorted(self._places.items())}

    def postings(self, term_numbers: Mapping[str, int]) -> Iterator[tuple[int, int, int]]:
        """``(chunk, term number, frequency)`` of every posting; chunks count from 0."""
        numbers = [term_numbers[term] for term in self._places]
        postings = zip(self._terms, self._frequencies, strict=True)
        for chunk, size in enumerate(self._sizes):
            for place, frequency in islice(postings, size):
                yield chunk, numbers[place], frequency
