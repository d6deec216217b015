"""Namespaces: which there are, who may see them, and the log without which a private one stays closed.

A reader's connection has the role ``viska_reader``: it may read content, add to the log of scopes and to the notices,
and nothing else. Row security hides every private namespace from it until a scope is logged in a transaction of its
own and entered in the reading one. Where a deployment has no such role, the owner's connection reads, and the condition
on namespaces in every search is all that stands; ``row_security_holds`` says which it is.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from psycopg import sql
from psycopg.types.json import Jsonb

from viska_assets.store.database import Connection, Database

READER = "viska_reader"
DESK = "default"


class NamespaceError(ValueError):
    """A namespace cannot be opened or made; the message never says whether a private one exists."""


@dataclass(frozen=True, slots=True)
class Namespace:
    """A namespace; what is not on record is private."""

    name: str
    private: bool
    description: str


@dataclass(frozen=True, slots=True)
class Notice:
    """What others must be told, once for each key."""

    kind: str
    key: str
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scope:
    """A logged scope on private namespaces, by which a transaction may see them for ten minutes."""

    token: str
    namespaces: tuple[str, ...]


class ReaderDatabase(Database):
    """The same database through connections that have taken a reader's role."""

    def configure(self, connection: Connection) -> None:
        """Takes the role for as long as the connection lives."""
        super().configure(connection)
        connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(READER)))
        connection.commit()


def reader_of(database: Database) -> Database:
    """The database as a reader sees it, or as its owner does where the role is missing or may not be taken."""
    with database.transaction() as connection:
        row = connection.execute(
            "SELECT pg_has_role(session_user, oid, 'MEMBER') FROM pg_roles WHERE rolname = %s", (READER,)
        ).fetchone()
    return ReaderDatabase(database.url) if row and row[0] else database


def row_security_holds(connection: Connection) -> bool:
    """Whether the database itself hides private namespaces from this connection."""
    row = connection.execute("SELECT row_security_active('retrieval.chunk')").fetchone()
    return bool(row and row[0])


def namespaces(connection: Connection) -> tuple[Namespace, ...]:
    """All namespaces on record by name, the desk's first."""
    rows = connection.execute(
        "SELECT name, private, description FROM privacy.namespace ORDER BY name <> %s, name", (DESK,)
    )
    return tuple(Namespace(*row) for row in rows)


def public_namespaces(connection: Connection) -> tuple[str, ...]:
    """The names of those that are searched where nothing is named."""
    return tuple(found.name for found in namespaces(connection) if not found.private)


def private_namespaces(connection: Connection) -> tuple[str, ...]:
    """The names of those that may be opened by an exact name, a grant and a logged reason only."""
    return tuple(found.name for found in namespaces(connection) if found.private)


def add_namespace(connection: Connection, name: str, *, private: bool, description: str) -> None:
    """Puts a namespace on record; a known one stays as it is.

    Raises:
        NamespaceError: where it is known as the other kind.
    """
    connection.execute(
        "INSERT INTO privacy.namespace (name, private, description) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
        (name, private, description),
    )
    known = connection.execute("SELECT private FROM privacy.namespace WHERE name = %s", (name,)).fetchone()
    assert known is not None
    if known[0] is not private:
        kind = "private" if known[0] else "public"
        raise NamespaceError(f"the namespace {name} is {kind}: what is in it was written or read under that promise")


def open_scope(
    database: Database, *, caller: str, wanted: Sequence[str], reason: str, query: str, allowed: Sequence[str]
) -> Scope:
    """Logs a scope on private namespaces and the notice of it, committed before this returns.

    Args:
        database: the reader's; a transaction of its own is used.
        caller: who asks, as it names itself.
        wanted: the private namespaces, each by its exact name.
        reason: why, in the caller's words.
        query: what is asked; only its hash is kept.
        allowed: the private namespaces that this caller was granted.

    Raises:
        NamespaceError: for an empty list, reason or caller, and for a name that was not granted, existing or not.
        psycopg.Error: where the log cannot be written; nothing was opened then.
    """
    names = tuple(dict.fromkeys(wanted))
    if not names or any(name not in allowed for name in names):
        raise NamespaceError("no such private namespace can be opened: name each exactly, and have it granted first")
    if not caller.strip() or not reason.strip():
        raise NamespaceError("a private scope needs a caller and a reason: both are logged")
    hashed = hashlib.sha256(query.encode("utf-8", "replace")).hexdigest()
    with database.transaction() as connection:
        connection.execute(
            "INSERT INTO privacy.scope (caller, namespaces, reason, query_sha256) VALUES (%s, %s, %s, %s)",
            (caller, list(names), reason, hashed),
        )
        row = connection.execute("SELECT privacy.own_scope()").fetchone()
        assert row is not None
        token = str(row[0])
        payload = {"caller": caller, "namespaces": list(names), "reason": reason, "query_sha256": hashed}
        add_notice(connection, "private_scope", token, payload)
    return Scope(token, names)


def enter_scope(connection: Connection, scope: Scope) -> None:
    """Lets this transaction, and no later one, see the scope's namespaces."""
    connection.execute("SELECT set_config('viska.scope', %s, true)", (scope.token,))


def record_hits(database: Database, scope: Scope, hits: Sequence[str]) -> None:
    """Logs what a scope found, committed before this returns: results go out only afterwards."""
    with database.transaction() as connection:
        connection.execute("INSERT INTO privacy.scope_result (token, hits) VALUES (%s, %s)", (scope.token, list(hits)))


def add_notice(connection: Connection, kind: str, key: str, payload: dict[str, Any]) -> bool:
    """Adds a notice once for its key and says whether it is new."""
    added = connection.execute(
        "INSERT INTO privacy.notice (kind, key, payload) VALUES (%s, %s, %s) ON CONFLICT (kind, key) DO NOTHING",
        (kind, key, Jsonb(payload)),
    )
    return added.rowcount == 1


def add_notices(database: Database, notices: Sequence[Notice]) -> None:
    """Adds notices, each once for its key, in a transaction of its own."""
    if not notices:
        return
    with database.transaction() as connection:
        for notice in notices:
            add_notice(connection, notice.kind, notice.key, notice.payload)


def noted(connection: Connection, kind: str) -> list[tuple[str, dict[str, Any]]]:
    """The notices of a kind by their keys; for the owner, as a reader may only add to them."""
    rows = connection.execute("SELECT key, payload FROM privacy.notice WHERE kind = %s ORDER BY key", (kind,))
    return list(rows.fetchall())
