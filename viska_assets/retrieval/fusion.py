"""Joining the legs of a search into one ranking: by ranks or by scores, with ties broken the same way everywhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import itemgetter

RRF_K = 60  # Cormack, Clarke and Büttcher (SIGIR 2009)

Ranking = list[tuple[str, float]]
_ID = itemgetter(0)


class Fusion(StrEnum):
    """How legs are joined."""

    RRF = "rrf"
    CONVEX = "convex"


@dataclass(frozen=True)
class FusionProfile:
    """How the legs of one embedder are joined: the method, and what each leg weighs."""

    method: Fusion
    weights: Mapping[str, float]


def fuse(legs: Mapping[str, Sequence[tuple[str, float]]], profile: FusionProfile) -> Ranking:
    """Joins legs of (id, score), best first, as a profile says; returns (id, score), best first."""
    if profile.method is Fusion.CONVEX:
        return convex_fusion(legs, profile.weights)
    return reciprocal_rank_fusion({leg: list(map(_ID, hits)) for leg, hits in legs.items()}, profile.weights)


def greatest_score(profile: FusionProfile) -> float:
    """What an id scores that is the first of every leg."""
    total = sum(weight for weight in profile.weights.values() if weight > 0)
    return total if profile.method is Fusion.CONVEX else total / (RRF_K + 1)


def reciprocal_rank_fusion(
    lists: Mapping[str, Sequence[str]], weights: Mapping[str, float], *, k: int = RRF_K
) -> Ranking:
    """Fuses ranked lists of ids: each id scores the sum of ``weight / (k + rank)`` over the lists that hold it.

    Args:
        lists: leg name to ids, best first.
        weights: leg name to weight; a leg of weight 0 (or absent here) has no influence at all.
        k: the constant that flattens the head of each list.

    Returns:
        (id, score), best first; equal scores in the order of the ids.
    """
    scores: dict[str, float] = {}
    for leg in sorted(lists):
        weight = weights.get(leg, 0.0)
        if weight <= 0:
            continue
        for rank, item in enumerate(lists[leg], start=1):
            scores[item] = scores.get(item, 0.0) + weight / (k + rank)
    return _ranked(scores)


def convex_fusion(legs: Mapping[str, Sequence[tuple[str, float]]], weights: Mapping[str, float]) -> Ranking:
    """Adds up the legs' scores, each leg's scaled to 0..1 by its own least and greatest (Bruch et al. 2023).

    An id that a leg does not hold scores 0 there. A leg whose scores are all equal says nothing of their order: its
    ids score 1.

    Args:
        legs: leg name to (id, score), best first.
        weights: leg name to weight; a leg of weight 0 (or absent here) has no influence at all.

    Returns:
        (id, score), best first; equal scores in the order of the ids.
    """
    scores: dict[str, float] = {}
    for leg in sorted(legs):
        weight = weights.get(leg, 0.0)
        if weight <= 0 or not legs[leg]:
            continue
        for item, share in scaled(legs[leg]).items():
            scores[item] = scores.get(item, 0.0) + weight * share
    return _ranked(scores)


def scaled(hits: Sequence[tuple[str, float]]) -> dict[str, float]:
    """The scores of some hits on a scale from 0, the least of them, to 1, the greatest."""
    least = min((score for _, score in hits), default=0.0)
    span = max((score for _, score in hits), default=0.0) - least
    return {item: (score - least) / span if span > 0 else 1.0 for item, score in hits}


def _ranked(scores: Mapping[str, float]) -> Ranking:
    return [(item, -score) for score, item in sorted((-score, item) for item, score in scores.items())]
