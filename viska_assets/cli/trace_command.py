"""``viska trace`` and ``trace-provenance``: from a footnote to the passage, the document and its bytes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from viska_assets.cli.asking_commands import reading
from viska_assets.cli.output import Exit, as_json, console, print_json, refuse
from viska_assets.okf.errors import OkfError
from viska_assets.okf.page import parse_page
from viska_assets.query.library import Reader
from viska_assets.query.trace import Traced, surroundings, trace_page
from viska_assets.query.trace import trace as trace_concept


@click.command()
@click.argument("page", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("source_id", required=False)
@as_json
def trace(page: Path, source_id: str | None, json_out: bool) -> None:
    """Follow the citations of a page file (or the one named) to their passages and the stored bytes."""
    try:
        parsed = parse_page(page.read_text(encoding="utf-8"), "/".join(page.parts[-2:]))
    except (OSError, OkfError) as error:
        refuse(str(error), Exit.USAGE)
    cited = [entry.id for entry in parsed.page.head.sources if entry.chunk]
    if source_id and source_id not in cited:
        refuse(f"{page} has no source {source_id!r} that cites a passage", Exit.USAGE)
    with reading() as reader:
        found = trace_page(reader, parsed, [source_id] if source_id else ())
        _print_traced(reader, found, json_out)
    if len(found) < (1 if source_id else len(cited)):
        refuse("a cited chunk does not exist", Exit.REFUSED)


@click.command("trace-provenance")
@click.argument("page")
@as_json
def trace_provenance(page: str, json_out: bool) -> None:
    """Follow the citations of a page of the bundle (issuers/apple), or one footnote of it (issuers/apple#c1)."""
    concept, _, footnote = page.removeprefix("viska://concept/").removesuffix(".md").partition("#")
    with reading() as reader:
        found = trace_concept(reader, concept, [footnote.lstrip("^")] if footnote else ())
        _print_traced(reader, found, json_out)


def _print_traced(reader: Reader, found: Sequence[Traced], json_out: bool) -> None:
    steps = [_step(reader, traced) for traced in found]
    if json_out:
        print_json(steps)
        return
    for step in steps:
        console.print(f"[bold]{step['source_id']}[/bold] {step['locator']}", markup=True)
        click.echo(f"   document  {step['document']}\n   bytes     {step['blob']}")
        click.echo("   text      characters {} to {}".format(*step["text_span"]))
        click.echo("   source    characters {} to {} of the decoded file".format(*step["source_span"]))
        if step["byte_span"]:
            click.echo("   in bytes  {} to {}".format(*step["byte_span"]))
        else:
            click.echo(f"   in bytes  none: {step['bytes_note']}")
        click.echo(
            f"   pinned    {'the chunk is the one that was cited' if step['pinned'] else 'THE CHUNK HAS CHANGED'}"
        )
        click.echo("   passage   " + step["passage"].replace("\n", "\n             "))


def _step(reader: Reader, traced: Traced) -> dict[str, Any]:
    source = traced.source
    before, passage, after = surroundings(reader, source)
    where = source.where
    assert where.span is not None
    assert where.source_span is not None
    return {
        "source_id": source.id,
        "document": traced.document,
        "blob": traced.blob,
        "locator": source.locator,
        "passage": f"{before}⟦{passage}⟧{after}".strip(),
        "text_span": (where.span.start, where.span.end),
        "source_span": (where.source_span.start, where.source_span.end),
        "byte_span": (where.byte_span.start, where.byte_span.end) if where.byte_span else None,
        "bytes_note": traced.bytes_note,
        "pinned": source.pinned,
    }
