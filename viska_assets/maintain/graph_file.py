"""The graph of the live bundle as a file, replaced as a whole so that no reader meets half of one."""

import json
from pathlib import Path

from viska_assets.graph.build import Graph, build_graph
from viska_assets.okf.page import parse_page
from viska_assets.store.database import Database
from viska_assets.store.registry import live_pages


def write_graph(database: Database, path: Path, commit: str) -> Graph:
    """Builds the graph of all live pages, writes it to ``path`` and returns it."""
    with database.transaction() as connection:
        pages = [parse_page(page.text, f"{page.concept_id}.md").page for page in live_pages(connection)]
    graph = build_graph(pages, commit)
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(".partial")
    scratch.write_text(json.dumps(graph, sort_keys=True, ensure_ascii=False), encoding="utf-8")
    scratch.replace(path)
    return graph
