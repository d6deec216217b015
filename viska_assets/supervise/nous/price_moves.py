"""Anomalies of prices: the last frozen close far outside what the days before it were like, beside a cited document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import pairwise

from viska_assets.store.policy_loop import NousSection
from viska_assets.store.supervised.nous_rows import Candidate, DocumentRead
from viska_assets.supervise.nous.citing import figures_of


@dataclass(frozen=True)
class Closes:
    """An asset's frozen closes, oldest first, and the hash of the file set that they come from."""

    asset: str
    days: Sequence[date]
    closes: Sequence[float]
    sha256: str


@dataclass(frozen=True)
class Move:
    """A day's return and how many standard deviations of the days before it that is."""

    day: date
    close: float
    change: float
    deviations: float


def last_move(closes: Closes, days: int) -> Move | None:
    """The last day's move; None where there are fewer days before it than asked for, or they did not move at all."""
    if len(closes.closes) < days + 2:
        return None
    window = closes.closes[-(days + 2) :]
    returns = [after / before - 1 for before, after in pairwise(window)]
    before, last = returns[:-1], returns[-1]
    mean = sum(before) / len(before)
    variance = sum((value - mean) ** 2 for value in before) / (len(before) - 1)
    if variance <= 0:
        return None
    return Move(closes.days[-1], closes.closes[-1], last, (last - mean) / variance**0.5)


def price_moves(
    documents: Sequence[DocumentRead], prices: Mapping[str, Closes], policy: NousSection
) -> list[Candidate]:
    """A candidate where the price of what the newest document is about moved beyond the policy's bound.

    The words rest on the document, for a price stands in no chunk; the price is in the payload with the data's hash.
    """
    for document in documents:
        asset = asset_of(document.entity, prices, policy)
        move = last_move(prices[asset], policy.price_days) if asset else None
        figure = next((f for f in figures_of(document) if f.metric and f.citation()), None)
        if not (asset and move and figure and document.entity) or abs(move.deviations) < policy.least_price_move:
            continue
        citation = figure.citation()
        assert citation is not None
        return [
            Candidate(
                kind="price_anomaly",
                concept_id=document.entity,
                direction="long" if move.change > 0 else "short",
                severity="high" if abs(move.deviations) >= 2 * policy.least_price_move else "medium",
                headline="The share price moved far outside its usual range after the newest document",
                rationale=f"The newest document says:\n{figure.statement}",
                citations=[dict(citation)],
                confidence=Decimal("0.5"),
                horizon_days=20,
                payload={
                    "asset": asset,
                    "day": move.day.isoformat(),
                    "close": repr(move.close),
                    "change": f"{move.change:.6f}",
                    "deviations": f"{move.deviations:.2f}",
                    "data_sha256": prices[asset].sha256,
                },
                source_domain=document.source_domain,
            )
        ]
    return []


def asset_of(concept: str | None, prices: Mapping[str, Closes], policy: NousSection) -> str | None:
    """The asset in the frozen prices that stands for a concept: by the policy, else by the concept's own name."""
    if concept is None:
        return None
    named = policy.instruments.get(concept)
    own = concept.rpartition("/")[2].lower()
    return named if named in prices else next((asset for asset in sorted(prices) if asset.lower() == own), None)
