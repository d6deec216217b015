"""``viska issuers``: the names of issuers, and merging or splitting them."""

import getpass
from collections import defaultdict
from collections.abc import Callable

import click

from viska_assets.cli.output import Exit, as_json, print_json, print_table, refuse
from viska_assets.maintain.issuers import IssuerError, Moved, merge_issuers, split_issuer
from viska_assets.store.aliases import alias_changes, aliases
from viska_assets.store.home import Home


@click.group()
def issuers() -> None:
    """Issuers and their names."""


@issuers.command("list")
@as_json
def list_(json_out: bool) -> None:
    """List every issuer with the names by which it is known."""
    found: dict[str, list[str]] = defaultdict(list)
    with Home().reading.transaction() as connection:
        for alias, kind, concept in aliases(connection):
            found[concept].append(f"{kind}: {alias}")
    if json_out:
        print_json(dict(sorted(found.items())))
        return
    print_table(("issuer", "names"), [(concept, "\n".join(names)) for concept, names in sorted(found.items())])


@issuers.command()
@click.argument("source")
@click.argument("target")
@click.option("--reason", required=True, help="Why they are one issuer; kept in the trail.")
def merge(source: str, target: str, reason: str) -> None:
    """Make one issuer of two: SOURCE becomes TARGET with all its names and documents."""
    _say(lambda: merge_issuers(Home().database, source, target, actor=_actor(), reason=reason))


@issuers.command()
@click.argument("source")
@click.argument("target")
@click.option("--name", "names", multiple=True, required=True, help="A name of SOURCE that is TARGET's; repeatable.")
@click.option("--reason", required=True, help="Why they are two issuers; kept in the trail.")
def split(source: str, target: str, names: tuple[str, ...], reason: str) -> None:
    """Give some names of SOURCE to TARGET; documents that carry them follow."""
    _say(lambda: split_issuer(Home().database, source, target, names, actor=_actor(), reason=reason))


@issuers.command()
@as_json
def changes(json_out: bool) -> None:
    """List all merges and splits."""
    with Home().database.transaction() as connection:
        trail = alias_changes(connection)
    if json_out:
        print_json(trail)
        return
    columns = ("action", "from", "to", "names", "actor", "reason")
    print_table(columns, [tuple(change[column] for column in columns) for change in trail])


def _actor() -> str:
    return f"human:{getpass.getuser()}"


def _say(act: Callable[[], Moved]) -> None:
    try:
        moved = act()
    except IssuerError as error:
        refuse(str(error), Exit.USAGE)
    click.echo(f"{len(moved.names)} names moved; the next run drafts {len(moved.documents)} documents again")
