"""Brings a database to the newest schema, once, however many processes ask at the same time."""

from pathlib import Path

import psycopg

from viska_assets.store.database import Database, Lock

MIGRATIONS = Path(__file__).with_name("migrations")


def migrate(database: Database, revision: str = "head") -> str:
    """Runs the outstanding migrations, up to a revision, and returns the one the schema is at."""
    if revision == "head" and stored_revision(database) == newest_revision():
        return newest_revision()
    # Loaded only where there is something to do: most processes find the schema as it should be.
    from alembic import command
    from alembic.config import Config
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    engine = create_engine(database.url.replace("postgresql://", "postgresql+psycopg://", 1), poolclass=NullPool)
    with database.locked(Lock.MIGRATION), engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        return str(connection.exec_driver_sql("SELECT version_num FROM public.schema_version").scalar())


def newest_revision() -> str:
    """The revision of the last migration, by the names of their files (``r0009_parity_gate.py`` is 0009)."""
    return max(path.name[1:5] for path in (MIGRATIONS / "versions").glob("r[0-9][0-9][0-9][0-9]_*.py"))


def stored_revision(database: Database) -> str | None:
    """The revision that a database is at; None where it has no schema yet."""
    try:
        with psycopg.connect(database.url, autocommit=True) as connection:
            row = connection.execute("SELECT version_num FROM public.schema_version").fetchone()
    except psycopg.errors.UndefinedTable:
        return None
    return str(row[0]) if row else None
