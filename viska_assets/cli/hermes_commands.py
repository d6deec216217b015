"""Commands over several sources: ``sources``, ``find-pattern``, ``audit-coverage``, ``find-contradiction``."""

from dataclasses import asdict

import click

from viska_assets.cli.asking_commands import reading, scoped, wanted_of, where_option
from viska_assets.cli.output import Exit, as_json, console, print_json, print_table
from viska_assets.hermes.contradictions import Conflict
from viska_assets.hermes.coverage import audit_coverage as audit
from viska_assets.hermes.disagreeing import contradictions
from viska_assets.hermes.facts import Fact
from viska_assets.hermes.merging import Merged
from viska_assets.hermes.patterns import find_pattern as find_matches
from viska_assets.hermes.research import EVERY_SOURCE, research
from viska_assets.query.results import FoundIn, Hit
from viska_assets.query.weights import CAP


def _places(places: tuple[str, ...]) -> tuple[FoundIn, ...]:
    return tuple(FoundIn(place) for place in places) or EVERY_SOURCE


@click.command()
@click.argument("question")
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, CAP))
@where_option
@scoped
@as_json
def sources(
    question: str, limit: int, places: tuple[str, ...], namespaces: tuple[str, ...], reason: str, json_out: bool
) -> None:
    """Ask vaults, repositories and, where named, the web at once; merged, with contradictions in the open.

    Without --in the vaults and the repositories are asked.
    """
    with reading(wanted_of(namespaces, reason, question)) as reader:
        found = research(reader, question, sources=_places(places), limit=limit)
    if json_out:
        print_json(asdict(found) | {"hits": [_as_dict(merged) for merged in found.hits]})
        return
    for at, merged in enumerate(found.hits, start=1):
        _print_merged(at, merged)
    for conflict in found.compared.contradictions:
        _print_conflict(conflict)
    for gone in found.missing:
        console.print(f"[yellow]missing[/yellow] {gone.source}: {gone.reason}", markup=True)
    for remark in found.remarks:
        click.echo(remark)


def _as_dict(merged: Merged) -> dict[str, object]:
    return asdict(merged) | {"score": merged.score}


def _print_merged(at: int, merged: Merged) -> None:
    hit = merged.hit
    origins = f", {len(merged.origins)} origins" if len(merged.origins) > 1 else ""
    _print_place(f"{at}. ", hit, f"score {merged.score:.3f}, found in {hit.found_in.value}{origins}")


def _print_place(before: str, hit: Hit, after: str) -> None:
    line = f", line {hit.where.line} at {hit.where.commit[:12]}" if hit.where.line else ""
    click.echo(click.style(f"{before}{hit.where.title}", bold=True) + line)
    click.echo(f"   {hit.where.uri}  {str(hit.date)[:10]}  {hit.contributor}  {after}")
    click.echo("   " + hit.text[:400].replace("\n", "\n   "))


@click.command("find-pattern")
@click.argument("pattern")
@click.option(
    "--regex", is_flag=True, help="PATTERN is a POSIX regular expression; otherwise it is found as it stands."
)
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, CAP))
@click.option("--offset", default=0, type=click.IntRange(0), help="How many matches to pass over.")
@where_option
@scoped
@as_json
def find_pattern(
    pattern: str,
    regex: bool,
    limit: int,
    offset: int,
    places: tuple[str, ...],
    namespaces: tuple[str, ...],
    reason: str,
    json_out: bool,
) -> None:
    """Find every place in which PATTERN literally stands, in vaults and repositories; --in narrows it."""
    with reading(wanted_of(namespaces, reason, pattern)) as reader:
        found = find_matches(reader, pattern, regex=regex, sources=_places(places))
    shown = found.hits[offset : offset + limit]
    if json_out:
        print_json(asdict(found) | {"hits": [asdict(hit) for hit in shown], "total": len(found.hits)})
        return
    for at, hit in enumerate(shown, start=offset + 1):
        _print_place(f"{at}. ", hit, "")
    for gone in found.missing:
        console.print(f"[yellow]missing[/yellow] {gone.source}: {gone.reason}", markup=True)
    more = " or more" if found.capped else ""
    click.echo(f"{len(found.hits)}{more} matches")


@click.command("audit-coverage")
@click.argument("topic")
@scoped
@as_json
def audit_coverage(topic: str, namespaces: tuple[str, ...], reason: str, json_out: bool) -> None:
    """Say what there is on TOPIC and what is absent, rated by the published rule, and who would fill each gap."""
    with reading(wanted_of(namespaces, reason, topic)) as reader:
        found = audit(reader, topic)
    if json_out:
        print_json(asdict(found) | {"rating": found.rating.word})
        return
    click.echo(f"{found.rating.word}: {found.documents} documents hold all of: {', '.join(found.words)}")
    rows = [(e.where.title, e.where.namespace, str(e.date)[:10], e.contributor, e.where.uri) for e in found.existing]
    if rows:
        print_table(("what there is", "namespace", "date", "who", "uri"), rows)
    if found.gaps:
        print_table(("what is absent", "who would fill it"), [(gap.what, gap.owner) for gap in found.gaps])


@click.command("find-contradiction")
@click.argument("topic", default="")
@click.option("--statement", "statements", multiple=True, help="A fact to compare with the others; may be repeated.")
@scoped
@as_json
def find_contradiction(
    topic: str, statements: tuple[str, ...], namespaces: tuple[str, ...], reason: str, json_out: bool
) -> None:
    """Show what speaks against each other on TOPIC or among statements, both sides with their sources; none wins."""
    with reading(wanted_of(namespaces, reason, topic)) as reader:
        found = contradictions(reader, topic, statements)
    if json_out:
        print_json(asdict(found))
    else:
        for conflict in found.contradictions:
            _print_conflict(conflict)
        click.echo(
            f"{len(found.contradictions)} contradictions and {len(found.explained)} explained differences "
            f"among {found.facts} facts"
        )
    if found.contradictions:
        raise SystemExit(int(Exit.REFUSED))


def _print_conflict(conflict: Conflict) -> None:
    click.echo(click.style(f"{conflict.difference.value} {conflict.id}", bold=True) + f": {conflict.explanation}")
    for fact in (conflict.first, conflict.second):
        click.echo(f"   {_said(fact)}")


def _said(fact: Fact) -> str:
    return f"{fact.printed} ({fact.contributor}, {str(fact.date)[:10]}): {fact.statement[:160]}  {fact.where.uri}"
