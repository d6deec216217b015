"""Commands that ask: ``search``, ``research``, ``route``, ``open``, ``source-check``; thin faces of functions."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

import click

from viska_assets.cli.output import Exit, as_json, console, print_json, refuse
from viska_assets.hermes.answering import answer_from_sources
from viska_assets.hermes.opening import open_anything
from viska_assets.query.access import Caller, Wanted
from viska_assets.query.errors import QueryError
from viska_assets.query.library import ALL_PUBLIC, Library, Reader
from viska_assets.query.names import NameTable
from viska_assets.query.opened_html import opened_html
from viska_assets.query.opening import WINDOW, Opened
from viska_assets.query.results import FoundIn, Hit, Reply, Source, Tier
from viska_assets.query.routing import route as route_question
from viska_assets.query.search import search as search_passages
from viska_assets.query.source_check import Standing
from viska_assets.query.source_check import source_check as check_claim
from viska_assets.query.weights import CAP
from viska_assets.query.wording import Asking
from viska_assets.store.aliases import aliases
from viska_assets.store.home import Home
from viska_assets.store.namespaces import private_namespaces
from viska_assets.store.scope import SearchScope

issuer_option = click.option("--issuer", help="Only about this company: a name, a ticker or an id.")
as_of_option = click.option(
    "--as-of", "as_of", type=click.DateTime(["%Y-%m-%d"]), help="Only what was known by the end of this day (UTC)."
)


def scoped(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds ``--namespace`` and ``--reason`` to a command."""
    named = click.option(
        "--namespace", "namespaces", multiple=True, help="Only in this vault, by its exact name; may be repeated."
    )
    return named(click.option("--reason", default="", help="Why a private vault is opened; it is logged.")(command))


where_option = click.option(
    "--in",
    "places",
    multiple=True,
    type=click.Choice([place.value for place in FoundIn]),
    help="Where to look; may be repeated.",
)


def wanted_of(namespaces: tuple[str, ...], reason: str, query: str) -> Wanted:
    """What a command asks to see."""
    return Wanted(namespaces or None, reason, query)


@contextmanager
def reading(wanted: Wanted = ALL_PUBLIC) -> Iterator[Reader]:
    """A reader of the home; what is wrong with a question ends the command with the next step.

    Whoever runs a command on a home may open its private vaults, by name and for a logged reason. Print what was read
    only after leaving: it must not be shown where it could not be logged.
    """
    home = Home()
    try:
        granted: tuple[str, ...] = ()
        if wanted.namespaces is not None:
            with home.reading.transaction() as connection:
                granted = private_namespaces(connection)
        with Library(home).reader(Caller(f"cli:{os.getuid()}", granted=granted), wanted) as reader:
            yield reader
    except QueryError as error:
        refuse(str(error), Exit.USAGE)
    finally:
        home.close()


def concept_of(reader: Reader, issuer: str | None) -> str | None:
    """The concept of a company as it was named."""
    if not issuer:
        return None
    rows = aliases(reader.connection)
    found = NameTable(rows).resolve(issuer)
    if found is None or found not in {concept for _, _, concept in rows}:
        refuse(f"no issuer is known as {issuer!r}; see `viska issuers list`", Exit.USAGE)
    return found


def _asking(reader: Reader, question: str, issuer: str | None, as_of: datetime | None) -> Asking:
    return Asking(question, concept_of(reader, issuer), _day(as_of))


def _day(as_of: datetime | None) -> date | None:
    return as_of.date() if as_of else None


@click.command()
@click.argument("question")
@click.option("--limit", default=5, show_default=True, type=click.IntRange(1, CAP))
@scoped
@issuer_option
@as_of_option
@as_json
def search(
    question: str,
    limit: int,
    namespaces: tuple[str, ...],
    reason: str,
    issuer: str | None,
    as_of: datetime | None,
    json_out: bool,
) -> None:
    """Find passages in the documents, by words and by meaning, with their place."""
    with reading(wanted_of(namespaces, reason, question)) as reader:
        known_at = datetime.combine(as_of.date(), time.max, UTC) if as_of else None
        scope = SearchScope(entity=concept_of(reader, issuer), known_at=known_at)
        found = search_passages(reader, question, scope=scope, limit=limit)
    if json_out:
        print_json(asdict(found) | {"hits": [asdict(hit) | {"score": hit.score} for hit in found.hits]})
        return
    for at, hit in enumerate(found.hits, start=1):
        _print_hit(at, hit)
    explanation = found.explanation
    if explanation.private:
        console.print(f"[yellow]opened, and logged: {', '.join(explanation.private)}[/yellow]")
    if explanation.degraded:
        console.print(f"[yellow]without: {', '.join(explanation.degraded)}[/yellow]")
    legs = ", ".join(f"{name} {count}" for name, count in explanation.legs.items())
    click.echo(f"found by {legs or 'nothing'}; words: {' '.join(explanation.decomposition.terms)}")


def _print_hit(at: int, hit: Hit) -> None:
    page = f"page {hit.where.page}, " if hit.where.page else ""
    span = f"characters {hit.where.span.start}-{hit.where.span.end}" if hit.where.span else ""
    remarks = f" [red]{'; '.join(hit.remarks)}[/red]" if hit.remarks else ""
    console.print(f"[bold]{at}. {hit.where.title}[/bold] ({page}{span}){remarks}")
    click.echo(
        f"   {hit.where.uri}  {str(hit.date)[:10]}  {hit.contributor}  score {hit.score:.3f}, "
        f"confidence {hit.confidence.words}"
    )
    click.echo("   " + hit.text[:400].replace("\n", "\n   "))
    if hit.also_at:
        click.echo(f"   said alike in {', '.join(where.uri for where in hit.also_at)}")


