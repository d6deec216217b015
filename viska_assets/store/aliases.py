"""Rows of ``registry.alias``: the names of concepts, where each was learned, and the trail of merges and splits."""

from collections.abc import Iterable, Sequence

from viska_assets.store.database import Connection


def aliases(connection: Connection) -> list[tuple[str, str, str]]:
    """All known names of concepts as (alias, kind, concept id)."""
    rows = connection.execute("SELECT alias, kind, concept_id FROM registry.alias ORDER BY alias, kind")
    return [(row[0], row[1], row[2]) for row in rows]


def add_aliases(connection: Connection, names: Iterable[tuple[str, str, str]], learned_from: str) -> None:
    """Learns names of concepts; a name that belongs to a concept already stays with it."""
    with connection.cursor() as cursor:
        cursor.executemany(
            """
            INSERT INTO registry.alias (alias, kind, concept_id, learned_from) VALUES (%s, %s, %s, %s)
            ON CONFLICT (alias, kind) DO NOTHING
            """,
            [(alias, kind, concept, learned_from) for alias, kind, concept in names],
        )


def set_aliases(connection: Connection, names: Iterable[tuple[str, str, str]], learned_from: str) -> None:
    """Gives names to concepts, whatever concept they belonged to before."""
    with connection.cursor() as cursor:
        cursor.executemany(
            """
            INSERT INTO registry.alias (alias, kind, concept_id, learned_from) VALUES (%s, %s, %s, %s)
            ON CONFLICT (alias, kind) DO UPDATE SET concept_id = EXCLUDED.concept_id,
                learned_from = EXCLUDED.learned_from
            WHERE alias.concept_id <> EXCLUDED.concept_id
            """,
            [(alias, kind, concept, learned_from) for alias, kind, concept in names],
        )


def add_alias_change(
    connection: Connection, action: str, source: str, target: str, names: Sequence[str], actor: str, reason: str
) -> None:
    """Appends a merge or split of issuers to the trail."""
    connection.execute(
        """
        INSERT INTO registry.alias_change (action, from_concept, to_concept, names, actor, reason)
        VALUES (%s, %s, %s, %s, %s, %s)
        """,
        (action, source, target, list(names), actor, reason),
    )


def alias_changes(connection: Connection) -> list[dict[str, str]]:
    """The trail of merges and splits, oldest first."""
    rows = connection.execute(
        """
        SELECT action, from_concept, to_concept, names, actor, reason, recorded_at FROM registry.alias_change
        ORDER BY change_no
        """
    )
    keys = ("action", "from", "to", "names", "actor", "reason")
    return [dict(zip(keys, (a, f, t, ", ".join(n), who, why), strict=True)) for a, f, t, n, who, why, _ in rows]
