"""What commands print: tables for people, one JSON object for programs, errors with an exit code."""

import json
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from rich.console import Console

    console: Console
    progress_console: Console


def __getattr__(name: str) -> "Console":
    """The two consoles, made when they are first asked for: a command that prints nothing does not load rich."""
    if name not in ("console", "progress_console"):
        raise AttributeError(name)
    from rich.console import Console

    made = globals()[name] = Console(stderr=name == "progress_console", highlight=False)
    return made


class Exit(IntEnum):
    """Exit codes of every command."""

    DONE = 0
    REFUSED = 1
    USAGE = 2
    BROKEN = 3


def as_json(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds ``--json`` to a command."""
    return click.option("--json", "json_out", is_flag=True, help="Print one JSON object instead of a table.")(command)


def print_json(value: object) -> None:
    """One JSON object on standard output."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, title: str = "") -> None:
    """A table on standard output."""
    from rich.table import Table

    from viska_assets.cli.output import console

    table = Table(*columns, title=title or None, title_justify="left", header_style="bold")
    for row in rows:
        table.add_row(*(str(value) for value in row))
    console.print(table)


def refuse(message: str, code: Exit = Exit.BROKEN) -> NoReturn:
    """Ends the command with an error message."""
    click.echo(f"viska: {message}", err=True)
    raise SystemExit(int(code))
