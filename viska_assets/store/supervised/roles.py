"""Makes the writers' roles and their grants from the matrix, as often as asked; and takes them away again."""

from collections.abc import Iterable
from dataclasses import dataclass

from psycopg import sql

from viska_assets.store.database import Connection, Database
from viska_assets.store.settings import Settings
from viska_assets.store.supervised.catalogue import Relation, functions, relations, schemas
from viska_assets.store.supervised.credentials import (
    Login,
    database_of,
    forget,
    logins,
    wanted_roles,
)
from viska_assets.store.supervised.errors import RolesError
from viska_assets.store.supervised.matrix import (
    FUNCTIONS,
    KILLABLE,
    OPEN_FUNCTIONS,
    OPEN_TABLES,
    Action,
    Writer,
    allowed,
    is_given,
    schemas_of,
)

CONNECTIONS_EACH = 20
SESSION = {"idle_in_transaction_session_timeout": "60s", "statement_timeout": "300s", "lock_timeout": "10s"}
# Large objects belong to whoever makes them: a store beside the tables that no grant speaks of.
LARGE_OBJECTS = ("lo_creat(integer)", "lo_create(oid)", "lo_from_bytea(oid, bytea)")
GROUPS = ("viska_reader", "viska_ingestion", "viska_maintainer", "viska_operator")


@dataclass(frozen=True)
class Applied:
    """What an ``apply`` did: the role of each writer, those that were made, and how many grants stand."""

    roles: dict[Writer, str]
    created: tuple[str, ...]
    grants: int
    notes: tuple[str, ...]


def may_create_roles(connection: Connection) -> bool:
    """Whether this login may create roles on its server."""
    row = connection.execute("SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = session_user").fetchone()
    return bool(row and row[0])


def roles_of(connection: Connection) -> dict[Writer, str]:
    """The writers' roles that were applied to this database and exist."""
    rows = connection.execute(
        "SELECT w.writer, w.role_name::text FROM governance.writer w JOIN pg_roles r ON r.rolname = w.role_name"
    )
    return {Writer(writer): role for writer, role in rows}


def apply_roles(settings: Settings, database: Database, *, rotate: bool = False) -> Applied:
    """Makes what is missing and mends what has drifted; a role that is disabled stays so.

    Args:
        settings: where passwords are kept, and the prefix of the roles' names.
        database: the owner's connection to the database.
        rotate: whether every password that Viska keeps is made anew.

    Raises:
        RolesError: where roles are missing and this login may not create them, or a name belongs to something else.
    """
    with database.transaction() as connection:
        mine = may_create_roles(connection)
        missing_mend = _missing(connection, settings, database.url, mine)
        if missing_mend:
            raise RolesError(missing_mend)
        wanted = logins(settings, database.url, rotate=rotate)
        created = tuple(login.role for writer, login in wanted.items() if _ensure(connection, writer, login, mine))
        roles = {writer: login.role for writer, login in wanted.items()}
        notes = _close_the_public_doors(connection)
        _register(connection, roles)
        grants = sum(_grant_all(connection, writer, role) for writer, role in roles.items())
    return Applied(roles, created, grants, tuple(notes))


def drop_roles(settings: Settings, database: Database) -> list[str]:
    """Removes the roles of this database with all their grants, and says which there were."""
    with database.transaction() as connection:
        roles = sorted(roles_of(connection).values())
        for role in roles:
            connection.execute(sql.SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(sql.Identifier(role)))
        connection.execute("DELETE FROM governance.writer")
    forget(settings, roles)
    return roles


def _missing(connection: Connection, settings: Settings, url: str, mine: bool) -> str:
    """What an administrator has to do first, where this login may not create what is missing."""
    if mine:
        return ""
    there = {row[0] for row in connection.execute("SELECT rolname::text FROM pg_roles")}
    missing = [role for role in wanted_roles(settings, url).values() if role not in there]
    if not missing:
        return ""
    statements = "; ".join(f"CREATE ROLE {role} LOGIN PASSWORD '…'" for role in missing)
    return (
        "this login may not create roles, so the writers cannot be told apart by the database. As an administrator: "
        f"{statements}. Then set VISKA_INGESTION_URL, VISKA_NOUS_URL and so on to the roles' addresses, and apply again"
    )


def _ensure(connection: Connection, writer: Writer, login: Login, mine: bool) -> bool:
    """Makes a role, or sees that the one of this name is ours; says whether it was made."""
    role = sql.Identifier(login.role)
    mark = f"Viska's writer {writer.value} of database {database_name(connection)}"
    row = connection.execute(
        "SELECT shobj_description(oid, 'pg_authid') FROM pg_roles WHERE rolname = %s", (login.role,)
    ).fetchone()
    if row is not None and row[0] != mark and mine:
        raise RolesError(f"the role {login.role} exists and is not Viska's for this database; set VISKA_ROLE_PREFIX")
    if not mine:
        return False
    if row is None:
        connection.execute(
            sql.SQL("CREATE ROLE {} LOGIN CONNECTION LIMIT {}").format(role, sql.Literal(CONNECTIONS_EACH))
        )
        connection.execute(sql.SQL("COMMENT ON ROLE {} IS {}").format(role, sql.Literal(mark)))
        _may_end_sessions(connection, role)
    # Sent as its SCRAM verifier, so that no log of statements ever holds the password.
    secret = connection.pgconn.encrypt_password(login.password.encode(), login.role.encode(), b"scram-sha-256").decode()
    connection.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(role, sql.Literal(secret)))
    for name, value in SESSION.items():
        connection.execute(
            sql.SQL("ALTER ROLE {} IN DATABASE {} SET {} = {}").format(
                role, sql.Identifier(database_name(connection)), sql.Identifier(name), sql.Literal(value)
            )
        )
    return row is None


