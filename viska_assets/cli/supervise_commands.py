"""``viska roles``, ``pause``, ``resume``, ``kill``, ``revive`` and ``audit``: the writers, and who stops them."""

import getpass
import os
from dataclasses import asdict

import click

from viska_assets.cli.output import Exit, as_json, console, print_json, print_table, refuse
from viska_assets.store.home import Home
from viska_assets.store.supervised.anchors import anchor_in_bundle, anchors_in_bundle
from viska_assets.store.supervised.attacks import Outcome
from viska_assets.store.supervised.audit_rows import shown
from viska_assets.store.supervised.matrix import KILLABLE, PAUSABLE, Writer
from viska_assets.store.supervised.roles import apply_roles, drop_roles
from viska_assets.supervise import auditing, killing, pausing
from viska_assets.supervise.proving import Proof, prove_roles

_pausable = click.argument("writer", type=click.Choice([writer.value for writer in PAUSABLE]))
_killable = click.argument("writer", type=click.Choice([writer.value for writer in KILLABLE]))
_reason = click.option("--reason", required=True, help="Why; it stands in the audit.")


def _who() -> str:
    return f"human:{os.environ.get('SUDO_USER') or getpass.getuser()}"


@click.group()
def roles() -> None:
    """The writers of the loop as roles of the database: make them, and prove what they may do."""


@roles.command()
@click.option("--rotate", is_flag=True, help="Make every password anew that Viska keeps.")
@as_json
def apply(rotate: bool, json_out: bool) -> None:
    """Make the roles and their grants, or mend them; may be run as often as one likes."""
    home = Home()
    done = apply_roles(home.settings, home.database, rotate=rotate)
    if json_out:
        print_json({"roles": done.roles, "created": done.created, "grants": done.grants, "notes": done.notes})
        return
    print_table(("writer", "role"), [(writer.value, role) for writer, role in done.roles.items()])
    console.print(f"{len(done.created)} made, {done.grants} grants in force.")
    for note in done.notes:
        console.print(f"[yellow]{note}[/yellow]")


@roles.command()
@as_json
def verify(json_out: bool) -> None:
    """Attack the database as every writer, print each denial, and fail where anything surprises."""
    home = Home()
    proof = prove_roles(home.settings, home.database)
    if json_out:
        print_json(
            {
                "attacks": len(proof.outcomes),
                "denied": proof.denied,
                "relations": proof.relations,
                "untried": proof.untried,
                "surprises": [_row(outcome) for outcome in proof.surprises],
                "outcomes": [_row(outcome) for outcome in proof.outcomes],
            }
        )
    else:
        _print_proof(proof)
    if not proof.holds:
        raise SystemExit(int(Exit.REFUSED))


@roles.command()
def drop() -> None:
    """Remove the roles of this database, with their grants and passwords; the rows stay."""
    home = Home()
    gone = drop_roles(home.settings, home.database)
    console.print(f"{len(gone)} roles removed.")


def _row(outcome: Outcome) -> dict[str, object]:
    attack = outcome.attack
    return {
        "writer": attack.writer.value,
        "attack": attack.kind,
        "on": attack.target,
        "allowed": attack.is_allowed,
        "passed": outcome.passed,
        "said": outcome.said,
    }


def _print_proof(proof: Proof) -> None:
    denials: dict[tuple[str, str], list[str]] = {}
    for outcome in proof.outcomes:
        if not outcome.passed:
            denials.setdefault((outcome.attack.writer.value, outcome.attack.target), []).append(outcome.attack.kind)
    for (writer, target), kinds in denials.items():
        click.echo(f"{writer:<10} {target}: denied {', '.join(kinds)}")
    print_table(("writer", "attacks", "denied", "surprises"), proof.by_writer())
    for outcome in proof.surprises:
        said = "was let through" if outcome.passed else f"was denied: {outcome.said}"
        console.print(
            f"[red]✗[/red] {outcome.attack.writer.value}: {outcome.attack.kind} {outcome.attack.target} {said}"
        )
    for why in proof.untried:
        console.print(f"[red]✗[/red] {why}")
    if proof.holds:
        console.print(f"[green]✓[/green] {len(proof.outcomes)} attacks on {proof.relations} relations, as designed.")


