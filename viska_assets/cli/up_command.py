"""``viska up`` and ``viska status``: everything started, and how much there is of it."""

import signal
import time
from collections.abc import Sequence
from dataclasses import asdict

import click

from viska_assets.cli import output
from viska_assets.cli.output import as_json, print_json, print_table, refuse
from viska_assets.store.home import Home
from viska_assets.store.summary import Summary, summarise
from viska_assets.store.supervised.flags import WriterState, writer_states

WORTH_SEEING = (
    ("/asset-groups", "the lineage: sources, chunks, drafts, pages, graph (expand the groups)"),
    ("/assets/concept_drafts?view=checks&checkDetail=p2_grounded_number", "a fabricated number, caught"),
    ("/assets/quarantine_queue", "what the gate turned away, and how to clear it"),
    ("/assets/concept_pages", "a page of the bundle"),
    ("/assets/signals_rejected", "what the review turned away, and why"),
    ("/automation", "the sensors and the nightly schedules"),
)


@click.command()
@click.option("--sample", is_flag=True, help="Put the sample feed into the drop folder first.")
@click.option("--headless", is_flag=True, help="Run the ingest job once, print a summary, and do not serve.")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=3000, show_default=True)
@as_json
def up(sample: bool, headless: bool, host: str, port: int, json_out: bool) -> None:
    """Start everything: database, schema, one ingest run over the drop folder, then webserver and daemon."""
    from viska_assets.cli.loop_start import run_sample, turn_on
    from viska_assets.cli.sample import SAMPLE_CLOCK, drop_samples
    from viska_assets.cli.serving import Services, run_assets, run_ingest_job

    home = Home()
    started = time.perf_counter()
    with home.reading.transaction() as connection:
        before = summarise(connection)
    copied = drop_samples(home.settings) if sample else []
    home.settings.drop_path.mkdir(parents=True, exist_ok=True)
    with output.progress_console.status("running ingest_documents: chunks, evidence, drafts, gate, pages, graph"):
        passed = run_ingest_job(home, {"VISKA_NOW": SAMPLE_CLOCK} if sample else {})
    if before.documents == 0:
        with output.progress_console.status("running the first lint and parity eval"):
            passed = run_assets(home, ("lint_report", "eval_set", "parity_eval", "parity_gate")) and passed
    off = turn_on(home)
    if sample and before.documents == 0 and not off:
        with output.progress_console.status("running nous and the review on a sample request"):
            passed = run_sample(home) and passed
    with home.reading.transaction() as connection:
        after = summarise(connection)
    _print_summary(before, after, copied, time.perf_counter() - started, json_out)
    if off:
        output.progress_console.print(off)
    if not passed:
        refuse("a step of the ingest run failed; its run in the Dagster UI says which")
    if headless:
        home.close()
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    services = Services(home, host, port)
    try:
        if not services.wait_until_up():
            refuse(f"the web server did not come up; see {home.settings.home_path / 'dagster' / 'services.log'}")
        output.console.print(f"\nViska is up at [bold]{services.url}[/bold] (stop it with Ctrl-C). Worth seeing:")
        for path, what in WORTH_SEEING:
            output.console.print(f"  {services.url}{path}\n      {what}")
        output.console.print(f"Drop files into {home.settings.drop_path}; the sensor takes them from there.")
        while services.running():
            time.sleep(1)
        refuse("a Dagster process ended by itself; see services.log in the home")
    except KeyboardInterrupt:
        output.console.print("Stopping.")
    finally:
        services.stop()


@click.command()
@as_json
def status(json_out: bool) -> None:
    """Print how much there is of everything but private vaults, and whether each writer may write."""
    from viska_assets.cli.feed_commands import feed_rows, print_feeds

    home = Home()
    with home.reading.transaction() as connection:
        summary = summarise(connection)
    with home.database.transaction() as connection:
        writers = writer_states(connection)
    watched = feed_rows(home)
    if json_out:
        print_json(summary.as_dict() | {"feeds": watched, "writers": [asdict(state) for state in writers]})
        return
    print_table(("what", "how many"), _rows(summary))
    if watched:
        print_feeds(watched)
    if writers:
        print_table(("writer", "state", "sessions", "last word on its flag"), [_writer(state) for state in writers])


def _writer(state: WriterState) -> Sequence[object]:
    said = "killed" if not state.can_log_in else "paused" if state.active is False else "active"
    word = f"{state.requested_by}: {state.reason}" if state.requested_by else ""
    return state.writer.value, said, state.sessions, word


def _rows(summary: Summary) -> Sequence[tuple[str, object]]:
    return [(name.replace("_", " "), value) for name, value in summary.as_dict().items()]


def _print_summary(before: Summary, after: Summary, copied: list[str], seconds: float, json_out: bool) -> None:
    earlier = before.as_dict()
    changed = {name: value for name, value in after.as_dict().items() if value != earlier[name]}
    if json_out:
        print_json({"summary": after.as_dict(), "changed": changed, "copied": copied, "seconds": round(seconds, 2)})
        return
    rows = [
        (name.replace("_", " "), value, _difference(earlier[name], value)) for name, value in after.as_dict().items()
    ]
    print_table(("what", "now", "this run"), rows, title="Viska")
    if not changed:
        output.console.print("Nothing was new: no document, chunk, draft or page was written.")


def _difference(before: int | str, now: int | str) -> str:
    if isinstance(now, int) and isinstance(before, int):
        return f"+{now - before}" if now != before else ""
    return "new" if now != before else ""
