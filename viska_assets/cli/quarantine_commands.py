"""``viska quarantine``: what the gate turned away, shown, repaired or discarded."""

import getpass
from pathlib import Path

import click

from viska_assets.cli.output import Exit, as_json, console, print_json, print_table, refuse
from viska_assets.maintain.engine_version import engine_of
from viska_assets.maintain.quarantining import QuarantineError, Resolution
from viska_assets.maintain.quarantining import discard as discard_draft
from viska_assets.maintain.quarantining import resubmit as resubmit_draft
from viska_assets.maintain.writing import write_pages
from viska_assets.store.home import Home
from viska_assets.store.quarantine import Quarantined, open_quarantine, quarantined_by_id, resolutions


@click.group()
def quarantine() -> None:
    """Drafts that failed the gate."""


@quarantine.command("list")
@as_json
def list_(json_out: bool) -> None:
    """List the drafts that wait for an operator."""
    with Home().reading.transaction() as connection:
        waiting = open_quarantine(connection)
    if json_out:
        print_json([_summary(item) for item in waiting])
        return
    rows = [(i.quarantine_id, i.concept_id, i.document_name, ", ".join(i.codes)) for i in waiting]
    print_table(("id", "page", "document", "codes"), rows)


@quarantine.command()
@click.argument("quarantine_id", type=int)
@as_json
def show(quarantine_id: int, json_out: bool) -> None:
    """Print one draft's findings with the nearest evidence, its trail, and the payload to edit."""
    with Home().reading.transaction() as connection:
        item = quarantined_by_id(connection, quarantine_id)
        trail = resolutions(connection, quarantine_id)
    if item is None:
        refuse(f"there is no quarantined draft {quarantine_id}", Exit.USAGE)
    if json_out:
        payload = item.delta.model_dump(mode="json")
        print_json(_summary(item) | {"trail": trail, "page_text": item.page_text, "payload": payload})
        return
    console.print(f"[bold]{item.concept_id}[/bold] from {item.document_name}, engine {item.engine}")
    for finding in item.verdict.findings:
        click.echo(f"{finding.path}:{finding.line}:{finding.column} {finding.code} {finding.message}")
        for near in finding.nearest:
            click.echo(f"    nearest: {near.labels}: {near.printed} ({near.reading})")
        if finding.hint:
            click.echo(f"    mend: {finding.hint}")
    for step in trail:
        click.echo(f"{step['at']} {step['actor']} {step['action']}: {step['reason']}")


@quarantine.command()
@click.argument("quarantine_id", type=int)
@click.option(
    "--payload", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="The edited delta (JSON)."
)
@click.option("--reason", required=True, help="Why it is judged again.")
@as_json
def resubmit(quarantine_id: int, payload: Path | None, reason: str, json_out: bool) -> None:
    """Judge a draft again, as it is or as edited; where it passes, its page is written."""
    home = Home()
    engine = engine_of(home.settings)
    text = payload.read_text(encoding="utf-8") if payload else None
    try:
        resolution = resubmit_draft(
            home.database, quarantine_id, actor=_actor(), reason=reason, engine=engine, payload=text
        )
    except QuarantineError as error:
        refuse(str(error), Exit.USAGE)
    if resolution.action == "accepted":
        write_pages(home.database, home.bundle, engine, home.settings.clock())
    _print(resolution, json_out)
    if resolution.action == "refused":
        raise SystemExit(int(Exit.REFUSED))


@quarantine.command()
@click.argument("quarantine_id", type=int)
@click.option("--reason", required=True, help="Why it is discarded; kept for the auditor.")
@as_json
def discard(quarantine_id: int, reason: str, json_out: bool) -> None:
    """Take a draft out of the queue for good. Its payload and trail stay."""
    try:
        _print(discard_draft(Home().database, quarantine_id, actor=_actor(), reason=reason), json_out)
    except QuarantineError as error:
        refuse(str(error), Exit.USAGE)


def _actor() -> str:
    return f"human:{getpass.getuser()}"


def _print(resolution: Resolution, json_out: bool) -> None:
    if json_out:
        codes = list(resolution.codes)
        print_json({"id": resolution.quarantine_id, "action": resolution.action, "codes": codes})
    else:
        console.print(f"{resolution.quarantine_id}: {resolution.action} {', '.join(resolution.codes)}")


def _summary(item: Quarantined) -> dict[str, object]:
    findings = [
        {
            "code": f.code,
            "severity": f.severity.value,
            "line": f.line,
            "message": f.message,
            "claim": f.claim,
            "figure": f.figure,
            "nearest": [{"labels": n.labels, "printed": n.printed, "reading": n.reading} for n in f.nearest],
            "mend": f.hint,
        }
        for f in item.verdict.findings
    ]
    return {
        "id": item.quarantine_id,
        "page": item.concept_id,
        "document": item.document_name,
        "document_id": item.document_id,
        "codes": list(item.codes),
        "engine": item.engine,
        "quarantined_at": item.quarantined_at.isoformat(),
        "findings": findings,
    }
