"""The default reasoner: no model, the same material gives the same proposals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from viska_assets.store.policy_loop import NousSection
from viska_assets.store.supervised.nous_rows import Candidate, DocumentRead, Run, StrategyDraft
from viska_assets.supervise.nous.fundamentals import fundamentals
from viska_assets.supervise.nous.price_moves import Closes, asset_of, price_moves
from viska_assets.supervise.nous.reasoning import Bounds, Thought

FAMILY = "nous-anomalies"


@dataclass(frozen=True)
class AnomalyReasoner:
    """Compares figures with each other and prices with their past, against the bounds of the policy."""

    policy: NousSection
    prices: Mapping[str, Closes] = field(default_factory=dict)

    @property
    def engine(self) -> str:
        """Name and version."""
        return "viska-anomalies/1"

    @property
    def pin(self) -> str:
        """No model is asked."""
        return ""

    def reason(self, run: Run, documents: Sequence[DocumentRead], bounds: Bounds) -> Thought:
        """The anomalies of the documents, greatest first, and a draft on the greatest where its price is frozen."""
        found = [*fundamentals(documents, self.policy), *price_moves(documents, self.prices, self.policy)]
        found = found[: self.policy.most_candidates]
        drafts = [draft for candidate in found[:1] for draft in self._drafts(candidate)]
        figures = sum(len(chunk.figures) for document in documents for chunk in document.chunks)
        lines = [f"{run.kind} on {run.subject}: {len(documents)} documents, {figures} figures."]
        lines += [f"{c.kind} ({c.severity}, {c.direction}): {c.headline} {dict(c.payload)}" for c in found]
        return Thought(found, drafts, "\n".join(lines), detail={"documents": [d.document_id for d in documents]})

    def _drafts(self, candidate: Candidate) -> list[StrategyDraft]:
        asset = asset_of(candidate.concept_id, self.prices, self.policy)
        if asset is None or candidate.direction == "neutral":
            return []
        return [
            StrategyDraft(
                title=candidate.headline,
                thesis=candidate.rationale,
                legs=[{"instrument": asset, "side": candidate.direction, "weight": str(self.policy.draft_weight)}],
                risk={"drawdown": str(self.policy.draft_weight), "leverage": "1"},
                risk_class="low",
                citations=candidate.citations,
                source_domain=candidate.source_domain,
                family=FAMILY,
                spec={"signal": "equal_weight", "assets": [asset]},
            )
        ]
