"""The commands of ``backtest``: try what was asked for, list results, run one again, open a holdout once."""

from dataclasses import asdict

import click

from viska_assets.backtest.prices import PriceError, Prices, prices_in
from viska_assets.backtest.requests import changed_since, open_holdout, policy_from, run_requests
from viska_assets.backtest.signals import StrategyError
from viska_assets.cli.output import Exit, as_json, console, print_json, print_table, refuse
from viska_assets.store.home import Home
from viska_assets.store.supervised.backtest_rows import results
from viska_assets.supervise.connecting import connect


@click.group()
def backtest() -> None:
    """Backtests of proposed strategies on frozen prices."""


@backtest.command()
@as_json
def run(json_out: bool) -> None:
    """Try every strategy that was asked for and not tried yet."""
    home = Home()
    section = home.policy.backtest
    plutus = connect("plutus", home.settings)
    done = run_requests(plutus, _prices(home), policy_from(section), model_knows_until=section.model_knows_until)
    rows = [
        {
            "request": found.request.request_id,
            "family": found.request.family,
            "result": found.result_id,
            "accepted": bool(found.evaluation and found.evaluation.accepted),
            "reason": found.error or "; ".join(found.evaluation.reasons if found.evaluation else ()),
        }
        for found in done
    ]
    if json_out:
        print_json(rows)
        return
    print_table(("request", "family", "result", "accepted", "reason"), [tuple(row.values()) for row in rows])


@backtest.command(name="list")
@as_json
def list_results(json_out: bool) -> None:
    """List the newest results."""
    home = Home()
    with home.database.transaction() as connection:
        found = results(connection)
    if json_out:
        print_json([asdict(row) for row in found])
        return
    rows = [
        (
            r.result_id,
            r.family,
            f"{r.metrics['sharpe']:.2f}",
            f"{r.deflated_sharpe or 0:.3f}",
            r.trials,
            r.accepted,
            r.reason,
        )
        for r in found
    ]
    print_table(("result", "family", "Sharpe", "deflated", "tries", "accepted", "reason"), rows)


@backtest.command()
@click.argument("result", type=int)
def rerun(result: int) -> None:
    """Run RESULT again from its manifest and compare; exit code 1 where anything differs."""
    home = Home()
    with home.database.transaction() as connection:
        found = results(connection, ids=[result])
    if not found:
        refuse(f"there is no result {result}; `viska backtest list` names those that are", Exit.USAGE)
    differs = changed_since(found[0], _prices(home))
    for line in differs:
        console.print(line)
    if differs:
        raise SystemExit(int(Exit.REFUSED))
    console.print(f"result {result} is the same: {found[0].manifest['result_sha256'][:16]}")


@backtest.command()
@click.argument("result", type=int)
def holdout(result: int) -> None:
    """Show how accepted RESULT did on its holdout: once, and on record."""
    home = Home()
    try:
        plutus, policy = connect("plutus", home.settings), policy_from(home.policy.backtest)
        metrics = open_holdout(plutus, result, _prices(home), policy)
    except StrategyError as error:
        refuse(str(error), Exit.REFUSED)
    print_table(("figure", "value"), [(name, f"{value:.4f}") for name, value in asdict(metrics).items()])


def _prices(home: Home) -> Prices:
    try:
        return prices_in(home.settings.prices_path)
    except PriceError as error:
        refuse(str(error), Exit.USAGE)
