"""Joining ranked lists into one: reciprocal rank fusion, with ties broken the same way everywhere."""

from collections.abc import Mapping, Sequence

RRF_K = 60  # Cormack, Clarke and Büttcher (SIGIR 2009)


def reciprocal_rank_fusion(
    lists: Mapping[str, Sequence[str]], weights: Mapping[str, float], *, k: int = RRF_K
) -> list[tuple[str, float]]:
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
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
