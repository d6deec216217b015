"""Backtests as an asset: what was asked for and not tried yet is run, each try on record before its result."""

from time import perf_counter

import dagster as dg

from resources.home import HomeResource
from resources.writers import WriterResource
from viska_assets.assets.backtest_picture import draw_backtest
from viska_assets.assets.previews import seconds_since, table
from viska_assets.assets.retrieval import OWNERS
from viska_assets.backtest.prices import PriceError, prices_in
from viska_assets.backtest.requests import Ran, policy_from, run_requests
from viska_assets.store.supervised.backtest_rows import ResultRow, results
from viska_assets.store.supervised.errors import RolesError

PICTURES = 3
_COLUMNS = ("result", "family", "sharpe", "deflated", "pbo", "tries", "accepted", "reason")


@dg.asset(group_name="boundary_b_supervised", kinds={"postgres", "pandas"}, owners=OWNERS, code_version="1")
def backtest_result(home: HomeResource, pg_plutus: WriterResource) -> dg.MaterializeResult:
    """Strategies that were asked for, run on frozen prices before the holdout, and judged after all tries of a family.

    Run again, it tries nothing twice. Equity and drawdown of the newest are shown below.
    """
    started = perf_counter()
    opened = home.open()
    try:
        database = pg_plutus.open()
    except RolesError as error:
        return dg.MaterializeResult(metadata={"dagster/row_count": 0, "note": f"not run: {error}"})
    try:
        prices = prices_in(opened.settings.prices_path)
    except PriceError as error:
        return dg.MaterializeResult(metadata={"dagster/row_count": 0, "note": f"not run: {error}"})
    section = opened.policy.backtest
    ran = run_requests(database, prices, policy_from(section), model_knows_until=section.model_knows_until)
    with database.transaction() as connection:
        newest = results(connection)
    failed = [{"request": found.request.request_id, "why": found.error} for found in ran if found.error]
    pictures = [draw_backtest(_title(found), found.evaluation.result) for found in ran if found.evaluation][-PICTURES:]
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(newest),
            "tried_now": len(ran),
            "not_run": table(failed, ("request", "why")),
            "results": table([_row(row) for row in newest], _COLUMNS),
            "data_sha256": prices.sha256,
            "seconds": seconds_since(started),
            "equity": dg.MetadataValue.md("\n\n".join(pictures) or "Nothing new was tried."),
        }
    )


def _title(found: Ran) -> str:
    assert found.evaluation is not None
    metrics = found.evaluation.metrics
    verdict = "accepted" if found.evaluation.accepted else "refused"
    return (
        f"{found.request.family}, result {found.result_id}: {verdict}, Sharpe {metrics.sharpe:.2f}, "
        f"deflated {found.evaluation.snooping.deflated_sharpe:.2f} after {found.evaluation.snooping.trials} tries"
    )


def _row(row: ResultRow) -> dict[str, object]:
    return {
        "result": row.result_id,
        "family": row.family,
        "sharpe": f"{row.metrics['sharpe']:.2f}",
        "deflated": f"{row.deflated_sharpe:.3f}" if row.deflated_sharpe is not None else "",
        "pbo": f"{row.pbo:.2f}" if row.pbo is not None else "",
        "tries": row.trials,
        "accepted": "yes" if row.accepted else "no",
        "reason": row.reason,
    }
