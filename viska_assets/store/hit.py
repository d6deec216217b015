"""A hit: what either leg of a search returns."""

from typing import NamedTuple


class Hit(NamedTuple):
    """A chunk found by one leg, best first; scores of different legs are not comparable."""

    chunk_id: str
    score: float
