"""The check on the parity gate: nobody believes that synthesis answers while the gate is closed."""

import dagster as dg

from resources.home import HomeResource
from viska_assets.maintain.engine_version import answering_engine_of
from viska_assets.store.parity_gate import Tier, synthesis_is_open, tier_in_force


@dg.asset_check(asset="parity_gate", description="Where the flag names synthesis, a passing run of this engine stands.")
def demotion_rests_on_a_pass(home: HomeResource) -> dg.AssetCheckResult:
    """Warns where questions were handed to synthesis but retrieval answers, for want of a passing run."""
    opened = home.open()
    engine = answering_engine_of(opened.settings)
    with opened.database.transaction() as connection:
        gate, tier = synthesis_is_open(connection, engine), tier_in_force(connection)
    return dg.AssetCheckResult(
        passed=gate.open or tier is Tier.RETRIEVAL,
        severity=dg.AssetCheckSeverity.WARN,
        description=gate.reason,
        metadata={"flag": tier.value, "open": gate.open, "engine": engine},
    )
