"""``viska db``: the embedded server's life cycle."""

import click

from viska_assets.cli.output import as_json, console, print_json, refuse
from viska_assets.store.home import Home
from viska_assets.store.server import EmbeddedServer
from viska_assets.store.settings import Settings


@click.group()
def db() -> None:
    """The embedded Postgres of this home."""


@db.command()
@as_json
def start(json_out: bool) -> None:
    """Start the server if it does not run, and bring the schema to the newest revision."""
    home = Home()
    home.database.close()
    port = EmbeddedServer(home.settings.home_path).status().port
    if json_out:
        print_json({"running": True, "port": port})
    else:
        console.print(f"The database is up, at port {port}." if port else "The external database is up.")


@db.command()
@as_json
def stop(json_out: bool) -> None:
    """Stop the server."""
    settings = Settings()
    if settings.database_url:
        refuse("VISKA_DATABASE_URL names an external server; it is not ours to stop")
    stopped = EmbeddedServer(settings.home_path).stop()
    if json_out:
        print_json({"running": False, "was_running": stopped})
    else:
        console.print("The database is stopped." if stopped else "The database was not running.")


@db.command()
@as_json
def status(json_out: bool) -> None:
    """Print whether the server runs, and where."""
    found = EmbeddedServer(Settings().home_path).status()
    if json_out:
        print_json({"running": found.running, "port": found.port, "data": found.data, "log": found.log})
    else:
        console.print(f"{'running' if found.running else 'stopped'}, port {found.port or '-'}, data {found.data}")
