"""Brings a database to the newest schema, once, however many processes ask at the same time."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from viska_assets.store.database import Database, Lock


def migrate(database: Database, revision: str = "head") -> str:
    """Runs the outstanding migrations, up to a revision, and returns the one the schema is at."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    engine = create_engine(database.url.replace("postgresql://", "postgresql+psycopg://", 1), poolclass=NullPool)
    with database.locked(Lock.MIGRATION), engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        return str(connection.exec_driver_sql("SELECT version_num FROM public.schema_version").scalar())
