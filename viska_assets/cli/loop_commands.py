"""``viska nous`` and ``viska review``: run the loop's two workers by hand and look at what they did."""

import getpass
import os
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from viska_assets.cli.output import Exit, as_json, console, print_json, print_table, refuse
from viska_assets.store.home import Home
from viska_assets.store.supervised.loop_rows import (
    add_request,
    pending_rows,
    queue_rows,
    sessions,
    trace_rows,
    verdict_of,
)
from viska_assets.store.supervised.verdicts import transcript as lines_of
from viska_assets.supervise import connect
from viska_assets.supervise.nous.model_reasoner import reasoner_pin
from viska_assets.supervise.nous.ticking import tick as run_tick
from viska_assets.supervise.review.reviewing import review as run_review
from viska_assets.supervise.review.signing import SignOffError
from viska_assets.supervise.review.signing import sign_off as sign


@click.group()
def nous() -> None:
    """The reasoning writer: ask it for research, run it once, look at its queue and traces."""


@nous.command()
@click.argument("subject")
@click.option("--reason", default="", help="What to look for.")
@click.option("--priority", default=0, show_default=True, help="Higher goes first.")
@as_json
def ask(subject: str, reason: str, priority: int, json_out: bool) -> None:
    """Queue a request on a concept (issuers/acme) or a document's id."""
    home = Home()
    key = f"cli:{uuid.uuid4().hex}"
    who = f"human:{os.environ.get('SUDO_USER') or getpass.getuser()}"
    with connect("plutus", home.settings).transaction() as connection:
        add_request(connection, key=key, subject=subject, requested_by=who, priority=priority, reason=reason)
    _said({"request_key": key, "subject": subject}, f"Queued: {subject}.", json_out)


@nous.command()
@as_json
def tick(json_out: bool) -> None:
    """Claim one request or flagged document and work it off."""
    from viska_assets.assets.nous import reasoner_of

    home = Home()
    done = run_tick(connect("nous", home.settings), reasoner_of(home), home.policy.loop.nous)
    text = done.skipped or f"Run {done.queue_id} on {done.subject}: {done.outcome}, {done.said}; it is {done.became}."
    _said(asdict(done), text, json_out)


@nous.command()
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 1000))
@as_json
def queue(limit: int, json_out: bool) -> None:
    """List the newest requests."""
    with Home().database.transaction() as connection:
        rows = queue_rows(connection, limit)
    _listed(rows, ("queue_id", "status", "kind", "subject", "requested_by", "attempts", "outcome"), "queue", json_out)


@nous.command()
@click.argument("trace_id", required=False, type=int)
@as_json
def trace(trace_id: int | None, json_out: bool) -> None:
    """List the newest runs, or show one with its reasoning."""
    with Home().database.transaction() as connection:
        rows = trace_rows(connection, 20, trace_id)
    if trace_id is not None and not rows:
        refuse(f"there is no trace {trace_id}", Exit.REFUSED)
    if trace_id is not None and not json_out:
        click.echo(rows[0]["reasoning"])
        return
    columns = ("trace_id", "queue_id", "engine", "outcome", "tokens", "token_budget", "recorded_at")
    _listed(rows, columns, "traces", json_out)


@click.group()
def review() -> None:
    """The reviewing writer: what waits, one session of it, its verdicts and transcripts, an operator's sign-off."""


@review.command("pending")
@as_json
def pending_now(json_out: bool) -> None:
    """List what has no verdict yet."""
    with Home().database.transaction() as connection:
        rows = pending_rows(connection)
    _listed(rows, ("artifact_id", "kind", "risk_class", "checked", "title", "recorded_at"), "pending", json_out)


@review.command("run")
@as_json
def run(json_out: bool) -> None:
    """Judge what waits, in a session of its own."""
    home = Home()
    session = f"cli-{uuid.uuid4().hex[:12]}"
    policy = home.policy.loop
    pin = reasoner_pin(policy.nous, home.settings)
    found = run_review(connect("plutus", home.settings), policy, session, pin=pin)
    rows: list[dict[str, Any]] = [
        {"artifact_id": j.artifact_id, "kind": j.kind, "became": j.became, "cause": j.cause or "", "said": j.said}
        for j in found.judged
    ]
    if json_out:
        print_json({"review_session_id": session, "skipped": found.skipped, "judged": rows})
        return
    console.print(found.skipped or f"Session {session}:")
    _listed(rows, ("artifact_id", "kind", "became", "cause", "said"), "judged", json_out=False)


@review.command("show")
@click.argument("artifact_id", required=False, type=int)
@as_json
def show(artifact_id: int | None, json_out: bool) -> None:
    """List the newest sessions, or show the verdict on an artifact."""
    with Home().database.transaction() as connection:
        if artifact_id is None:
            rows = sessions(connection)
        else:
            found = verdict_of(connection, artifact_id)
    if artifact_id is None:
        _listed(rows, ("review_session_id", "reviewer", "verdicts", "recorded_at"), "sessions", json_out)
        return
    if found is None:
        refuse(f"there is no verdict on {artifact_id}; `viska review pending` lists what waits", Exit.REFUSED)
    text = "\n".join(f"{name}: {value}" for name, value in found.items() if value not in (None, ""))
    _said({name: _shown(value) for name, value in found.items()}, text, json_out)


@review.command("transcript")
@click.argument("session")
@as_json
def transcript(session: str, json_out: bool) -> None:
    """Print a session's transcript."""
    with Home().database.transaction() as connection:
        lines = lines_of(connection, session)
    if not lines:
        refuse(f"there is no transcript of {session}; `viska review show` lists the sessions", Exit.REFUSED)
    if json_out:
        print_json({"review_session_id": session, "lines": lines})
        return
    for line in lines:
        click.echo(line)


@review.command("sign-off")
@click.argument("artifact_id", type=int)
@click.option("--reason", required=True, help="Why; it stands in the audit.")
@as_json
def sign_off(artifact_id: int, reason: str, json_out: bool) -> None:
    """Put your name to a draft that waits for an operator; the next session may approve it."""
    home = Home()
    who = f"human:{os.environ.get('SUDO_USER') or getpass.getuser()}"
    try:
        new = sign(connect("governance", home.settings), artifact_id, signed_by=who, reason=reason)
    except SignOffError as error:
        refuse(str(error), Exit.REFUSED)
    text = f"{artifact_id} is signed off." if new else f"{artifact_id} was signed off before."
    _said({"artifact_id": artifact_id, "signed_by": who, "new": new}, text, json_out)


def _listed(rows: Sequence[dict[str, Any]], columns: Sequence[str], name: str, json_out: bool) -> None:
    if json_out:
        print_json({name: [{key: _shown(value) for key, value in row.items()} for row in rows]})
        return
    print_table(columns, [[_shown(row[column]) for column in columns] for row in rows])


def _said(found: dict[str, Any], text: str, json_out: bool) -> None:
    if json_out:
        print_json(found)
    else:
        click.echo(text)


def _shown(value: object) -> object:
    return value if value is None or isinstance(value, bool | int | float | str | dict | list) else str(value)
