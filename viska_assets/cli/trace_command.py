"""``viska trace``: from a footnote of a page to the passage, the document and its bytes."""

from dataclasses import dataclass
from pathlib import Path

import click

from viska_assets.cli.output import Exit, as_json, console, print_json, refuse
from viska_assets.guardrail.binding import describe, locate_cells
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.model.page import QuoteLocator, SourceEntry
from viska_assets.model.span import OffsetMap, Span
from viska_assets.model.views import CitedChunk
from viska_assets.okf.errors import OkfError
from viska_assets.okf.page import parse_page
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Connection
from viska_assets.store.home import Home

AROUND = 160


@dataclass(frozen=True)
class Traced:
    """Where one citation stands: in the page, in the chunk, in the document's text and in its source."""

    source_id: str
    document: str
    blob: str
    locator: str
    passage: str
    text_span: tuple[int, int]
    source_span: tuple[int, int]
    pinned: bool


@click.command()
@click.argument("page", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("source_id", required=False)
@as_json
def trace(page: Path, source_id: str | None, json_out: bool) -> None:
    """Follow the citations of a page file (or the one named) to their passages and the stored bytes."""
    home = Home()
    try:
        parsed = parse_page(page.read_text(encoding="utf-8"), "/".join(page.parts[-2:]))
    except (OSError, OkfError) as error:
        refuse(str(error), Exit.USAGE)
    wanted = [e for e in parsed.page.head.sources if e.chunk and source_id in (None, e.id)]
    if source_id and not wanted:
        refuse(f"{page} has no source {source_id!r} that cites a passage", Exit.USAGE)
    with home.database.transaction() as connection:
        evidence = StoredEvidence(connection)
        evidence.preload(entry.chunk for entry in wanted if entry.chunk)
        traced = [_trace(connection, home, entry, evidence.chunk(entry.chunk or "")) for entry in wanted]
    if json_out:
        print_json([step.__dict__ for step in traced if step])
        return
    for step in traced:
        if step is None:
            continue
        console.print(f"[bold]{step.source_id}[/bold] {step.locator}", markup=True)
        click.echo(f"   document  {step.document}\n   bytes     {step.blob}")
        click.echo(f"   text      characters {step.text_span[0]} to {step.text_span[1]}")
        click.echo(f"   source    characters {step.source_span[0]} to {step.source_span[1]} of the decoded file")
        click.echo(f"   pinned    {'the chunk is the one that was cited' if step.pinned else 'THE CHUNK HAS CHANGED'}")
        click.echo("   passage   " + step.passage.replace("\n", "\n             "))
    if any(step is None for step in traced):
        refuse("a cited chunk does not exist", Exit.REFUSED)


def _trace(connection: Connection, home: Home, entry: SourceEntry, chunk: CitedChunk | None) -> Traced | None:
    if chunk is None:
        return None
    span = _span(entry, chunk)
    row = connection.execute(
        """
        SELECT d.name, t.offsets FROM retrieval.document_text t JOIN raw.document d USING (document_id)
        WHERE t.document_id = %s
        """,
        (chunk.document_id,),
    ).fetchone()
    assert row is not None
    offsets = OffsetMap(tuple((clean, source) for clean, source in row[1]))
    local = span.shifted(-chunk.span.start)
    start, end = max(0, local.start - AROUND), min(len(chunk.text), local.end + AROUND)
    shown = f"{chunk.text[start : local.start]}⟦{local.of(chunk.text)}⟧{chunk.text[local.end : end]}"
    return Traced(
        entry.id,
        row[0],
        f"{home.settings.raw_blob_url}/{chunk.document_id[:2]}/{chunk.document_id}",
        describe(entry.locator),
        shown.strip(),
        (span.start, span.end),
        (offsets.to_source(span.start), offsets.to_source(span.end)),
        chunk.content_sha256 == entry.content_sha256,
    )


def _span(entry: SourceEntry, chunk: CitedChunk) -> Span:
    """The cited characters of the document's text: the quote, the cell's number, or the whole chunk."""
    reading = ChunkReading(chunk)
    if isinstance(entry.locator, QuoteLocator):
        found = reading.find_quote(entry.locator.quote)
        return found.shifted(chunk.span.start) if found else chunk.span
    if entry.locator is not None:
        cells = locate_cells(reading, entry.locator)
        if cells:
            return cells[0].span
    return chunk.span
