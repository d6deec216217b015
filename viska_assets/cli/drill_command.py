"""``viska drill``: the failure table, injected on a fresh instance, and whether everything held."""

import logging

import click

from viska_assets.cli.output import Exit, as_json, print_json, print_table, progress_console
from viska_assets.supervise.drill.ground import ground
from viska_assets.supervise.drill.running import SCENARIOS, Row, run_drill


@click.command()
@click.option("--only", multiple=True, help="Only faults whose name holds this; may be given more than once.")
@as_json
def drill(only: tuple[str, ...], json_out: bool) -> None:
    """Inject every fault of the failure table on a fresh instance of its own; exit code 1 where one did not hold.

    Nothing of your home is touched: the drill makes a home, a Postgres and a stand-in for Slack, and removes them.
    """
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    logging.getLogger("viska_assets").setLevel(logging.CRITICAL)
    chosen = [one for one in SCENARIOS if not only or any(word in one.fault for word in only)]
    with progress_console.status("making a fresh instance"), ground() as found:
        rows = run_drill(found, chosen, said=_say)
    if json_out:
        print_json([row.as_dict() for row in rows])
    else:
        print_table(
            ("fault", "detector", "responder", "incident", "noticed by", "seconds", "held"),
            [_cells(row) for row in rows],
        )
    if not rows or not all(row.held.is_held for row in rows):
        raise SystemExit(int(Exit.REFUSED))


def _cells(row: Row) -> tuple[object, ...]:
    missed = [name for name, holds in row.held.checks.items() if not holds]
    seconds = "" if row.held.seconds is None else f"{row.held.seconds:.2f}"
    scenario = row.scenario
    said = f"MISSED: {', '.join(missed)}" if missed else "held"
    return scenario.fault, scenario.detector, scenario.responder, scenario.kind.value, row.held.detector, seconds, said


def _say(row: Row) -> None:
    progress_console.print(f"{'✓' if row.held.is_held else '✗'} {row.scenario.fault}")
