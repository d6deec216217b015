"""Ordering the head of a ranking anew by a reranker's scores, blended with those of the legs."""

from collections.abc import Mapping, Sequence

from viska_assets.engines.protocols import EngineError, Reranker
from viska_assets.retrieval.fusion import Ranking, scaled

DEPTH = 20  # late interaction costs a pass of the model over every passage


def rerank(
    query: str,
    candidates: Sequence[tuple[str, str]],
    legs: Mapping[str, Sequence[tuple[str, float]]],
    reranker: Reranker,
) -> Ranking:
    """The candidates in their new order.

    Each candidate scores ``share`` times the reranker's score and the rest in equal parts from the legs, all scaled to
    0..1 among the candidates.

    Args:
        query: the question.
        candidates: (id, text), best first; equal scores keep this order.
        legs: leg name to (id, score).
        reranker: who reads them again.

    Raises:
        EngineError: where the reranker does not answer with one finite score a candidate.
    """
    if not candidates:
        return []
    own = reranker.scores(query, [text for _, text in candidates])
    if len(own) != len(candidates) or not all(abs(score) < float("inf") for score in own):
        raise EngineError(f"{reranker.name} answers {len(candidates)} passages with {len(own)} scores, or not finite")
    ids = [item for item, _ in candidates]
    total = {item: reranker.share * score for item, score in scaled(list(zip(ids, own, strict=True))).items()}
    rest = (1 - reranker.share) / max(1, len(legs))
    for leg in sorted(legs):
        held = set(ids)
        for item, score in scaled([hit for hit in legs[leg] if hit[0] in held]).items():
            total[item] += rest * score
    places = {item: at for at, item in enumerate(ids)}
    return sorted(total.items(), key=lambda pair: (-pair[1], places[pair[0]]))
