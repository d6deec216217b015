"""The attacks that prove the matrix: for every writer, made from the catalogue, and tried as that writer.

Each is tried in a savepoint that is taken back. Statements are such that they change nothing even where they succeed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql

from viska_assets.store.database import Connection
from viska_assets.store.savepoint import savepoint
from viska_assets.store.supervised.catalogue import Function, Relation
from viska_assets.store.supervised.matrix import Action, Writer, allowed, is_given, may_call

# Permission denied; a view that cannot be written; a generated column; a view where only a table can be emptied.
# Any other error means that the privilege was there.
DENIALS = frozenset({"42501", "55000", "428C9", "42809"})


@dataclass(frozen=True)
class Attack:
    """One statement of one writer, on what, and whether the matrix lets it through."""

    writer: Writer
    kind: str
    target: str
    statement: sql.SQL | sql.Composed
    is_allowed: bool = False


@dataclass(frozen=True)
class Outcome:
    """What became of an attack: whether the database let it through, and what it said."""

    attack: Attack
    passed: bool
    said: str

    @property
    def is_surprise(self) -> bool:
        """Whether the database did other than the matrix says."""
        return self.passed is not self.attack.is_allowed


@dataclass(frozen=True)
class Ground:
    """What there is to attack."""

    relations: Sequence[Relation]
    functions: Sequence[Function]
    sequences: Sequence[str]
    schemas: Sequence[str]
    roles: Mapping[Writer, str]
    owner: str
    database: str
    databases: Sequence[str]


def attacks_of(writer: Writer, ground: Ground) -> Iterator[Attack]:
    """Every attack of a writer on everything there is."""
    for relation in ground.relations:
        yield from _on_relation(writer, relation)
    for sequence in ground.sequences:
        name = sql.Literal(sequence)
        yield Attack(writer, "nextval", sequence, sql.SQL("SELECT nextval({})").format(name))
        yield Attack(writer, "setval", sequence, sql.SQL("SELECT setval({}, 1)").format(name))
    for function in ground.functions:
        may = may_call(writer, function.name)
        signature = sql.Literal(function.signature)
        # A function that may be called would act: its privilege is asked for instead.
        call = (
            sql.SQL(
                "DO $$ BEGIN IF NOT has_function_privilege({}, 'EXECUTE') THEN RAISE insufficient_privilege; "
                "END IF; END $$"
            ).format(signature)
            if may
            else sql.SQL(function.call)
        )
        yield Attack(writer, "call", function.signature, call, may)
    for schema in ground.schemas:
        name_ = sql.Identifier(schema)
        yield Attack(writer, "create table", schema, sql.SQL("CREATE TABLE {}.attacked ()").format(name_))
        yield Attack(
            writer,
            "create function",
            schema,
            sql.SQL("CREATE FUNCTION {}.attacked() RETURNS int LANGUAGE sql AS 'SELECT 1'").format(name_),
        )
        yield Attack(writer, "drop schema", schema, sql.SQL("DROP SCHEMA {} CASCADE").format(name_))
    yield from _on_roles(writer, ground)
    yield from _on_server(writer, ground)


def _on_relation(writer: Writer, relation: Relation) -> Iterator[Attack]:
    table = sql.Identifier(*relation.name.split("."))
    may = allowed(writer, relation.name, is_table=relation.is_table)
    column, kind = relation.changeable
    for action, form in (
        (Action.SELECT, "SELECT * FROM {t} LIMIT 0"),
        (Action.UPDATE, "UPDATE {t} SET {c} = NULL WHERE false"),
        (Action.DELETE, "DELETE FROM {t} WHERE false"),
        (Action.TRUNCATE, "TRUNCATE {t}"),
    ):
        statement = sql.SQL(form).format(t=table, c=sql.Identifier(column))
        yield Attack(writer, action.value, relation.name, statement, action in may)
    for name, kind in relation.columns:
        given = Action.INSERT in may and name not in relation.generated and is_given(relation.name, name)
        statement = sql.SQL("INSERT INTO {} ({}) SELECT NULL::{} WHERE false").format(
            table, sql.Identifier(name), sql.SQL(kind)
        )
        yield Attack(writer, "insert", f"{relation.name}.{name}", statement, given)
    if not relation.is_table:
        yield Attack(writer, "drop", relation.name, sql.SQL("DROP VIEW {} CASCADE").format(table))
        return
    for kind, form in (
        ("alter", "ALTER TABLE {t} ADD COLUMN attacked integer"),
        ("disable triggers", "ALTER TABLE {t} DISABLE TRIGGER ALL"),
        ("take over", "ALTER TABLE {t} OWNER TO CURRENT_USER"),
        ("drop", "DROP TABLE {t} CASCADE"),
        ("index", "CREATE INDEX attacked ON {t} ({c})"),
        ("comment", "COMMENT ON TABLE {t} IS 'attacked'"),
        ("rule", "CREATE RULE attacked AS ON INSERT TO {t} DO INSTEAD NOTHING"),
        (
            "trigger",
            "CREATE TRIGGER attacked BEFORE INSERT ON {t} FOR EACH ROW "
            "EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        ),
    ):
        yield Attack(writer, kind, relation.name, sql.SQL(form).format(t=table, c=sql.Identifier(column)))
    grant = sql.SQL(
        "DO $$ BEGIN GRANT UPDATE ON {0} TO PUBLIC; IF NOT EXISTS (SELECT 1 FROM pg_class c, aclexplode(c.relacl) a "
        "WHERE c.oid = {1}::regclass AND a.grantee = 0 "
        "AND a.privilege_type = 'UPDATE') THEN RAISE insufficient_privilege; END IF; END $$"
    ).format(table, sql.Literal(relation.name))
    yield Attack(writer, "grant on", relation.name, grant)
    # Whoever may change rows of a table may lock it as strongly as a change does, and Postgres lets it lock harder.
    may_lock = bool(may & {Action.UPDATE, Action.DELETE, Action.TRUNCATE})
    lock = sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE NOWAIT").format(table)
    yield Attack(writer, "lock", relation.name, lock, may_lock)


def _on_roles(writer: Writer, ground: Ground) -> Iterator[Attack]:
    others = {role for other, role in ground.roles.items() if other is not writer} | {ground.owner}
    own = sql.Identifier(ground.roles[writer])
    for name in sorted(others):
        role = sql.Identifier(name)
        for kind, form in (
            ("set role", "SET LOCAL ROLE {}"),
            ("session authorization", "SET LOCAL SESSION AUTHORIZATION {}"),
            ("change password", "ALTER ROLE {} PASSWORD 'attacked'"),
            ("disable role", "ALTER ROLE {} NOLOGIN"),
            ("drop role", "DROP ROLE {}"),
        ):
            yield Attack(writer, kind, name, sql.SQL(form).format(role))
        yield Attack(writer, "join role", name, sql.SQL("GRANT {} TO {}").format(role, own))
        end = sql.SQL(
            "DO $$ DECLARE ended boolean; BEGIN SELECT bool_or(pg_terminate_backend(pid)) INTO ended FROM "
            "pg_stat_activity WHERE usename = {}; IF ended IS NULL THEN RAISE insufficient_privilege; END IF; END $$"
        ).format(sql.Literal(name))
        yield Attack(writer, "end session", name, end)
    for trait in ("SUPERUSER", "CREATEROLE", "CREATEDB", "BYPASSRLS", "REPLICATION"):
        yield Attack(writer, "raise itself", trait, sql.SQL("ALTER ROLE {} {}").format(own, sql.SQL(trait)))
    for database in ground.databases:
        yield Attack(
            writer,
            "connect elsewhere",
            database,
            sql.SQL(
                "DO $$ BEGIN IF NOT has_database_privilege({}, 'CONNECT') "
                "THEN RAISE insufficient_privilege; END IF; END $$"
            ).format(sql.Literal(database)),
        )


def _on_server(writer: Writer, ground: Ground) -> Iterable[Attack]:
    owner, here = sql.Identifier(ground.owner), sql.Identifier(ground.database)
    for kind, form in (
        ("change defaults", "ALTER DEFAULT PRIVILEGES FOR ROLE {o} GRANT ALL ON TABLES TO PUBLIC"),
        ("alter database", "ALTER DATABASE {d} CONNECTION LIMIT 0"),
        ("set for database", "ALTER DATABASE {d} SET session_replication_role = replica"),
        # A grant without the right to it is only warned of; what counts is whether it took.
        (
            "grant database",
            "DO $$ BEGIN GRANT CREATE ON DATABASE {d} TO PUBLIC; IF NOT has_database_privilege("
            "current_database(), 'CREATE') THEN RAISE insufficient_privilege; END IF; END $$",
        ),
    ):
        yield Attack(writer, kind, ground.database, sql.SQL(form).format(o=owner, d=here))
    statements = {
        "skip triggers": "SET LOCAL session_replication_role = replica",
        "create schema": "CREATE SCHEMA attacked",
        "create temporary table": "CREATE TEMPORARY TABLE attacked ()",
        "create role": "CREATE ROLE viska_attacked",
        "update extension": "ALTER EXTENSION vector UPDATE",
        "run a program": "COPY (SELECT 1) TO PROGRAM 'true'",
        "write a file": "COPY (SELECT 1) TO '/tmp/viska_attacked'",
        "read a file": "SELECT pg_read_file('PG_VERSION')",
        "list files": "SELECT pg_ls_dir('.')",
        "store a large object": "SELECT lo_create(0)",
        "store bytes": "SELECT lo_from_bytea(0, 'x')",
        "read passwords": "SELECT rolpassword FROM pg_authid LIMIT 0",
        "change settings": "SELECT set_config('log_statement', 'none', true)",
        "reload settings": "SELECT pg_reload_conf()",
        "untrusted language": "CREATE FUNCTION pg_temp.attacked() RETURNS int LANGUAGE c AS 'attacked'",
        "event trigger": "CREATE EVENT TRIGGER attacked ON ddl_command_start EXECUTE FUNCTION attacked()",
        "publication": "CREATE PUBLICATION attacked FOR ALL TABLES",
    }
    for kind, text in statements.items():
        yield Attack(writer, kind, "server", sql.SQL(text))


def try_attacks(connection: Connection, attacks: Iterable[Attack]) -> Iterator[Outcome]:
    """Tries each on the connection of its writer, in a transaction that the caller rolls back."""
    with savepoint(connection) as back:
        for attack in attacks:
            try:
                connection.execute(attack.statement)
            except psycopg.Error as error:
                back()
                state = error.sqlstate or ""
                said = str(error).splitlines()[0]
                yield Outcome(attack, state not in DENIALS, f"{state} {said}")
                continue
            back()
            yield Outcome(attack, True, "done")
