"""``viska lint``: the nightly lint on demand, its mechanical mends, and the nights before."""

import click

from viska_assets.assets.linting import lint_home
from viska_assets.cli.output import Exit, as_json, print_json, print_table
from viska_assets.lint.fixes import mechanical_fixes
from viska_assets.lint.history import as_rows
from viska_assets.maintain.engine_version import engine_of
from viska_assets.store.database import Lock
from viska_assets.store.home import Home
from viska_assets.store.lint_rows import lint_nights


@click.command()
@click.option("--fix", is_flag=True, help="First write and commit what is mechanical: indexes, and feet of pages.")
@click.option("--full", is_flag=True, help="Judge every page again, also those of which nothing changed.")
@click.option("--check", is_flag=True, help="Only look: withhold and restore no page, store no report.")
@click.option(
    "--history",
    type=click.IntRange(1, 10_000),
    is_flag=False,
    flag_value=30,
    metavar="[NIGHTS]",
    help="Do not lint: list the last nights (30 unless told), newest first.",
)
@as_json
def lint(fix: bool, full: bool, check: bool, history: int | None, json_out: bool) -> None:
    """Lint the bundle as the nightly run does: pages with a hard finding are withheld, mended ones come back.

    Prints like a compiler, exit code 1 on a hard finding.
    """
    home = Home()
    if history:
        _show_history(home, history, json_out)
        return
    if fix:
        for path in _fix(home):
            click.echo(f"{path}: mended", err=True)
    linted = lint_home(home, engine_of(home.settings), full=full, only_look=check)
    report, done = linted.report, linted.consequences
    if json_out:
        moved = {"withheld": done.withheld, "restored": done.restored}
        print_json({"pages": report.pages, "findings": report.as_rows(), **moved})
    else:
        for finding in report.findings:
            click.echo(finding.as_line())
        for concept in done.withheld:
            click.echo(f"{concept}.md: withheld from the bundle until its hard findings are gone")
        for concept in done.restored:
            click.echo(f"{concept}.md: back in the bundle")
        click.echo(f"{report.pages} pages, {len(report.hard)} hard, {len(report.findings) - len(report.hard)} warnings")
    if report.hard:
        raise SystemExit(int(Exit.REFUSED))


def _show_history(home: Home, limit: int, json_out: bool) -> None:
    with home.database.transaction() as connection:
        rows = as_rows(lint_nights(connection, limit))
    if json_out:
        print_json(rows)
        return
    columns = ("as of", "pages", "hard", "warnings", "most by rule", "waiting", "oldest, days")
    print_table(
        columns,
        [
            (
                row["as_of"][:19],
                row["pages"],
                row["hard"],
                row["warnings"],
                ", ".join(f"{rule} {n}" for rule, n in sorted(row["by_rule"].items(), key=lambda pair: -pair[1])[:4]),
                row["waiting"],
                row["oldest_waiting_days"],
            )
            for row in rows
        ],
    )


def _fix(home: Home) -> tuple[str, ...]:
    """Commits the mechanical mends of the bundle's head and says which files they touched."""
    engine = engine_of(home.settings)
    with home.database.locked(Lock.BUNDLE_WRITER):
        mends = mechanical_fixes(home.bundle.files())
        written = {path: text for path, text in mends.items() if text is not None}
        removed = [path for path, text in mends.items() if text is None]
        subject = f"Mend {len(mends)} files as lint does"
        return home.bundle.write(written, removed, subject, [("Engine", engine)], home.settings.clock()).changed
