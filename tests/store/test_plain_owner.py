"""A database whose owner may create no roles, on a cluster that has none: everything but the roles works."""

from pathlib import Path

import psycopg
import pytest

from viska_assets.store.database import Database
from viska_assets.store.migrate import migrate
from viska_assets.store.server import EmbeddedServer

pytestmark = pytest.mark.database


def test_the_schema_is_made_without_the_right_to_create_roles(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path / "server")
    url = server.ensure_running()
    try:
        with psycopg.connect(url, autocommit=True) as admin:
            admin.execute("CREATE ROLE desk LOGIN PASSWORD 'plain'")
            admin.execute("CREATE DATABASE desk OWNER desk")
            host, port = admin.info.host, admin.info.port
        # an administrator adds the extension, as on any hosted server
        with psycopg.connect(url, dbname="desk", autocommit=True) as admin:
            admin.execute("CREATE EXTENSION vector")
        opened = Database(f"postgresql://desk:plain@{host}:{port}/desk")
        migrate(opened)
        with opened.transaction() as connection:
            assert connection.execute("SELECT count(*) FROM raw.document").fetchone() == (0,)
            roles = connection.execute("SELECT rolname FROM pg_roles WHERE rolname LIKE 'viska\\_%'").fetchall()
            tables = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'review'").fetchone()
        opened.close()
        assert roles == []
        assert tables is not None
        assert tables[0] > 5
    finally:
        server.stop()
