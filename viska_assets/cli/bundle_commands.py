"""Commands over what stands: ``gate`` and ``doctor`` for pages and store, ``incidents``."""

from pathlib import Path

import click

from viska_assets.cli.output import Exit, as_json, console, print_json, print_table, refuse
from viska_assets.guardrail.code_texts import explain as explain_code
from viska_assets.guardrail.gate import judge
from viska_assets.guardrail.report import as_github, as_lines, as_sarif, verdict_value
from viska_assets.maintain.doctor import examine
from viska_assets.maintain.gating import WRITER_POLICY
from viska_assets.maintain.world import load_world
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.documents import incidents as stored_incidents
from viska_assets.store.home import Home


@click.command()
@click.argument("pages", nargs=-1, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--explain", metavar="CODE", help="Say what a finding's code means and how to mend it.")
@click.option("--format", "form", type=click.Choice(["lines", "github", "sarif"]), default="lines", show_default=True)
@as_json
def gate(pages: tuple[Path, ...], explain: str | None, form: str, json_out: bool) -> None:
    """Judge page files against the bundle and the evidence, as the writer does; prints like a compiler."""
    if explain:
        try:
            click.echo(explain_code(explain.upper()))
        except (KeyError, ValueError):
            refuse(
                f"no finding of the gate has the code {explain!r}; docs/guardrail.md and docs/pages.md list all",
                Exit.USAGE,
            )
        return
    if not pages:
        refuse("name at least one page file, or --explain CODE", Exit.USAGE)
    home = Home()
    with home.reading.transaction() as connection:
        world, evidence = load_world(connection), StoredEvidence(connection)
        texts, unread = _read(pages)
        verdicts = [
            judge(text, _bundle_path(page, home), world, evidence, policy=WRITER_POLICY) for page, text in texts.items()
        ]
    for page, reason in unread.items():
        click.echo(f"{page}:1:1: error UNREADABLE {reason}", err=True)
    if json_out:
        print_json([verdict_value(verdict) for verdict in verdicts])
    elif form == "sarif":
        click.echo(as_sarif(verdicts))
    else:
        lines = as_lines(verdicts) if form == "lines" else as_github(verdicts)
        click.echo(lines or f"{len(verdicts)} pages hold")
    if unread or not all(verdict.passed for verdict in verdicts):
        raise SystemExit(int(Exit.REFUSED))


def _read(pages: tuple[Path, ...]) -> tuple[dict[Path, str], dict[Path, str]]:
    """The texts of the pages that can be read, and why the others cannot."""
    texts: dict[Path, str] = {}
    unread: dict[Path, str] = {}
    for page in pages:
        try:
            texts[page] = page.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            unread[page] = f"the file is no UTF-8 text (byte {error.start}); save it as UTF-8"
        except OSError as error:
            unread[page] = f"the file cannot be read: {error.strerror}"
    return texts, unread


def _bundle_path(page: Path, home: Home) -> str:
    """The page's path in the bundle: relative to the live bundle, or its last two parts."""
    resolved = page.resolve()
    if resolved.is_relative_to(home.settings.bundle_path):
        return resolved.relative_to(home.settings.bundle_path).as_posix()
    return "/".join(resolved.parts[-2:])


@click.command()
@click.option("--repair", is_flag=True, help="Make the derived side again where it differs.")
@as_json
def doctor(repair: bool, json_out: bool) -> None:
    """Prove that blobs, registry, bundle and indexes agree, or say where they do not."""
    report = examine(Home(), repair=repair)
    if json_out:
        print_json(
            {
                "checks": report.checks,
                "notices": report.notices,
                "problems": report.problems,
                "repaired": report.repaired,
            }
        )
    else:
        for name, count in report.checks.items():
            console.print(f"[green]✓[/green] {name}: {count} compared")
        for notice in report.notices:
            console.print(f"[yellow]![/yellow] {notice}")
        for problem in report.problems:
            console.print(f"[red]✗[/red] {problem}")
        for repaired in report.repaired:
            console.print(f"[yellow]mended[/yellow] {repaired}")
    if report.unresolved:
        raise SystemExit(int(Exit.REFUSED))


@click.command()
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 10_000))
@as_json
def incidents(limit: int, json_out: bool) -> None:
    """List what went wrong or looked suspicious, newest first."""
    with Home().reading.transaction() as connection:
        found = stored_incidents(connection, limit)
    if json_out:
        print_json(found)
    else:
        rows = [(row["at"][:19], row["kind"], row["document"], row["detail"][:300]) for row in found]
        print_table(("at", "kind", "document", "what"), rows)
