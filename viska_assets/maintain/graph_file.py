"""The graph of the live bundle as a file, replaced as a whole so that no reader meets half of one."""

import json
from pathlib import Path
from tempfile import NamedTemporaryFile

from viska_assets.graph.build import Graph, build_graph
from viska_assets.graph.communities import with_communities
from viska_assets.okf.page import parse_page
from viska_assets.store.database import Connection, Database
from viska_assets.store.registry import live_pages


def live_graph(connection: Connection, commit: str) -> Graph:
    """The graph of all live pages, each told its community."""
    pages = [parse_page(page.text, f"{page.concept_id}.md").page for page in live_pages(connection)]
    return with_communities(build_graph(pages, commit))


def write_graph(database: Database, path: Path, commit: str) -> Graph:
    """Builds the graph of all live pages, writes it to ``path`` and returns it."""
    with database.transaction() as connection:
        graph = live_graph(connection, commit)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two runs may write at once: each has a file of its own until it is whole.
    with NamedTemporaryFile("w", dir=path.parent, prefix=f".{path.name}.", encoding="utf-8", delete=False) as scratch:
        json.dump(graph, scratch, sort_keys=True, ensure_ascii=False)
    Path(scratch.name).replace(path)
    return graph
