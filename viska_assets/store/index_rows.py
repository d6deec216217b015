"""The bundle's index as rows and single pages by id: what a question reads of the registry, never all of the texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from viska_assets.store.database import Connection


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A page as the index lists it. ``withheld`` holds the codes for which lint keeps it out of sight."""

    concept_id: str
    type: str
    title: str
    description: str
    known_at: datetime
    withheld: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageText:
    """A page's text and since when it says so."""

    concept_id: str
    type: str
    title: str
    text: str
    known_at: datetime


_LIVE = "live"
# What the bundle said at an instant: of each page the newest version that was known by then.
_AS_OF = """
    (concept_id, content_sha256) IN (
        SELECT DISTINCT ON (concept_id) concept_id, content_sha256 FROM registry.page_version
        WHERE known_at <= %(as_of)s ORDER BY concept_id, known_at DESC, recorded_at DESC)
    AND EXISTS (SELECT 1 FROM registry.page_version l WHERE l.concept_id = p.concept_id AND l.live)
"""


def index_rows(connection: Connection, as_of: datetime | None = None) -> list[IndexRow]:
    """The whole index in one statement, without the pages' texts; withheld pages are listed with their codes."""
    condition = _AS_OF if as_of else _LIVE
    rows = connection.execute(
        f"""
        SELECT concept_id, type, title, description, known_at, withheld FROM registry.page_version p
        WHERE {condition} ORDER BY concept_id
        """,  # noqa: S608
        {"as_of": as_of},
    )
    return [IndexRow(row[0], row[1], row[2], row[3], row[4], tuple(row[5])) for row in rows]


def page_texts(connection: Connection, concept_ids: Sequence[str], as_of: datetime | None = None) -> list[PageText]:
    """The named pages that are shown, in the order asked for; unknown and withheld ones are left out."""
    condition = _AS_OF if as_of else _LIVE
    rows = connection.execute(
        f"""
        SELECT concept_id, type, title, text, known_at FROM registry.page_version p
        WHERE {condition} AND withheld = '{{}}' AND concept_id = ANY(%(wanted)s)
        """,  # noqa: S608
        {"as_of": as_of, "wanted": list(concept_ids)},
    )
    found = {row[0]: PageText(*row) for row in rows}
    return [found[concept] for concept in concept_ids if concept in found]


def stale_after(
    connection: Connection, concept_ids: Sequence[str], as_of: datetime | None = None
) -> dict[str, datetime]:
    """When the named pages go stale by their own word, as the head of each says; those that do not say are absent."""
    condition = _AS_OF if as_of else _LIVE
    rows = connection.execute(
        rf"""
        SELECT concept_id, substring(text FROM '\nstale_after: "([^"\n]+)"') FROM registry.page_version p
        WHERE {condition} AND concept_id = ANY(%(wanted)s)
        """,  # noqa: S608
        {"as_of": as_of, "wanted": list(concept_ids)},
    )
    return {row[0]: datetime.fromisoformat(row[1]) for row in rows if row[1]}


def quarantined_drafts(connection: Connection, concept_ids: Sequence[str]) -> dict[str, int]:
    """How many drafts about each of the concepts wait in quarantine."""
    rows = connection.execute(
        "SELECT concept_id, count(*) FROM gate.open_quarantine WHERE concept_id = ANY(%s) GROUP BY concept_id",
        (list(concept_ids),),
    )
    return {row[0]: row[1] for row in rows}


def citing_pages(connection: Connection, chunk_ids: Sequence[str]) -> dict[str, list[str]]:
    """By chunk, the pages that cite it."""
    rows = connection.execute(
        "SELECT DISTINCT chunk_id, concept_id FROM registry.citation WHERE chunk_id = ANY(%s) ORDER BY 1, 2",
        (list(chunk_ids),),
    )
    found: dict[str, list[str]] = {}
    for chunk_id, concept_id in rows:
        found.setdefault(chunk_id, []).append(concept_id)
    return found
