"""Who asks and what may be seen: names checked exactly, private namespaces opened only after that was logged."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psycopg

from viska_assets.query.errors import QueryError
from viska_assets.store.database import Connection, Database
from viska_assets.store.namespaces import Scope, enter_scope, open_scope, public_namespaces, record_hits


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks.

    Attributes:
        name: as it is logged.
        namespaces: the public namespaces that it may see; None for all of them.
        granted: the private namespaces that it may open, each by its exact name; none by default.
    """

    name: str = "unnamed"
    namespaces: tuple[str, ...] | None = None
    granted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What one call asks to see.

    Attributes:
        namespaces: exactly these; None for every public one that the caller may see.
        reason: why a private one is opened, in the caller's words.
        query: what is asked; only its hash is kept in the log.
    """

    namespaces: tuple[str, ...] | None = None
    reason: str = ""
    query: str = ""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A read transaction and what it may see; ``shown`` collects the ids of what leaves a private namespace."""

    connection: Connection
    namespaces: tuple[str, ...]
    private: tuple[str, ...] = ()
    shown: list[str] = field(default_factory=list)


@contextmanager
def admitted(database: Database, caller: Caller, wanted: Wanted) -> Iterator[Admitted]:
    """A read-only transaction that sees what a caller may see of what it asks for.

    Where a private namespace is named, its scope is logged and committed before anything is read, and what was found
    before this returns. Where either log cannot be written, nothing leaves.

    Args:
        database: the reader's, whose rows the database itself hides.
        caller: who asks.
        wanted: what it asks to see.

    Raises:
        QueryError: for a namespace that the caller may not see, in the same words whether it exists or not; for a
            private one without a reason; and where the scope cannot be logged.
    """
    named = tuple(dict.fromkeys(wanted.namespaces)) if wanted.namespaces is not None else None
    private = tuple(name for name in named or () if name in caller.granted)
    scope = _logged(database, caller, private, wanted) if private else None
    with database.transaction() as connection:
        connection.execute("SET TRANSACTION READ ONLY")
        if scope is not None:
            enter_scope(connection, scope)
        public = tuple(
            name for name in public_namespaces(connection) if caller.namespaces is None or name in caller.namespaces
        )
        if named is not None and (not named or any(name not in public and name not in private for name in named)):
            raise _no_such(public)
        seen = Admitted(connection, public if named is None else named, tuple(n for n in private if n not in public))
        yield seen
    if scope is not None:
        try:
            record_hits(database, scope, list(dict.fromkeys(seen.shown)))
        except psycopg.Error as error:
            raise QueryError("what was found could not be logged, so it is not shown", "try again later") from error


def _logged(database: Database, caller: Caller, private: tuple[str, ...], wanted: Wanted) -> Scope:
    if not wanted.reason.strip():
        raise QueryError("a private namespace is opened only for a reason, which is logged", "say why it is opened")
    try:
        return open_scope(
            database,
            caller=caller.name,
            wanted=private,
            reason=wanted.reason,
            query=wanted.query,
            allowed=caller.granted,
        )
    except psycopg.Error as error:
        raise QueryError("the private scope could not be logged, so nothing was read", "try again later") from error


def _no_such(public: tuple[str, ...]) -> QueryError:
    return QueryError("no such namespace can be asked", f"name some of: {', '.join(public) or 'none'}")
