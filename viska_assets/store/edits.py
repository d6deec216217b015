"""Rows of ``registry.human_edit``: what people changed on pages, kept whatever became of it."""

from dataclasses import dataclass
from datetime import datetime

from viska_assets.store.database import Connection


@dataclass(frozen=True)
class HumanEdit:
    """A page's text before and after a person's edit; ``at`` is when Viska met it."""

    concept_id: str
    base: str
    edited: str
    author: str
    at: datetime


def add_edit(connection: Connection, edit: HumanEdit, status: str, codes: tuple[str, ...] = ()) -> bool:
    """Keeps an edit as ``kept`` or ``refused``; False where the same edit is there already."""
    return (
        connection.execute(
            """
            INSERT INTO registry.human_edit (concept_id, base, edited, author, met_at, status, codes)
            VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING
            """,
            (edit.concept_id, edit.base, edit.edited, edit.author, edit.at, status, list(codes)),
        ).rowcount
        == 1
    )


def kept_edits(connection: Connection) -> dict[str, list[HumanEdit]]:
    """By concept, the edits that stand, in the order in which they were made."""
    found: dict[str, list[HumanEdit]] = {}
    rows = connection.execute(
        """
        SELECT concept_id, base, edited, author, met_at FROM registry.human_edit WHERE status = 'kept'
        ORDER BY edit_no
        """
    )
    for row in rows:
        edit = HumanEdit(*row)
        found.setdefault(edit.concept_id, []).append(edit)
    return found


def refused_edits(connection: Connection) -> list[tuple[HumanEdit, tuple[str, ...]]]:
    """The edits that the gate refused, with its codes, oldest first."""
    rows = connection.execute(
        """
        SELECT concept_id, base, edited, author, met_at, codes FROM registry.human_edit WHERE status = 'refused'
        ORDER BY edit_no
        """
    )
    return [(HumanEdit(*row[:5]), tuple(row[5])) for row in rows]
