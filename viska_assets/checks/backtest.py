"""The checks on backtests: a result can be had again from its manifest, and none was accepted by snooping."""

import dagster as dg

from resources.home import HomeResource
from viska_assets.backtest.prices import PriceError, prices_in
from viska_assets.backtest.requests import changed_since, policy_from
from viska_assets.store.supervised.backtest_rows import results

RERUN = 5


@dg.asset_check(asset="backtest_result", description="The newest results can be had again from their manifests.")
def backtest_is_reproducible(home: HomeResource) -> dg.AssetCheckResult:
    """Runs the newest results again and compares their hashes."""
    opened = home.open()
    with opened.database.transaction() as connection:
        newest = results(connection, RERUN)
    try:
        prices = prices_in(opened.settings.prices_path) if newest else None
    except PriceError as error:
        return dg.AssetCheckResult(passed=False, description=str(error))
    changed = {row.result_id: changed_since(row, prices) for row in newest if prices is not None}
    wrong = {number: why for number, why in changed.items() if why}
    said = "; ".join(f"result {number}: {', '.join(why)}" for number, why in wrong.items())
    return dg.AssetCheckResult(
        passed=not wrong,
        description=said or f"{len(changed)} results were run again and are the same",
        metadata={"run_again": len(changed), "different": len(wrong)},
    )


@dg.asset_check(asset="backtest_result", description="No accepted result falls short of the policy's numbers.")
def backtest_is_not_snooped(home: HomeResource) -> dg.AssetCheckResult:
    """Holds accepted results to the deflated Sharpe ratio and the overfitting that the policy asks for now."""
    opened = home.open()
    policy = policy_from(opened.policy.backtest)
    with opened.database.transaction() as connection:
        accepted = [row for row in results(connection, 500) if row.accepted]
    short = [
        row.result_id
        for row in accepted
        if (row.deflated_sharpe or 0.0) < policy.least_deflated_sharpe or (row.pbo or 0.0) > policy.most_overfitting
    ]
    return dg.AssetCheckResult(
        passed=not short,
        severity=dg.AssetCheckSeverity.ERROR,
        description=f"results {short} fall short" if short else f"{len(accepted)} accepted results hold",
        metadata={"accepted": len(accepted), "short": len(short)},
    )
