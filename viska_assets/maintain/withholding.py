"""What follows from a lint: condemned pages leave the bundle and mended ones come back, in one commit."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from viska_assets.maintain.folders import index_files, log_file
from viska_assets.maintain.markdown import escape_markdown
from viska_assets.okf.log import LogKind
from viska_assets.store.bundle_repository import BundleRepository
from viska_assets.store.database import Connection
from viska_assets.store.registry import Event, add_events, live_pages, newest_knowledge, record_commit
from viska_assets.store.withholding import restore_page, withheld_pages, withhold_page


@dataclass(frozen=True, slots=True)
class Consequences:
    """The concepts whose pages left the bundle, and those whose pages came back."""

    withheld: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()


def apply_findings(
    connection: Connection,
    bundle: BundleRepository,
    condemned: Mapping[str, tuple[str, ...]],
    engine: str,
    as_of: datetime,
) -> Consequences:
    """Withholds the condemned pages and shows again the withheld ones that are condemned no more.

    A page that a person has changed since Viska wrote it is left alone: the next write judges the edit, and taking
    the file away would lose it. A crash after the commit is mended by the next run: a file that is gone or back
    already is none that differs. The caller holds the bundle's lock.

    Args:
        connection: Holds the registry; the marks are of the caller's transaction.
        bundle: The live bundle.
        condemned: By concept, the codes of its page's hard findings, over all shown and withheld pages.
        engine: The engine version in force.
        as_of: The moment of the lint.
    """
    standing, uncommitted = bundle.files(), bundle.uncommitted()
    shown = {page.concept_id: page for page in live_pages(connection)}
    kept = {page.concept_id: page for page in withheld_pages(connection)}
    withheld, back, events = [], [], []

    def is_viskas(concept_id: str, text: str) -> bool:
        path = f"{concept_id}.md"
        return standing.get(path, text) == text and path not in uncommitted

    for concept_id, codes in sorted(condemned.items()):
        page = shown.get(concept_id)
        if concept_id in kept:
            withhold_page(connection, concept_id, codes, engine, as_of)
        elif page and is_viskas(concept_id, page.text):
            withhold_page(connection, concept_id, codes, engine, as_of)
            withheld.append(concept_id)
            events.append(_event(as_of, page.title, f"is withheld: {', '.join(sorted(set(codes)))}"))
    for concept_id, old in kept.items():
        if concept_id not in condemned and is_viskas(concept_id, old.text):
            restore_page(connection, concept_id, engine, as_of)
            back.append(concept_id)
            events.append(_event(as_of, old.title, f"is back: {', '.join(old.codes)} no longer found"))
    if not withheld and not back:
        return Consequences()
    add_events(connection, events)
    texts = {f"{concept}.md": kept[concept].text for concept in back}
    files = texts | index_files(connection) | log_file(connection)
    left_over = [p for p in standing if p.endswith("index.md") and p not in files and p not in uncommitted]
    removed = [*(f"{concept}.md" for concept in withheld), *left_over]
    subject = f"Withhold {len(withheld)} pages and show {len(back)} again, as lint found"
    done = bundle.write(files, removed, subject, [("Engine", engine)], newest_knowledge(connection))
    record_commit(connection, done.commit, len(back))
    return Consequences(tuple(withheld), tuple(back))


def _event(as_of: datetime, title: str, what: str) -> Event:
    # no link: while the page is withheld it would lead nowhere
    return Event(as_of.date(), LogKind.LINT.value, f"{escape_markdown(title)} {escape_markdown(what)}")
