"""Passages that say the same: one is kept, the others are listed on it. Other numbers are never the same."""

import re
from collections.abc import Hashable, Sequence

SHINGLE = 5
LEAST_OVERLAP = 0.8  # of the shingles of both (Broder 1997)
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_WORD = re.compile(r"[^\W\d]+")


def numbers_of(text: str) -> tuple[str, ...]:
    """All numbers as printed, without separators of thousands, in ascending order, repeats included."""
    return tuple(sorted(number.replace(",", "") for number in _NUMBER.findall(text)))


def shingles_of(text: str) -> frozenset[tuple[str, ...]]:
    """The runs of five words, numbers left out; a shorter text is one run."""
    words = _WORD.findall(text.lower())
    return frozenset(tuple(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1)))


def overlap(first: frozenset[tuple[str, ...]], second: frozenset[tuple[str, ...]]) -> float:
    """The Jaccard coefficient of two texts' shingles."""
    return len(first & second) / len(first | second)


def group_near_duplicates(texts: Sequence[tuple[Hashable, str]]) -> list[list[int]]:
    """Groups the texts that say the same, each under the first of its kind.

    Args:
        texts: (kind, text), best first; texts of different kinds are never the same.

    Returns:
        Groups of positions in the order of their first; every position stands in exactly one group.
    """
    groups: list[list[int]] = []
    alike: dict[Hashable, list[list[int]]] = {}
    # Texts with the same numbers are few, so that hardly any text is ever cut into shingles.
    shingles: dict[int, frozenset[tuple[str, ...]]] = {}

    def of(at: int) -> frozenset[tuple[str, ...]]:
        if at not in shingles:
            shingles[at] = shingles_of(texts[at][1])
        return shingles[at]

    for at, (kind, text) in enumerate(texts):
        candidates = alike.setdefault((kind, numbers_of(text)), [])
        same = next((group for group in candidates if overlap(of(group[0]), of(at)) >= LEAST_OVERLAP), None)
        if same is not None:
            same.append(at)
        else:
            groups.append([at])
            candidates.append(groups[-1])
    return groups
