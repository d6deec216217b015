"""G097 and the roles' life: applied again and again, by owners of every power, one set a database, none left over."""

import stat
from pathlib import Path

import psycopg
import pytest

from tests.supervise.desk import Desk
from viska_assets.store.database import Database
from viska_assets.store.home import Home
from viska_assets.store.migrate import migrate
from viska_assets.store.settings import Settings
from viska_assets.store.supervised.credentials import address_of, database_of, role_name
from viska_assets.store.supervised.errors import RolesError
from viska_assets.store.supervised.matrix import TABLES, Writer
from viska_assets.store.supervised.roles import apply_roles, drop_roles, unapplied
from viska_assets.supervise import connect, killing, pausing
from viska_assets.supervise.auditing import seal, verify
from viska_assets.supervise.proving import prove_roles

pytestmark = pytest.mark.database


def test_applying_twice_changes_nothing(desk: Desk) -> None:
    state = (
        "SELECT array_agg(coalesce(relacl::text, '') ORDER BY oid) FROM pg_class",
        "SELECT array_agg(proacl::text ORDER BY oid) FROM pg_proc",
        "SELECT array_agg(attacl::text ORDER BY attrelid, attnum) FROM pg_attribute WHERE attacl IS NOT NULL",
        "SELECT array_agg(rolname::text ORDER BY oid) FROM pg_roles",
    )
    passwords = (desk.settings.home_path / "roles.json").read_bytes()
    before = [desk.owner(query) for query in state]
    done = apply_roles(desk.settings, desk.database)
    assert done.created == ()
    assert [desk.owner(query) for query in state] == before
    assert (desk.settings.home_path / "roles.json").read_bytes() == passwords


def test_passwords_are_private_and_rotated_on_demand(desk: Desk) -> None:
    file = desk.settings.home_path / "roles.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    old = address_of(desk.settings, desk.database.url, Writer.NOUS)
    apply_roles(desk.settings, desk.database, rotate=True)
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(old)
    desk.trace()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_g097_two_clients_on_one_server_do_not_meet(desk: Desk, server_url: str, tmp_path: Path) -> None:
    name = f"{database_of(desk.database.url)}_b"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
    other = Database(desk.database.url.replace(database_of(desk.database.url), name))
    settings = Settings(home=tmp_path / "other", database_url=other.url)
    try:
        migrate(other)
        theirs = apply_roles(settings, other).roles
        assert not set(theirs.values()) & set(apply_roles(desk.settings, desk.database).roles.values())
        for writer in Writer:
            here = address_of(desk.settings, desk.database.url, writer)
            with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
                psycopg.connect(here.replace(f"/{database_of(desk.database.url)}", f"/{name}"))
        proof = prove_roles(desk.settings, desk.database, (Writer.NOUS,))
        assert proof.holds
        assert ("connect elsewhere", name, False) in {
            (o.attack.kind, o.attack.target, o.passed) for o in proof.outcomes if o.attack.kind == "connect elsewhere"
        }
        pausing.pause(settings, other, Writer.NOUS, reason="r", requested_by="w")
        killing.kill(settings, other, Writer.PLUTUS, reason="r", requested_by="w")
        desk.approved()
    finally:
        drop_roles(settings, other)
        other.close()
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")  # type: ignore[arg-type]


