"""The factors by which hits are ordered: relevance, recency and confidence, each between 0 and 1, and recomputable."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from viska_assets.model.evidence import Period
from viska_assets.query.calibration import Signals, fitted_model
from viska_assets.query.results import Confidence, Factors
from viska_assets.query.weights import Ranking
from viska_assets.store.scope import UNTRUSTED

if TYPE_CHECKING:
    from viska_assets.retrieval.search import Passage

_NEWEST = re.compile(r"\b(?:latest|current|currently|today|newest|most recent|recently|now|up to date)\b", re.I)
_DAY = 86_400


def asks_for_newest(question: str) -> bool:
    """Whether a question says that only the present counts."""
    return bool(_NEWEST.search(question))


def recency(known_at: datetime | None, at: datetime, ranking: Ranking, *, newest: bool) -> float:
    """``f + (1 - f) · 2^(-age / half-life)``; a document from the future has no age."""
    if known_at is None:
        return ranking.unknown_date
    floor = ranking.floor_of_newest if newest else ranking.floor
    days = max(0.0, (at - known_at).total_seconds() / _DAY)
    return floor + (1 - floor) * float(2.0 ** (-days / ranking.half_life_days))


def factors_of(
    fused: float,
    match: float,
    known_at: datetime | None,
    authentication: str,
    *,
    at: datetime,
    ranking: Ranking,
    newest: bool,
    periods: Sequence[Period] = (),
) -> Factors:
    """The factors of a hit.

    Where a question names a period, age says nothing and has no weight, and the fusion's order stands. Where age
    counts, a fused score is too flat to stand beside it (the second of a leg has 98 % of the first), and the match of
    the words and meaning is multiplied in, so that a sharp old hit stands before a vague new one.
    """
    standing = ranking.unauthenticated if authentication in UNTRUSTED else 1.0
    ages = newest or not periods
    relevance = fused * (0.2 + 0.8 * match) if ages and ranking.recency_weight else fused
    return Factors(
        min(1.0, max(0.0, relevance)),
        recency(known_at, at, ranking, newest=newest),
        standing,
        ranking.recency_weight if ages else 0.0,
        ranking.confidence_weight,
    )


def covered_by(passage: "Passage", terms: Sequence[str]) -> float:
    """The share of the question's terms that a passage with its prefix holds."""
    said = f"{passage.prefix} {passage.text}".lower()
    return sum(map(said.__contains__, terms)) / len(terms) if terms else 0.0


def match_of(covered: float, near: float) -> float:
    """How well words and meaning match, from 0 to 1; more terms or a nearer vector never lower it."""
    return min(1.0, 0.7 * covered * covered + 0.3 * near * covered)


def nearness(passage: "Passage") -> float:
    """The cosine of the question and the passage; 0 where the dense leg did not find it."""
    return max(0.0, passage.leg_scores.get("dense", 0.0))


def confidence_of(covered: float, near: float, rank: int, standing: float) -> Confidence:
    """How likely a passage holds what answers, by the fitted model, times its sender's standing.

    Args:
        covered: the share of the question's terms that it holds.
        near: the cosine of question and passage.
        rank: its rank among the passages found with it, from 1.
        standing: how much its sender counts.
    """
    chance = fitted_model().probability(Signals(covered, near, 1 / rank))
    words = f"{covered:.0%} of the terms, nearness {near:.2f}, rank {rank}; fitted on questions within one document"
    return Confidence(min(1.0, chance * standing), words, calibrated=True)