@click.command()
@click.argument("question")
@click.option("--tier", type=click.Choice([tier.value for tier in Tier]), help="Overrides the router.")
@where_option
@scoped
@issuer_option
@as_of_option
@as_json
def research(
    question: str,
    tier: str | None,
    places: tuple[str, ...],
    namespaces: tuple[str, ...],
    reason: str,
    issuer: str | None,
    as_of: datetime | None,
    json_out: bool,
) -> None:
    """Answer a question with cited claims, from pages or passages as the router says.

    With --in the answer is of these sources: what the vaults answer, then lines of repositories or the web, quoted.
    """
    asked = tuple(FoundIn(place) for place in places) or (FoundIn.VAULT,)
    with reading(wanted_of(namespaces, reason, question)) as reader:
        asking = _asking(reader, question, issuer, as_of)
        reply = answer_from_sources(reader, asking, sources=asked, tier=Tier(tier) if tier else None)
    if json_out:
        print_json(asdict(reply))
    else:
        _print_reply(reply)
    if not reply.answers:
        raise SystemExit(int(Exit.REFUSED))


def _print_reply(reply: Reply) -> None:
    click.echo(reply.text or f"No answer: {reply.reason}.")
    if reply.sources:
        click.echo("")
    for source in reply.sources:
        _print_source(source, passage=reply.route.tier is Tier.MIXED)
    opened = f"; opened {', '.join(reply.pages_opened)}" if reply.pages_opened else ""
    click.echo(f"\n{reply.route.tier.value} ({reply.route.rule_id}): {reply.route.reason}{opened}")
    click.echo(f"confidence {reply.confidence.words}: {reply.confidence.basis}")
    for remark in reply.remarks:
        console.print(f"[yellow]note[/yellow] {remark}", markup=True)


def _print_source(source: Source, *, passage: bool) -> None:
    name = source.computation or f"{source.where.title}, {str(source.date)[:10]}: {source.locator}"
    click.echo(f"{source.marker} {name}\n    {source.where.uri}")
    if passage and source.passage:
        start, end = source.quoted_span.start, source.quoted_span.end
        text = f"{source.passage[:start]}⟦{source.quoted}⟧{source.passage[end:]}"
        click.echo("    " + text.strip().replace("\n", "\n    "))


@click.command()
@click.argument("question")
@click.option("--tier", type=click.Choice([tier.value for tier in Tier]), help="What the router is to be told.")
@issuer_option
@as_json
def route(question: str, tier: str | None, issuer: str | None, json_out: bool) -> None:
    """Say which tier a question goes to, by which rule and why, without answering it."""
    with reading() as reader:
        found = route_question(reader, _asking(reader, question, issuer, None), Tier(tier) if tier else None)
    if json_out:
        print_json(asdict(found))
        return
    click.echo(f"{found.tier.value} by {found.rule_id}: {found.reason}")
    for label, values in (("cues", found.cues), ("companies", found.entities), ("notes", found.notes)):
        if values:
            click.echo(f"   {label}: {'; '.join(values)}")


@click.command("open")
@click.argument("reference")
@click.option("--offset", type=click.IntRange(min=0), help="The first character of the window.")
@click.option("--limit", default=WINDOW, show_default=True, type=click.IntRange(1, 20_000))
@click.option("--html", "html_file", type=click.Path(path_type=Path, dir_okay=False), help="Write it as an HTML page.")
@scoped
@as_json
def open_(
    reference: str,
    offset: int | None,
    limit: int,
    html_file: Path | None,
    namespaces: tuple[str, ...],
    reason: str,
    json_out: bool,
) -> None:
    """Open a page, a chunk, a source, a committed line, or a footnote (issuers/apple#c1) in its document."""
    with reading(wanted_of(namespaces, reason, reference)) as reader:
        opened = open_anything(reader, reference, offset=offset, limit=limit)
    if html_file is not None:
        html_file.write_text(opened_html(opened), encoding="utf-8")
    if json_out:
        print_json(asdict(opened) | {"next_offset": opened.next_offset})
    elif html_file is not None:
        click.echo(f"written to {html_file}#passage")
    else:
        _print_opened(opened)


def _print_opened(opened: Opened) -> None:
    console.print(f"[bold]{opened.title}[/bold]  {opened.uri}", markup=True)
    if opened.detail:
        click.echo(opened.detail)
    text, marked = opened.text, opened.highlight
    if marked is None:
        click.echo(text)
    else:
        inside = click.style(f"⟦{marked.of(text)}⟧", bold=True, fg="yellow")
        click.echo(f"{text[: marked.start]}{inside}{text[marked.end :]}")
    if opened.next_offset is not None:
        click.echo(f"… --offset {opened.next_offset} reads on ({opened.total} characters)")


@click.command("source-check")
@click.argument("claim")
@scoped
@issuer_option
@as_of_option
@as_json
def source_check(
    claim: str,
    namespaces: tuple[str, ...],
    reason: str,
    issuer: str | None,
    as_of: datetime | None,
    json_out: bool,
) -> None:
    """Check one claim against the sources: supported, contradicted or unsupported, with the passages."""
    with reading(wanted_of(namespaces, reason, claim)) as reader:
        checked = check_claim(reader, _asking(reader, claim, issuer, as_of))
    if json_out:
        print_json(asdict(checked))
    else:
        click.echo(f"{checked.standing.value}{f': {checked.reason}' if checked.reason else ''}")
        for source in checked.sources:
            _print_source(source, passage=True)
    if checked.standing is not Standing.SUPPORTED:
        raise SystemExit(int(Exit.REFUSED))
