"""The commands of ``graph``: what the bundle's graph holds, the four questions to it, and the graph as a page."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import click

from viska_assets.cli.output import Exit, as_json, console, print_json, print_table, refuse
from viska_assets.graph.communities import find_communities
from viska_assets.graph.html import graph_html
from viska_assets.graph.neighbours import Walker
from viska_assets.graph.questions import UnnamedNodeError
from viska_assets.maintain.graph_file import live_graph, write_graph
from viska_assets.query.graph import LiveGraphs, Told
from viska_assets.store.home import Home


@click.group(invoke_without_command=True)
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write the graph as a page to browse.")
@click.option("--top", default=10, show_default=True, help="How many of the busiest pages to list.")
@as_json
@click.pass_context
def graph(context: click.Context, html: Path | None, top: int, json_out: bool) -> None:
    """Tell what the graph of the live bundle holds; --html writes it as one file for a browser."""
    if context.invoked_subcommand:
        return
    home = Home()
    with home.reading.transaction() as connection:
        found = live_graph(connection, home.bundle.head())
    if html:
        html.write_text(graph_html(found), encoding="utf-8")
        console.print(f"{len(found['nodes'])} pages, {len(found['links'])} edges: {html}")
        return
    hubs = Walker(found).hubs(top)
    relations = dict(sorted(Counter(link["relation"] for link in found["links"]).items()))
    communities = [community for community in find_communities(found) if len(community.members) > 1]
    if json_out:
        print_json(
            {
                "pages": len(found["nodes"]),
                "edges": relations,
                "hubs": [asdict(hub) for hub in hubs],
                "communities": [asdict(community) for community in communities],
            }
        )
        return
    edges = ", ".join(f"{count} {relation}" for relation, count in relations.items()) or "no edges"
    console.print(f"{len(found['nodes'])} pages, {edges}, {len(communities)} communities")
    rows = [(hub.node, hub.label, hub.incoming, hub.outgoing) for hub in hubs]
    print_table(("page", "title", "in", "out"), rows, title="The busiest pages")


@graph.command()
@click.argument("question")
@click.option("--depth", default=2, show_default=True, type=click.IntRange(1, 6), help="How many edges to walk.")
@click.option("--relation", type=click.Choice(["links_to", "cites"]), help="Walk only edges of this kind.")
@as_json
def query(question: str, depth: int, relation: str | None, json_out: bool) -> None:
    """Show the pages that QUESTION names, and what lies around them."""
    with _graphs() as graphs:
        _print(graphs.query_graph(question, depth=depth, relation=relation), json_out)


@graph.command()
@click.argument("page")
@click.option("--relation", type=click.Choice(["links_to", "cites"]), help="Show only edges of this kind.")
@as_json
def neighbors(page: str, relation: str | None, json_out: bool) -> None:
    """Show what PAGE (an id or a title) links to and cites, and what leads to it."""
    with _graphs() as graphs:
        _print(graphs.get_neighbors(page, relation=relation), json_out)


@graph.command()
@click.argument("source")
@click.argument("target")
@click.option("--directed", is_flag=True, help="Walk edges only the way they point.")
@as_json
def path(source: str, target: str, directed: bool, json_out: bool) -> None:
    """Show a shortest path from page SOURCE to page TARGET."""
    with _graphs() as graphs:
        _print(graphs.shortest_path(source, target, directed=directed), json_out)


@graph.command()
@click.option("--top", default=10, show_default=True, type=click.IntRange(1), help="How many.")
@click.option("--with-sources", is_flag=True, help="Count the pages of sources as well.")
@as_json
def hubs(top: int, with_sources: bool, json_out: bool) -> None:
    """List the pages with most edges."""
    with _graphs() as graphs:
        _print(graphs.god_nodes(top, with_sources=with_sources), json_out)


@contextmanager
def _graphs() -> Iterator[LiveGraphs]:
    """The live graphs for one command; a name that means no page, or several, ends it with a message."""
    home = Home()
    path = home.settings.graph_path()
    if not path.exists():
        write_graph(home.reading, path, home.bundle.head())
    graphs = LiveGraphs(path.parent, graphify=False)
    try:
        yield graphs
    except UnnamedNodeError as error:
        refuse(str(error), Exit.USAGE)
    finally:
        graphs.close()


def _print(told: Told, json_out: bool) -> None:
    if not json_out:
        click.echo(told.text)
        return
    found = told.found
    print_json([asdict(hub) for hub in found] if isinstance(found, tuple) else asdict(found))
