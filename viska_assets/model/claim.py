"""A claim that a page makes and its evidence: the key by which two claims can contradict, and its interval."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from viska_assets.model.evidence import Basis, Period, Scenario, Unit


@dataclass(frozen=True, slots=True)
class ClaimKey:
    """What a claim is about. Two claims with equal keys must agree or one must supersede the other.

    ``as_of`` is an ISO date for point-in-time opinions (ratings, targets, guidance) and empty for actuals.
    ``segment`` is the dimension path ("Data Center"), empty for the whole issuer.
    """

    entity: str
    metric: str
    period: Period | None
    segment: str = ""
    basis: Basis | None = None
    scenario: Scenario = Scenario.ACTUAL
    asserter: str = ""
    currency: str | None = None
    unit: Unit = Unit.COUNT
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A keyed claim with the closed interval ``[low, high]`` its printed digits allow, or a text ``value``.

    ``claim_id`` is stable over re-runs: a hash of the concept, the key and the source chunk and locator.
    """

    claim_id: str
    concept_id: str
    key: ClaimKey
    low: Decimal | None
    high: Decimal | None
    value: str
    source_id: str
    chunk_id: str
    known_at: datetime | None = None
    superseded_by: str | None = None