def _may_end_sessions(connection: Connection, role: sql.Identifier) -> None:
    """An owner who is no superuser may end a session only with the rights of its role."""
    row = connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = session_user").fetchone()
    if not (row and row[0]):
        connection.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(role))


def _close_the_public_doors(connection: Connection) -> list[str]:
    """Takes from everyone what Postgres gives everyone; the groups of older grants keep their way in."""
    name = sql.Identifier(database_name(connection))
    connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(name))
    connection.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC")
    connection.execute("GRANT USAGE ON SCHEMA public TO PUBLIC")
    for (group,) in connection.execute(
        "SELECT rolname::text FROM pg_roles WHERE rolname = ANY(%s)", (list(GROUPS),)
    ).fetchall():
        connection.execute(sql.SQL("GRANT CONNECT, TEMP ON DATABASE {} TO {}").format(name, sql.Identifier(group)))
    own = schemas(connection, owned=True)
    for schema in own:
        connection.execute(sql.SQL("REVOKE ALL ON ALL TABLES IN SCHEMA {} FROM PUBLIC").format(sql.Identifier(schema)))
    for function in functions(connection):
        if function.name.partition(".")[0] not in own:
            continue
        connection.execute(f"REVOKE ALL ON FUNCTION {function.signature} FROM PUBLIC")
        if function.name in OPEN_FUNCTIONS:
            connection.execute(f"GRANT EXECUTE ON FUNCTION {function.signature} TO PUBLIC")
    for table in OPEN_TABLES:
        connection.execute(sql.SQL("GRANT SELECT ON {} TO PUBLIC").format(sql.Identifier(*table.split("."))))
    row = connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = session_user").fetchone()
    if not (row and row[0]):
        return ["large objects stay open to everyone: only a superuser may close them"]
    for function_name in LARGE_OBJECTS:
        connection.execute(f"REVOKE ALL ON FUNCTION pg_catalog.{function_name} FROM PUBLIC")
    return []


def _register(connection: Connection, roles: dict[Writer, str]) -> None:
    connection.execute("DELETE FROM governance.writer")
    for writer, role in roles.items():
        connection.execute("INSERT INTO governance.writer (writer, role_name) VALUES (%s, %s)", (writer.value, role))


def _grant_all(connection: Connection, writer: Writer, role_name: str) -> int:
    """Takes everything from a role and grants what the matrix says; returns how many grants that is."""
    role = sql.Identifier(role_name)
    for schema in schemas(connection, owned=True):
        name = sql.Identifier(schema)
        for kind in ("TABLES", "SEQUENCES", "FUNCTIONS"):
            connection.execute(sql.SQL("REVOKE ALL ON ALL {} IN SCHEMA {} FROM {}").format(sql.SQL(kind), name, role))
        connection.execute(sql.SQL("REVOKE ALL ON SCHEMA {} FROM {}").format(name, role))
    database = sql.Identifier(database_name(connection))
    connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM {}").format(database, role))
    connection.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, role))
    present = set(schemas(connection))
    for schema in schemas_of(writer) & present:
        connection.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(sql.Identifier(schema), role))
    grants = [grant for relation in relations(connection) for grant in _grants_of(writer, relation)]
    for grant in grants:
        connection.execute(sql.SQL("GRANT {} TO {}").format(grant, role))
    callable_ = [f for f in functions(connection) if writer in FUNCTIONS.get(f.name, ())]
    for function in callable_:
        connection.execute(sql.SQL("GRANT EXECUTE ON FUNCTION {} TO {}").format(sql.SQL(function.signature), role))
    return len(grants) + len(callable_)


def _grants_of(writer: Writer, relation: Relation) -> Iterable[sql.Composable]:
    table = sql.Identifier(*relation.name.split("."))
    actions = allowed(writer, relation.name, is_table=relation.is_table)
    for action in sorted(actions):
        if action is Action.INSERT:
            given = [
                sql.Identifier(name)
                for name, _ in relation.columns
                if name not in relation.generated and is_given(relation.name, name)
            ]
            yield sql.SQL("INSERT ({}) ON {}").format(sql.SQL(", ").join(given), table)
        else:
            yield sql.SQL("{} ON {}").format(sql.SQL(action.value), table)


def database_name(connection: Connection) -> str:
    """The name of the database that is connected to."""
    return connection.info.dbname


def unapplied(connection: Connection, settings: Settings, url: str) -> str:
    """Why the writers are not told apart by this database, or an empty string where they are."""
    found = roles_of(connection)
    if len(found) == len(Writer):
        return ""
    if not may_create_roles(connection):
        return _missing(connection, settings, url, False) or "run `viska roles apply`"
    return f"the writers' roles of database {database_of(url)} are not applied; run `viska roles apply`"


def disabled_writers(connection: Connection) -> list[Writer]:
    """The writers whose role may not log in."""
    rows = connection.execute(
        "SELECT w.writer FROM governance.writer w JOIN pg_roles r ON r.rolname = w.role_name "
        "WHERE NOT r.rolcanlogin AND w.writer = ANY(%s) ORDER BY 1",
        ([writer.value for writer in KILLABLE],),
    )
    return [Writer(row[0]) for row in rows]
