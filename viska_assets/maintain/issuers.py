"""Merging and splitting issuers: names move, every document is asked again whom it is about, and the trail says why."""

from collections.abc import Sequence
from dataclasses import dataclass

from viska_assets.maintain.extractive.identification import identify
from viska_assets.maintain.identity import AliasTable, normalise_name
from viska_assets.model.page import FOLDER_OF_TYPE, ConceptType
from viska_assets.okf.slugs import is_slug
from viska_assets.store.aliases import add_alias_change, aliases, set_aliases
from viska_assets.store.database import Connection, Database
from viska_assets.store.documents import documents_about
from viska_assets.store.registry import forget_drafting


class IssuerError(ValueError):
    """Issuers cannot be merged or split as asked; the message says why and what to do."""


@dataclass(frozen=True)
class Moved:
    """What a merge or a split moved: names, and the documents that are drafted again by the next run."""

    names: tuple[str, ...]
    documents: tuple[str, ...]


def merge_issuers(database: Database, source: str, target: str, *, actor: str, reason: str) -> Moved:
    """Makes one issuer of two: all names of ``source`` become names of ``target``, and so do its documents.

    Raises:
        IssuerError: where one of them is not known, both are the same, or the reason is empty.
    """
    with database.transaction() as connection:
        table = aliases(connection)
        _check(table, source, reason)
        if target == source or not any(concept == target for _, _, concept in table):
            raise IssuerError(f"{target} is not another issuer with a name; `viska issuers list` shows them")
        return _move(connection, "merge", source, target, _names_of(table, source), actor, reason)


def split_issuer(
    database: Database, source: str, target: str, names: Sequence[str], *, actor: str, reason: str
) -> Moved:
    """Gives some names of an issuer to another one, new or known; documents that carry them follow.

    Raises:
        IssuerError: where a name is not the issuer's, all of its names would go, or the reason is empty.
    """
    with database.transaction() as connection:
        table = aliases(connection)
        _check(table, source, reason)
        folder, _, slug = target.partition("/")
        if folder != FOLDER_OF_TYPE[ConceptType.ISSUER] or not is_slug(slug):
            raise IssuerError(f"{target} is no id of an issuer; write issuers/name-in-small-letters")
        own = _names_of(table, source)
        wanted = {name.strip() for name in names} | {normalise_name(name) for name in names}
        chosen = [(alias, kind) for alias, kind in own if alias in wanted]
        unknown = [name for name in names if not {name.strip(), normalise_name(name)} & {a for a, _ in own}]
        if unknown or not chosen:
            raise IssuerError(f"{source} has no such name: {', '.join(unknown) or 'none given'}")
        if len(chosen) == len(own):
            raise IssuerError(f"these are all names of {source}; merge it instead")
        return _move(connection, "split", source, target, chosen, actor, reason)


def _check(table: Sequence[tuple[str, str, str]], source: str, reason: str) -> None:
    if not reason.strip():
        raise IssuerError("a merge or split needs a reason: it is kept for the auditor")
    if not any(concept == source for _, _, concept in table):
        raise IssuerError(f"{source} is not known; `viska issuers list` shows the issuers")


def _names_of(table: Sequence[tuple[str, str, str]], concept: str) -> list[tuple[str, str]]:
    return [(alias, kind) for alias, kind, owner in table if owner == concept]


def _move(
    connection: Connection,
    action: str,
    source: str,
    target: str,
    names: Sequence[tuple[str, str]],
    actor: str,
    reason: str,
) -> Moved:
    set_aliases(connection, [(alias, kind, target) for alias, kind in names], f"{action} by {actor}")
    printed = tuple(sorted(alias for alias, _ in names))
    add_alias_change(connection, action, source, target, printed, actor, reason)
    table = AliasTable(aliases(connection))
    moved = []
    for stored in documents_about(connection, (source, target)):
        if identify(connection, stored, table) != stored.entity or stored.entity == target:
            forget_drafting(connection, stored.document_id)
            moved.append(stored.document_id)
    return Moved(printed, tuple(moved))
