"""The schema on a server that knows no group of Viska's, by an owner who may make none."""

from pathlib import Path

import psycopg
import pytest

from tests.supervise.conftest import owner_login
from viska_assets.store.database import Database
from viska_assets.store.migrate import migrate
from viska_assets.store.server import EmbeddedServer

pytestmark = pytest.mark.database


def test_an_owner_without_createrole_migrates_a_fresh_cluster(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path)
    try:
        url = server.ensure_running()
        base, _, _ = url.rpartition("/")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE DATABASE fresh")
        for owner in owner_login(f"{base}/fresh", "NOCREATEROLE"):
            database = Database(owner)
            migrate(database)
            with database.transaction() as connection:
                groups = connection.execute("SELECT count(*) FROM pg_roles WHERE rolname = 'viska_reader'").fetchone()
                flags = connection.execute("SELECT count(*) FROM governance.flag_cell").fetchone()
            database.close()
            assert groups == (0,)
            assert flags == (5,)
    finally:
        server.stop()