def test_a_prefix_names_the_roles_and_strangers_are_left_alone(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    prefix = f"{database_of(home.database.url)}_own_"
    monkeypatch.setenv("VISKA_ROLE_PREFIX", prefix)
    settings = Settings()
    with home.database.transaction() as connection:
        connection.execute(f"CREATE ROLE {prefix}nous LOGIN")  # type: ignore[arg-type]
    with pytest.raises(RolesError, match="is not Viska's for this database; set VISKA_ROLE_PREFIX"):
        apply_roles(settings, home.database)
    with home.database.transaction() as connection:
        connection.execute(f"DROP ROLE {prefix}nous")  # type: ignore[arg-type]
    done = apply_roles(settings, home.database)
    assert set(done.roles.values()) == {f"{prefix}{writer.value}" for writer in Writer}
    assert drop_roles(settings, home.database) == sorted(done.roles.values())


@pytest.mark.parametrize("prefix", ["a-b", "Ab", "x; DROP", "1a", "a" * 50])
def test_a_prefix_is_a_plain_name(prefix: str) -> None:
    with pytest.raises(ValueError, match="role_prefix"):
        Settings(role_prefix=prefix)


def test_a_name_of_a_role_fits_and_is_plain() -> None:
    for name in ("postgres", "Client A/S", "x" * 63, 'a"b'):
        role = role_name(Writer.GOVERNANCE, name)
        assert len(role) <= 63
        assert role.replace("_", "").isalnum()


def test_an_owner_who_may_not_create_roles_is_told_what_to_do(poor_owner: str, tmp_path: Path) -> None:
    database = Database(poor_owner)
    settings = Settings(home=tmp_path, database_url=poor_owner)
    migrate(database)
    with pytest.raises(RolesError, match=r"may not create roles.*CREATE ROLE .*_nous LOGIN"):
        apply_roles(settings, database)
    with database.transaction() as connection:
        assert "may not create roles" in unapplied(connection, settings, poor_owner)
    with pytest.raises(RolesError, match="may not create roles"):
        prove_roles(settings, database)
    with pytest.raises(RolesError, match="run `viska roles apply`, or set VISKA_NOUS_URL"):
        connect("nous", settings)
    pausing.pause(settings, database, Writer.NOUS, reason="r", requested_by="w")
    assert seal(settings, database)[0] > 0
    assert verify(database, []).is_intact
    database.close()


def test_roles_that_an_administrator_made_are_taken_from_their_addresses(
    poor_owner: str, empty_database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, name = poor_owner.rpartition("@")[2].rpartition("/")[0], database_of(poor_owner)
    migrate(Database(poor_owner))
    with psycopg.connect(empty_database_url, autocommit=True) as connection:
        for writer in Writer:
            connection.execute(f"CREATE ROLE {name}_{writer} LOGIN PASSWORD 'given'")  # type: ignore[arg-type]
            monkeypatch.setenv(f"VISKA_{writer.upper()}_URL", f"postgresql://{name}_{writer}:given@{host}/{name}")
    settings, database = Settings(home=tmp_path, database_url=poor_owner), Database(poor_owner)
    try:
        assert apply_roles(settings, database).roles[Writer.NOUS] == f"{name}_nous"
        surprises = {o.attack.kind for o in prove_roles(settings, database).surprises}
        assert surprises <= {"store a large object", "store bytes"}, "what only a superuser may close"
        with connect("nous", settings).transaction() as connection:
            connection.execute("INSERT INTO nous.trace (engine, token_budget) VALUES ('e', 1)")
    finally:
        database.close()
        with psycopg.connect(empty_database_url, autocommit=True) as connection:
            for writer in Writer:
                connection.execute(f"DROP OWNED BY {name}_{writer}; DROP ROLE {name}_{writer}")  # type: ignore[arg-type]


def test_an_owner_who_is_no_superuser_applies_proves_and_kills(
    plain_owner: str, empty_database_url: str, tmp_path: Path
) -> None:
    with psycopg.connect(empty_database_url) as connection:
        connection.execute("CREATE SCHEMA hosted; CREATE TABLE hosted.users (name text)")
        connection.execute("CREATE FUNCTION hosted.f() RETURNS int LANGUAGE sql AS 'SELECT 1'")
    database = Database(plain_owner)
    settings = Settings(home=tmp_path, database_url=plain_owner)
    migrate(database)
    try:
        notes = apply_roles(settings, database).notes
        assert notes == ("large objects stay open to everyone: only a superuser may close them",)
        proof = prove_roles(settings, database)
        assert {o.attack.kind for o in proof.surprises} <= {"store a large object", "store bytes"}
        with psycopg.connect(address_of(settings, plain_owner, Writer.NOUS)) as nous:
            nous.execute("INSERT INTO nous.trace (engine, token_budget) VALUES ('e', 1)")
            nous.execute("SET CONSTRAINTS ALL IMMEDIATE")
            pausing.pause(settings, database, Writer.NOUS, reason="r", requested_by="w")
            with pytest.raises(psycopg.OperationalError):
                nous.commit()
        with psycopg.connect(address_of(settings, plain_owner, Writer.PLUTUS)):
            assert killing.kill(settings, database, Writer.PLUTUS, reason="r", requested_by="w").sessions == 1
        with pytest.raises(psycopg.OperationalError, match="not permitted to log in"):
            psycopg.connect(address_of(settings, plain_owner, Writer.PLUTUS))
        assert seal(settings, database)[0] > 0
    finally:
        drop_roles(settings, database)
        database.close()


def test_the_matrix_names_only_what_exists(desk: Desk) -> None:
    there = {
        row[0]
        for row in desk.owner(
            "SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n "
            "ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'v')"
        )
    }
    named = {name for tables in TABLES.values() for name in tables if not name.endswith(".*")}
    assert named <= there


def test_every_column_of_the_loop_says_what_it_holds(desk: Desk) -> None:
    bare = desk.owner(
        "SELECT n.nspname || '.' || c.relname || '.' || a.attname FROM pg_class c JOIN pg_namespace n "
        "ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 "
        "WHERE c.relkind = 'r' AND n.nspname = ANY(ARRAY['signals', 'strategies', 'review', 'backtests', 'reports', "
        "'governance', 'nous', 'slack', 'audit']) AND col_description(c.oid, a.attnum) IS NULL ORDER BY 1"
    )
    assert bare == []


def test_every_function_with_its_owners_rights_pins_its_search_path(desk: Desk) -> None:
    loose = desk.owner(
        "SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
        "WHERE p.prosecdef AND n.nspname NOT IN ('pg_catalog', 'information_schema') "
        "AND NOT coalesce(p.proconfig::text, '') LIKE '%%search_path=pg_catalog, pg_temp%%'",
        (),
    )
    assert loose == []
