"""``viska parity``: run the eval, read and compare its runs, and flip who answers."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from viska_assets.cli.output import Exit, as_json, console, print_json, print_table, progress_console, refuse
from viska_assets.engines.protocols import EngineError
from viska_assets.parity.comparing import Comparison, compare_runs
from viska_assets.parity.eval_set import EvalSetError
from viska_assets.parity.flipping import demote as demote_retrieval
from viska_assets.parity.flipping import rollback as roll_back
from viska_assets.parity.run import PATHS
from viska_assets.parity.running import ParityError, Recorded, export_run, run_and_record, run_json
from viska_assets.query.library import Library
from viska_assets.store.home import Home
from viska_assets.store.parity_gate import Flip, flips, synthesis_is_open, tier_in_force
from viska_assets.store.parity_rows import StoredRun, stored_run, stored_runs

FIGURES = (
    ("correctness, 0 to 2", "correct_mean"),
    ("answered", "answered_rate"),
    ("claims cited rightly", "citation_correct"),
    ("citations needed", "citation_precision"),
    ("fabrications", "fabrications"),
    ("claims withheld", "withheld"),
    ("p50, ms", "p50_ms"),
    ("p95, ms", "p95_ms"),
    ("first call p95, ms", "cold_p95_ms"),
)


@click.group()
def parity() -> None:
    """The eval that decides whether questions may be answered from the synthesis tier."""


@parity.command()
@click.option(
    "--set",
    "sets",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="An eval set in place of the desk's own; may be given several times.",
)
@as_json
def run(sets: tuple[Path, ...], json_out: bool) -> None:
    """Ask both tiers every question, store the run, print the verdict. Exit code 1 unless it is a PASS."""
    home = Home()
    recorded = _run(home, sets or None)
    _show(recorded.stored, json_out)
    if not recorded.passed:
        raise SystemExit(int(Exit.REFUSED))


@parity.command()
@click.argument("number", type=int, required=False)
@click.option("--export", type=click.Path(dir_okay=False, path_type=Path), help="Write the run there as JSON.")
@click.option("--answers", is_flag=True, help="Print every question with both answers.")
@as_json
def show(number: int | None, export: Path | None, answers: bool, json_out: bool) -> None:
    """Show a run, the newest one unless its number is given."""
    stored = _stored(Home(), number)
    if export is not None:
        click.echo(f"{export_run(stored, export)}: written", err=True)
    _show(stored, json_out, answers=answers)


@parity.command("list")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True)
@as_json
def list_(limit: int, json_out: bool) -> None:
    """List the newest runs."""
    with Home().database.transaction() as connection:
        runs = stored_runs(connection, limit)
    if json_out:
        print_json([{k: v for k, v in run_json(each).items() if k != "answers"} for each in runs])
        return
    print_table(
        ("run", "when", "engine", "verdict", "synthesis", "baseline", "bundle"),
        [
            (
                each.run_id,
                each.recorded_at.isoformat(timespec="seconds"),
                each.engine,
                each.verdict,
                _figure(each.summary, "synthesis", "correct_mean"),
                _figure(each.summary, "baseline", "correct_mean"),
                each.bundle_commit[:10],
            )
            for each in runs
        ],
    )


@parity.command()
@click.argument("first", type=int)
@click.argument("second", type=int)
@as_json
def compare(first: int, second: int, json_out: bool) -> None:
    """Compare two runs: figures side by side, and each question whose grade changed."""
    home = Home()
    compared = compare_runs(_stored(home, first), _stored(home, second))
    if json_out:
        print_json(asdict(compared))
        return
    _print_comparison(compared)


@parity.command()
@as_json
def status(json_out: bool) -> None:
    """Say who answers questions of synthesis shape, why, and who flipped the flag when."""
    home = Home()
    engine = Library(home).engine
    with home.database.transaction() as connection:
        gate, tier, trail = synthesis_is_open(connection, engine), tier_in_force(connection), flips(connection)
    if json_out:
        print_json(asdict(gate) | {"engine": engine, "flag": tier, "flips": [asdict(flip) for flip in trail]})
        return
    console.print(gate.reason)
    if gate.bundle_commit:
        console.print(f"the run saw bundle commit {gate.bundle_commit[:10]}; engine in force {engine}")
    if trail:
        print_table(("when", "action", "by", "why", "run"), [_flip(flip) for flip in trail])


@parity.command()
@click.option("--reason", required=True, help="Why.")
@click.option("--actor", default="operator", show_default=True, help="On whose word.")
@as_json
def demote(reason: str, actor: str, json_out: bool) -> None:
    """Hand questions of synthesis shape to the pages: runs the eval now, and refuses without a PASS."""
    home = Home()
    try:
        flip = demote_retrieval(home, lambda: _run(home, None), actor=f"human:{actor}", reason=reason)
    except ParityError as error:
        refuse(str(error), Exit.REFUSED)
    _say_flip(flip, json_out)


@parity.command()
@click.option("--reason", required=True, help="Why.")
@click.option("--actor", default="operator", show_default=True, help="On whose word.")
@as_json
def rollback(reason: str, actor: str, json_out: bool) -> None:
    """Give questions of synthesis shape back to the retrieval tier, at once."""
    try:
        flip = roll_back(Home(), actor=f"human:{actor}", reason=reason)
    except ParityError as error:
        refuse(str(error), Exit.REFUSED)
    _say_flip(flip, json_out)


def _run(home: Home, sets: Sequence[Path] | None) -> Recorded:
    with progress_console.status("asking both tiers") as shown, Library(home).reader() as reader:
        embedder = reader.embedder()
        if embedder is None:
            raise EngineError("the embedder cannot be loaded, and a baseline without its dense leg is no baseline")
        try:
            return run_and_record(
                home, embedder, files=sets, progress=lambda done, of: shown.update(f"asking both tiers, {done} of {of}")
            )
        except EvalSetError as error:
            refuse(str(error), Exit.REFUSED)
        except ParityError as error:
            refuse(str(error), Exit.REFUSED)


def _stored(home: Home, number: int | None) -> StoredRun:
    with home.database.transaction() as connection:
        stored = stored_run(connection, number)
    if stored is None:
        said = "there is no parity run yet" if number is None else f"there is no parity run {number}"
        refuse(f"{said}; `viska parity run` makes one, `viska parity list` lists them", Exit.REFUSED)
    return stored


def _show(stored: StoredRun, json_out: bool, *, answers: bool = False) -> None:
    if json_out:
        print_json(run_json(stored))
        return
    summary = stored.summary
    console.print(f"[bold]{stored.verdict}[/bold]: {summary.get('why', '')}")
    console.print(
        f"run {stored.run_id} of engine {stored.engine}, bundle {stored.bundle_commit[:10] or 'empty'}, "
        f"{summary.get('counted', 0)} of {summary.get('questions', 0)} questions count, "
        f"{summary.get('repeats', 0)} warm rounds"
    )
    if summary.get("bundle_moved_to"):
        console.print(f"the bundle moved on to {summary['bundle_moved_to'][:10]} meanwhile")
    rows = [(name, *(_figure(summary, path, key) for path in PATHS)) for name, key in FIGURES]
    print_table(("figure", *PATHS), rows)
    print_table(
        ("criterion", "standing", "figure"),
        [(each["name"], each["standing"], each["figure"]) for each in summary.get("criteria", [])],
    )
    for key, title in (("by_shape", "by shape"), ("by_answer_type", "by answer")):
        print_table((title, "questions", *PATHS, "difference", "95 %"), _parts(summary.get(key, {})))
    for remark in summary.get("remarks", []):
        console.print(f"* {remark}")
    if answers:
        _print_answers(stored)


def _parts(parts: Mapping[str, Any]) -> list[tuple[object, ...]]:
    return [
        (
            name,
            part["questions"],
            *(f"{part[path]['correct_mean']:.2f}" for path in PATHS),
            f"{part['difference']:+.2f}",
            f"{part['interval'][0]:+.2f} to {part['interval'][1]:+.2f}",
        )
        for name, part in parts.items()
    ]


def _print_answers(stored: StoredRun) -> None:
    for answer in stored.answers:
        console.print(f"\n[bold]{answer['id']}[/bold] ({answer['shape']}) {answer['question']}", markup=True)
        for path in PATHS:
            said = answer[path]
            text = said["answer"] or f"no answer: {said['crash'] or said['reason']}"
            console.print(f"  {path}: {said['correct']} {text}", markup=False)
            if said["why"]:
                console.print(f"    {said['why']}", markup=False)
            for citation in said["citations"]:
                console.print(f"    [{citation['id']}] {citation['resource']} “{citation['excerpt']}”", markup=False)


def _print_comparison(compared: Comparison) -> None:
    columns = ("figure", f"run {compared.first}", f"run {compared.second}")
    print_table(columns, [(f"{line.path} {line.figure}", line.before, line.after) for line in compared.figures])
    if compared.changed:
        print_table(
            ("question", "path", "grade", "why"),
            [(each.question, each.path, f"{each.before} → {each.after}", each.why) for each in compared.changed],
        )
    for remark in compared.remarks:
        console.print(f"* {remark}")


def _figure(summary: Mapping[str, Any], path: str, key: str) -> object:
    return summary.get(path, {}).get(key, "")


def _flip(flip: Flip) -> tuple[object, ...]:
    return flip.recorded_at.isoformat(timespec="seconds"), flip.action.value, flip.actor, flip.reason, flip.run_id or ""


def _say_flip(flip: Flip, json_out: bool) -> None:
    if json_out:
        print_json(asdict(flip))
        return
    console.print(f"{flip.to_tier.value} answers questions of synthesis shape now (flip {flip.flip_no}, {flip.actor})")
