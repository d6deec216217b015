"""Pages that lint withholds: their live version is kept and shown nowhere, and every step is on a trail."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from viska_assets.store.database import Connection


@dataclass(frozen=True, slots=True)
class WithheldPage:
    """A page that is kept and not shown, with the codes of the findings that took it out."""

    concept_id: str
    title: str
    text: str
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WithholdingStep:
    """One line of a page's trail: ``action`` is ``withheld`` or ``restored``."""

    concept_id: str
    action: str
    codes: tuple[str, ...]
    content_sha256: str
    engine: str
    as_of: datetime


def withheld_pages(connection: Connection) -> list[WithheldPage]:
    """All withheld pages by concept id."""
    rows = connection.execute(
        """
        SELECT concept_id, title, text, withheld FROM registry.page_version
        WHERE live AND withheld <> '{}' ORDER BY concept_id
        """
    )
    return [WithheldPage(row[0], row[1], row[2], tuple(row[3])) for row in rows]


def withhold_page(connection: Connection, concept_id: str, codes: Sequence[str], engine: str, as_of: datetime) -> bool:
    """Takes a page out of sight, or notes other codes of one that is; says whether anything is new."""
    return _mark(connection, concept_id, sorted(set(codes)), "withheld", engine, as_of)


def restore_page(connection: Connection, concept_id: str, engine: str, as_of: datetime) -> bool:
    """Shows a withheld page again; False: it was not withheld."""
    return _mark(connection, concept_id, [], "restored", engine, as_of)


def _mark(connection: Connection, concept_id: str, codes: list[str], action: str, engine: str, as_of: datetime) -> bool:
    done = connection.execute(
        """
        WITH marked AS (
            UPDATE registry.page_version SET withheld = %(codes)s
            WHERE concept_id = %(concept)s AND live AND withheld <> %(codes)s RETURNING content_sha256)
        INSERT INTO lint.withholding (concept_id, action, codes, content_sha256, engine, as_of)
        SELECT %(concept)s, %(action)s, %(codes)s, content_sha256, %(engine)s, %(as_of)s FROM marked
        """,
        {"concept": concept_id, "codes": codes, "action": action, "engine": engine, "as_of": as_of},
    )
    return done.rowcount > 0


def withholding_trail(connection: Connection, concept_id: str) -> list[WithholdingStep]:
    """What happened to a page, oldest first."""
    rows = connection.execute(
        """
        SELECT concept_id, action, codes, content_sha256, engine, as_of FROM lint.withholding
        WHERE concept_id = %s ORDER BY withholding_no
        """,
        (concept_id,),
    )
    return [WithholdingStep(row[0], row[1], tuple(row[2]), *row[3:]) for row in rows]
