"""Passages that say the same: one is kept, the others are listed on it.

Other numbers, another scale, sign, direction or negation are never the same.
"""

import re
from collections.abc import Hashable, Sequence

from viska_assets.text.directions import direction_words

SHINGLE = 5
LEAST_OVERLAP = 0.8  # of the shingles of both (Broder 1997)
_NUMBER = re.compile(
    r"[(\-−]?\s?[$€£]?\s?\d(?:[\d.,]*\d)?\s?(?:%|percent|bps|(?:thousand|million|billion|trillion|mn|bn|tn|m|k)\b)?",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:no|not|never|neither|nor|without|un\w+)\b|n['’]t\b", re.IGNORECASE)
_NO_DIGITS = bytes(set(range(256)) - set(b"0123456789"))
_WORD = re.compile(r"[^\W\d]+")


def digits_of(text: str) -> tuple[int, ...]:
    """How often each digit occurs: texts with the same numbers have the same counts, and few others do."""
    digits = text.encode("utf-8", "replace").translate(None, _NO_DIGITS)
    return tuple(map(digits.count, b"0123456789"))


def numbers_of(text: str) -> tuple[str, ...]:
    """All numbers with their sign, currency and scale word, in one order, repeats included."""
    return tuple(sorted("".join(number.lower().replace(",", "").split()) for number in _NUMBER.findall(text)))


def turns_of(text: str) -> tuple[int, tuple[int, ...]]:
    """How often a text negates, and which ways its words of direction point: ``rose``, ``fell``, ``a loss``."""
    return len(_NEGATION.findall(text)), tuple(sorted(sign for _, _, sign, _ in direction_words(text)))


def words_of(text: str) -> frozenset[str]:
    """The words and numbers as they stand between white space, in lower case."""
    return frozenset(text.lower().split())


def shingles_of(text: str) -> frozenset[tuple[str, ...]]:
    """The runs of five words, numbers left out; a shorter text is one run."""
    words = _WORD.findall(text.lower())
    return frozenset(tuple(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1)))


def overlap(first: frozenset[Hashable], second: frozenset[Hashable]) -> float:
    """The Jaccard coefficient of two sets; 1 for two empty ones."""
    return len(first & second) / len(first | second) if first or second else 1.0


def group_near_duplicates(texts: Sequence[tuple[Hashable, str]]) -> list[list[int]]:
    """Groups the texts that say the same, each under the first of its kind.

    Args:
        texts: (kind, text), best first; texts of different kinds are never the same.

    Returns:
        Groups of positions in the order of their first; every position stands in exactly one group.
    """
    groups: list[list[int]] = []
    alike: dict[Hashable, list[list[int]]] = {}
    for at, (kind, text) in enumerate(texts):
        candidates = alike.setdefault((kind, digits_of(text)), [])
        same = next((group for group in candidates if say_the_same(texts[group[0]][1], text)), None)
        if same is not None:
            same.append(at)
        else:
            groups.append([at])
            candidates.append(groups[-1])
    return groups


def say_the_same(first: str, second: str) -> bool:
    """Whether two texts have the same numbers, point the same ways and have nearly the same words."""
    # Sets of words are quick to compare, and texts that say the same share most of them.
    if overlap(words_of(first), words_of(second)) < LEAST_OVERLAP:
        return False
    if numbers_of(first) != numbers_of(second) or turns_of(first) != turns_of(second):
        return False
    return overlap(shingles_of(first), shingles_of(second)) >= LEAST_OVERLAP
