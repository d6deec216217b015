"""``index.md`` of every folder and ``log.md``, rendered from the registry and nothing else."""

from viska_assets.maintain.identity import AliasTable, with_names
from viska_assets.maintain.markdown import escape_markdown
from viska_assets.okf.index import render_indexes
from viska_assets.okf.log import LogEntry, LogKind, render_log
from viska_assets.okf.page import parse_page
from viska_assets.store.aliases import aliases
from viska_assets.store.database import Connection
from viska_assets.store.registry import events, live_pages


def index_files(connection: Connection) -> dict[str, str]:
    """Every index of the bundle by path."""
    return render_indexes(parse_page(page.text, f"{page.concept_id}.md").page for page in live_pages(connection))


def log_file(connection: Connection) -> dict[str, str]:
    """The bundle's log by path."""
    names = AliasTable(aliases(connection)).printed_names()
    named = [(e.day, e.verb, with_names(e.text, names, escape_markdown)) for e in events(connection)]
    newest_first = sorted(named, key=lambda line: (-line[0].toordinal(), *line[1:]))
    entries = [LogEntry(day, LogKind(verb), text) for day, verb, text in newest_first]
    return {"log.md": render_log(entries)}
