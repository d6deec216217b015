"""``index.md`` of every folder and ``log.md``, rendered from the registry and nothing else."""

from viska_assets.okf.index import render_indexes
from viska_assets.okf.log import LogEntry, LogKind, render_log
from viska_assets.okf.page import parse_page
from viska_assets.store.database import Connection
from viska_assets.store.registry import events, live_pages


def index_files(connection: Connection) -> dict[str, str]:
    """Every index of the bundle by path."""
    return render_indexes(parse_page(page.text, f"{page.concept_id}.md").page for page in live_pages(connection))


def log_file(connection: Connection) -> dict[str, str]:
    """The bundle's log by path."""
    entries = [LogEntry(event.day, LogKind(event.verb), event.text) for event in events(connection)]
    return {"log.md": render_log(entries)}