@click.command()
@_pausable
@_reason
@as_json
def pause(writer: str, reason: str, json_out: bool) -> None:
    """Pause a writer: it writes nothing from now on, not even what it has begun."""
    home = Home()
    number = pausing.pause(home.settings, home.database, Writer(writer), reason=reason, requested_by=_who())
    _said({"writer": writer, "active": False, "flag_no": number}, f"{writer} is paused.", json_out)


@click.command()
@_pausable
@_reason
@as_json
def resume(writer: str, reason: str, json_out: bool) -> None:
    """Let a paused writer write again."""
    home = Home()
    number = pausing.resume(home.settings, home.database, Writer(writer), reason=reason, requested_by=_who())
    _said({"writer": writer, "active": True, "flag_no": number}, f"{writer} may write again.", json_out)


@click.command()
@_killable
@_reason
@as_json
def kill(writer: str, reason: str, json_out: bool) -> None:
    """Disable a writer's role and end all its sessions; what they had not committed is gone."""
    home = Home()
    try:
        done = killing.kill(home.settings, home.database, Writer(writer), reason=reason, requested_by=_who())
    except killing.KillError as error:
        refuse(str(error), Exit.REFUSED)
    _said(asdict(done), f"{writer} is disabled; {done.sessions} sessions ended in {done.milliseconds} ms.", json_out)


@click.command()
@_killable
@_reason
@as_json
def revive(writer: str, reason: str, json_out: bool) -> None:
    """Let a disabled writer log in again."""
    home = Home()
    killing.revive(home.settings, home.database, Writer(writer), reason=reason, requested_by=_who())
    _said({"writer": writer, "enabled": True}, f"{writer} may log in again.", json_out)


def _said(found: dict[str, object], text: str, json_out: bool) -> None:
    if json_out:
        print_json(found)
    else:
        console.print(text)


@click.group()
def audit() -> None:
    """The audit trail: seal it, verify it, look at it."""


@audit.command("seal")
@as_json
def seal_now(json_out: bool) -> None:
    """Seal what finished transactions left, and keep the new head beside the bundle."""
    home = Home()
    sealed, head = auditing.seal(home.settings, home.database)
    commit = anchor_in_bundle(home.bundle, head, home.settings.clock())
    _said(
        {"sealed": sealed, "seq": head.seq, "hash": head.hash, "anchor": commit},
        f"{sealed} entries sealed; the chain is at {head.seq}.",
        json_out,
    )


@audit.command("verify")
@as_json
def verify_chain(json_out: bool) -> None:
    """Recompute the chain, compare rows with it, and hold it against every head that the bundle remembers."""
    home = Home()
    report = auditing.verify(home.database, anchors_in_bundle(home.bundle))
    if json_out:
        print_json(asdict(report) | {"intact": report.is_intact})
    else:
        for fault in report.broken:
            console.print(f"[red]✗[/red] {fault.fault.value}: {fault.place}: {fault.detail}")
        console.print(
            f"{report.links} links, {report.waiting} entries not sealed yet, {report.anchors} heads kept elsewhere: "
            + ("[green]intact[/green]" if report.is_intact else "[red]broken[/red]")
        )
        if not report.anchors:
            console.print(
                "[yellow]no head is kept elsewhere: an end cut off would not be seen; `viska audit seal`[/yellow]"
            )
    if not report.is_intact:
        raise SystemExit(int(Exit.REFUSED))


@audit.command("show")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 10_000))
@click.option("--about", default="", help="Objects that begin so, e.g. review.verdict: or writer:nous.")
@click.option("--actor", default="", help="Only what this writer did.")
@as_json
def show(limit: int, about: str, actor: str, json_out: bool) -> None:
    """List the newest entries."""
    with Home().database.transaction() as connection:
        rows = shown(connection, limit=limit, about=about, actor=actor)
    if json_out:
        print_json({"entries": rows})
        return
    print_table(
        ("at", "actor", "action", "object", "seal", "detail"),
        [(r["at"][:23], r["actor"], r["action"], r["object"], r["seq"] or "-", str(r["detail"])[:160]) for r in rows],
    )
