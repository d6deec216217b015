"""``viska governance``: what the daemon sees, one cycle of it, incidents and measures of the supervised loop."""

from dataclasses import asdict

import click

from viska_assets.cli.output import Exit, as_json, console, print_json, print_table, refuse
from viska_assets.store.home import Home
from viska_assets.store.supervised.flags import flags, writer_states
from viska_assets.store.supervised.incident_rows import incident_counts, newest_incidents
from viska_assets.store.supervised.incidents import IncidentKind
from viska_assets.store.supervised.measures import DEPTH, resume_requests
from viska_assets.store.supervised.metric_rows import latest, names, series
from viska_assets.supervise import connect
from viska_assets.supervise.governance.actions import Action
from viska_assets.supervise.governance.cycle import GovernanceError
from viska_assets.supervise.outside.watching import watch
from viska_assets.supervise.spool.files import aside_names, waiting_names


@click.group()
def governance() -> None:
    """The daemon that pauses, slows, cancels and tells, and what it saw."""


@governance.command()
@as_json
def status(json_out: bool) -> None:
    """Print flags, requests to resume, the spool and when the daemon last ran; exit code 1 where it never did."""
    home = Home()
    with home.database.transaction() as connection:
        found = {
            "last_cycle": (last := latest(connection, DEPTH, "governance")) and last.at,
            "queue_depth": last and last.value,
            "flags": [asdict(state) for state in flags(connection)],
            "writers": [asdict(state) for state in writer_states(connection)],
            "resume_requests": resume_requests(connection),
            "incidents": incident_counts(connection),
            "spool": waiting_names(home.settings.spool_path),
            "spool_aside": aside_names(home.settings.spool_path),
        }
    if json_out:
        print_json(found)
    else:
        _print_status(found)
    if found["last_cycle"] is None:
        raise SystemExit(int(Exit.REFUSED))


def _print_status(found: dict[str, object]) -> None:
    rows = found["flags"]
    assert isinstance(rows, list)
    print_table(
        ("flag", "value", "on whose word", "why", "since"),
        [(r["flag"].value, str(r["value"]).lower(), r["requested_by"], r["reason"], str(r["at"])[:19]) for r in rows],
    )
    asked = found["resume_requests"]
    assert isinstance(asked, list)
    for one in asked:
        console.print(
            f"[yellow]asked to resume[/yellow] {one['flag']}: {one['requested_by']}: {one['reason']} "
            f"(paused by {one['paused_by']}: {one['paused_because']})",
            markup=True,
        )
    for name in ("spool", "spool_aside"):
        waiting = found[name]
        assert isinstance(waiting, tuple)
        if waiting:
            console.print(f"[yellow]{name}[/yellow]: {len(waiting)} files, the oldest {waiting[0]}")
    if found["last_cycle"] is None:
        console.print("[red]✗[/red] the daemon has never run; is the sensor governance_daemon on?")
    else:
        console.print(f"The daemon last ran at {str(found['last_cycle'])[:19]}; {found['queue_depth']:g} wait.")


@governance.command()
@as_json
def cycle(json_out: bool) -> None:
    """Run one cycle now; exit code 1 where it did anything, 3 where it could not judge and paused the writers."""
    home = Home()
    try:
        done = watch(home.settings, home.database, lambda: connect("governance", home.settings))
    except GovernanceError as error:
        refuse(str(error))
    if done is None:
        refuse("no writer's role is applied; run `viska roles apply`")
    said = [_words(action) for action in done.actions]
    if json_out:
        print_json({"measures": asdict(done.measures), "actions": said, "policy_sha256": done.policy_sha256})
    else:
        for line in said:
            console.print(f"[yellow]![/yellow] {line}", markup=True)
        console.print(f"{done.measures.pending.count} artifacts wait for a verdict; {len(said)} things were done.")
    if not done.is_quiet:
        raise SystemExit(int(Exit.REFUSED))


@governance.command()
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 10_000))
@click.option("--kind", type=click.Choice([kind.value for kind in IncidentKind]), default=None)
@as_json
def incidents(limit: int, kind: str | None, json_out: bool) -> None:
    """List the loop's incidents, newest first."""
    with Home().database.transaction() as connection:
        found = newest_incidents(connection, limit, kind or "")
    if json_out:
        print_json(found)
        return
    print_table(
        ("number", "at", "kind", "severity", "noticed by", "what"),
        [(r["incident_id"], str(r["at"])[:19], r["kind"], r["severity"], r["detector"], r["detail"]) for r in found],
    )


@governance.command()
@click.argument("name", required=False)
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 10_000))
@as_json
def metrics(name: str | None, limit: int, json_out: bool) -> None:
    """List the last value of each measure, or the last values of NAME."""
    with Home().database.transaction() as connection:
        if name:
            found = series(connection, name, limit)
        else:
            found = [one for known in names(connection) if (one := latest(connection, known))]
    if json_out:
        print_json([asdict(one) for one in found])
        return
    print_table(("measure", "value", "at"), [(one.name, f"{one.value:g}", one.at.isoformat()[:19]) for one in found])


def _words(action: Action) -> str:
    return f"{type(action).__name__.lower()}: " + ", ".join(f"{k} {v}" for k, v in asdict(action).items())
