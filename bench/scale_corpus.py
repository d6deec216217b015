"""Chunks and vectors for measurements of scale: seeded, with the term distribution of the open pack's filings.

The document frequencies by rank were measured on the open pack's 107 filings (12,043 chunks, 1,256,019 terms, 37,588
distinct, 104 terms a chunk on average) and are carried on beyond its vocabulary at the slope of its tail. Terms are
drawn independently, so that a chunk repeats its words less than prose does. The vectors are synthetic.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

# (rank, share of the chunks that hold the term); ranks above 10,000 continue the slope.
DOCUMENT_FREQUENCIES = (
    (1, 0.970),
    (3, 0.910),
    (6, 0.586),
    (10, 0.421),
    (30, 0.203),
    (100, 0.0927),
    (300, 0.0436),
    (1_000, 0.0124),
    (3_000, 0.00274),
    (10_000, 0.00033),
    (100_000, 0.000011),
    (1_000_000, 0.00000035),
)
VOCABULARY = 1_000_000
CHUNKS_PER_DOCUMENT = 250
DIMENSION = 384
_CLUSTERS, _LATENT = 2_000, 32


@dataclass(frozen=True)
class Document:
    """A made-up filing: the terms of each of its chunks."""

    number: int
    chunks: list[list[str]]


class Terms:
    """Draws terms by the measured distribution."""

    def __init__(self) -> None:
        ranks, shares = np.array(DOCUMENT_FREQUENCIES).T
        share = np.exp(np.interp(np.log(np.arange(1, VOCABULARY + 1)), np.log(ranks), np.log(shares)))
        rates = -np.log1p(-share)  # how often a chunk holds the term, where draws are independent
        self._cumulated = np.cumsum(rates) / rates.sum()
        self._names = [f"t{rank}" for rank in range(1, VOCABULARY + 1)]

    def draw(self, rng: np.random.Generator, lengths: np.ndarray) -> list[list[str]]:
        """The terms of one text a length."""
        ranks = np.minimum(np.searchsorted(self._cumulated, rng.random(int(lengths.sum()))), VOCABULARY - 1)
        names, found, start = self._names, [], 0
        drawn = ranks.tolist()
        for length in lengths.tolist():
            found.append([names[rank] for rank in drawn[start : start + length]])
            start += length
        return found


def documents(chunks: int, seed: int) -> Iterator[Document]:
    """Filings with so many chunks together."""
    terms = Terms()
    for number, start in enumerate(range(0, chunks, CHUNKS_PER_DOCUMENT)):
        rng = np.random.default_rng([seed, number])
        size = min(CHUNKS_PER_DOCUMENT, chunks - start)
        lengths = np.clip(rng.normal(104, 45, size), 15, 260).astype(int)
        yield Document(number, terms.draw(rng, lengths))


def queries(texts: list[list[str]], count: int, seed: int) -> list[list[str]]:
    """Queries of 10 to 20 terms, each drawn from one of the texts as they stand, common terms included."""
    rng = np.random.default_rng([seed, 1])
    found = []
    for _ in range(count):
        text = texts[int(rng.integers(len(texts)))]
        size = min(len(text), int(rng.integers(10, 21)))
        found.append([text[at] for at in rng.choice(len(text), size, replace=False)])
    return found


class Vectors:
    """Unit vectors around cluster centres, spread in a few directions as a model's are, with a little noise in all."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng([seed, 2])
        self._seed = seed
        self._centres = rng.normal(size=(_CLUSTERS, DIMENSION)).astype(np.float32) / np.sqrt(DIMENSION)
        self._directions = rng.normal(size=(_LATENT, DIMENSION)).astype(np.float32) / np.sqrt(DIMENSION * _LATENT)

    def batch(self, number: int, size: int) -> np.ndarray:
        """Batch ``number`` of so many vectors."""
        rng = np.random.default_rng([self._seed, 3, number])
        centres = self._centres[rng.integers(_CLUSTERS, size=size)]
        spread = rng.normal(size=(size, _LATENT)).astype(np.float32) @ self._directions
        noise = rng.normal(size=(size, DIMENSION)).astype(np.float32) * (0.2 / np.sqrt(DIMENSION))
        vectors = centres + spread + noise
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
