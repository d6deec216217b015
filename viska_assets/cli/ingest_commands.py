"""``viska ingest`` and ``viska inspect``: documents in, and one document looked at closely."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from viska_assets.assets.calculations import deliver_calculation
from viska_assets.cli.output import Exit, as_json, console, print_json, print_table, progress_console, refuse
from viska_assets.engines.catalogue import load_embedder
from viska_assets.engines.protocols import Embedder
from viska_assets.ingest.inspections import plan_of, write_inspection
from viska_assets.ingest.pipeline import ReadResult, read_received
from viska_assets.ingest.receiving import Received, files_below, receive_files
from viska_assets.maintain.choosing import draft_new_documents
from viska_assets.maintain.engine_version import engine_of
from viska_assets.maintain.quarantining import judge_pending, quarantine_failures
from viska_assets.maintain.writing import Written, write_pages
from viska_assets.model.document import Chunk
from viska_assets.model.evidence import Evidence
from viska_assets.retrieval.analyser import terms_of
from viska_assets.retrieval.embedding import catch_up
from viska_assets.store.codec import to_json
from viska_assets.store.database import Lock
from viska_assets.store.documents import documents_by_id, documents_with_status
from viska_assets.store.home import Home
from viska_assets.store.search import embedding_backlog


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=progress_console, transient=True)


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--embed/--no-embed", default=True, show_default=True, help="Work off the embedding backlog as well.")
@as_json
def ingest(paths: tuple[Path, ...], embed: bool, json_out: bool) -> None:
    """Take files or folders in: chunks, evidence, drafts, pages. What is known already adds nothing."""
    home = Home()
    settings = home.settings
    try:
        files = files_below(paths)
    except FileNotFoundError as error:
        refuse(str(error), Exit.USAGE)
    embedder = load_embedder(settings.embedder) if embed else None
    received = _receive(home, files)
    with _progress() as bars, home.database.locked(Lock.INGEST):
        results = _read(home, bars)
        written, quarantined = _maintain(home, engine_of(settings), bars)
        embedded = _embed(home, embedder, bars) if embedder else 0
    with home.database.transaction() as connection:
        seen = documents_by_id(connection, [*received.new, *received.known])
    failures = {stored.name: stored.error for stored in seen if stored.status == "failed"}
    failures |= {refused.path: refused.reason for refused in received.refused}
    _report(received, results, written, quarantined, embedded, failures, json_out)
    if failures:
        raise SystemExit(int(Exit.REFUSED))


def _receive(home: Home, files: dict[Path, Path | None]) -> Received:
    """Takes all files, folder by folder, and joins what came of them."""
    parts = [
        receive_files(
            home.database,
            home.blobs,
            [path for path, folder in files.items() if folder == root],
            feed="cli",
            root=root,
            at=home.settings.clock(),
            largest=home.settings.max_document_bytes,
        )
        for root in dict.fromkeys(files.values())
    ]
    return Received(
        tuple(document_id for part in parts for document_id in part.new),
        tuple(document_id for part in parts for document_id in part.known),
        tuple(refused for part in parts for refused in part.refused),
    )


def _read(home: Home, bars: Progress) -> list[ReadResult]:
    settings = home.settings
    inspected = settings.home_path / "inspect"
    with home.database.transaction() as connection:
        waiting = len(documents_with_status(connection, "received"))
    task = bars.add_task("reading documents", total=waiting)
    return read_received(
        home.database,
        home.blobs,
        plan_of(settings),
        terms_of,
        workers=settings.workers,
        keep=lambda reading: write_inspection(inspected, reading),
        progress=lambda _: bars.advance(task),
    )


def _maintain(home: Home, engine: str, bars: Progress) -> tuple[Written, int]:
    task = bars.add_task("drafting and judging", total=4)
    deliver_calculation(home)
    draft_new_documents(home)
    bars.advance(task)
    judge_pending(home.database, engine)
    bars.advance(task)
    quarantined = quarantine_failures(home.database, engine)
    bars.advance(task)
    written = write_pages(home.database, home.bundle, engine, home.settings.clock())
    bars.advance(task)
    return written, quarantined


def _embed(home: Home, embedder: Embedder, bars: Progress) -> int:
    identity = embedder.identity
    with home.database.transaction() as connection:
        backlog = embedding_backlog(connection, str(identity), identity.dimension)
    task = bars.add_task("embedding chunks", total=backlog)
    run = catch_up(
        home.database,
        home.settings.embedder,
        load=lambda name: embedder if name == home.settings.embedder else load_embedder(name),
        progress=lambda done: bars.update(task, completed=done),
    )
    return run.embedded


def _report(
    received: Received,
    results: Sequence[ReadResult],
    written: Written,
    quarantined: int,
    embedded: int,
    failures: dict[str, str],
    json_out: bool,
) -> None:
    totals = {
        "documents_added": len(received.new) - sum(1 for result in results if result.error),
        "documents_known": len(received.known),
        "documents_failed": len(failures),
        "chunks_added": sum(result.chunks for result in results),
        "evidence_added": sum(result.evidence for result in results),
        "drafts_accepted": written.accepted,
        "drafts_quarantined": quarantined,
        "pages_changed": len(written.pages),
        "chunks_embedded": embedded,
        "commit": written.commit,
    }
    if json_out:
        print_json(totals | {"documents": [asdict(r) for r in results], "failures": failures})
        return
    print_table(("what", "how many"), [(name.replace("_", " "), value) for name, value in totals.items()])
    for name, reason in failures.items():
        console.print(f"[red]failed[/red] {name}: {reason}")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--html", "html_out", type=click.Path(path_type=Path), help="Write a self-contained page here.")
@as_json
def inspect(file: Path, html_out: Path | None, json_out: bool) -> None:
    """Show blocks, tables, chunks and evidence of one document, without storing anything."""
    from viska_assets.ingest.errors import ReadingError
    from viska_assets.ingest.inspect import inspect_html, inspect_text
    from viska_assets.ingest.readers import read_bytes
    from viska_assets.store.settings import Settings

    try:
        reading = read_bytes(file.read_bytes(), file.name, plan_of(Settings()))
    except ReadingError as error:
        refuse(str(error), Exit.REFUSED)
    if html_out:
        html_out.write_text("".join(inspect_html(reading.document, reading.chunks)), encoding="utf-8")
    if json_out:
        cover = to_json(type(reading.document.cover), reading.document.cover)
        records = to_json(tuple[Evidence, ...], tuple(one for _, held in reading.chunks for one in held))
        chunks = to_json(tuple[Chunk, ...], tuple(chunk for chunk, _ in reading.chunks))
        print_json({"document": reading.document.document_id, "cover": cover, "chunks": chunks, "evidence": records})
    elif html_out:
        console.print(f"written: {html_out}")
    else:
        click.echo(inspect_text(reading.document, reading.chunks))
