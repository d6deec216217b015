"""The commands of ``vaults``: which namespaces there are, and bringing them to what stands in their folders."""

from dataclasses import asdict

import click

from viska_assets.cli.output import Exit, as_json, console, print_json, print_table, refuse
from viska_assets.hermes.vaults import sync_vaults
from viska_assets.ingest.readers import ReadingPlan
from viska_assets.retrieval.analyser import terms_of
from viska_assets.store.home import Home
from viska_assets.store.namespaces import namespaces


@click.group()
def vaults() -> None:
    """Vaults: folders of markdown notes, each a namespace; private ones are closed unless they are named."""


@vaults.command(name="list")
@as_json
def list_namespaces(json_out: bool) -> None:
    """List the namespaces and whether they are private."""
    home = Home()
    with home.reading.transaction() as connection:
        found = namespaces(connection)
    if json_out:
        print_json([asdict(namespace) for namespace in found])
        return
    rows = [(n.name, "private" if n.private else "public", n.description) for n in found]
    print_table(("namespace", "kind", "what it holds"), rows)


@vaults.command()
@as_json
def sync(json_out: bool) -> None:
    """Read new and changed notes from the vaults' folder, and withdraw those that are gone."""
    home = Home()
    root = home.settings.vaults_path
    if not root.is_dir():
        refuse(
            f"there is no folder {root}: make it, with a folder in it for each vault, or set VISKA_VAULTS", Exit.USAGE
        )
    plan = ReadingPlan(home.settings.embedder, largest=home.settings.max_document_bytes)
    try:
        done = sync_vaults(home.database, home.blobs, root, plan, terms_of)
    except ValueError as error:
        refuse(str(error), Exit.USAGE)
    if json_out:
        print_json([asdict(vault) for vault in done])
    else:
        rows = [(v.namespace, "private" if v.private else "public", v.filed, v.withdrawn, v.unchanged) for v in done]
        print_table(("vault", "kind", "filed", "withdrawn", "unchanged"), rows)
        for vault in done:
            for problem in vault.problems:
                console.print(f"{vault.namespace}: {problem}")
    if any(vault.problems for vault in done):
        raise SystemExit(int(Exit.REFUSED))
