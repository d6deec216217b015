"""A home whose writers' roles are applied, and removed with its database."""

from collections.abc import Iterator

import psycopg
import pytest

from tests.supervise.desk import Desk
from viska_assets.store.home import Home
from viska_assets.store.supervised.roles import apply_roles, drop_roles
from viska_assets.supervise.connecting import close_all


@pytest.fixture
def desk(home: Home) -> Iterator[Desk]:
    """The loop's database with all writers."""
    apply_roles(home.settings, home.database)
    yield Desk(home)
    close_all()
    drop_roles(home.settings, home.database)


@pytest.fixture
def poor_owner(empty_database_url: str) -> Iterator[str]:
    """The address of an owner of the database who may create no roles and is no superuser."""
    yield from owner_login(empty_database_url, "NOCREATEROLE")


@pytest.fixture
def plain_owner(empty_database_url: str) -> Iterator[str]:
    """The address of an owner who may create roles and is no superuser, as on a hosted server."""
    yield from owner_login(empty_database_url, "CREATEROLE")


def owner_login(database_url: str, trait: str) -> Iterator[str]:
    base, _, name = database_url.rpartition("/")
    owner = f"{name}_owner"
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute(f"CREATE ROLE {owner} LOGIN PASSWORD 'owner' {trait}")
        connection.execute(f"ALTER DATABASE {name} OWNER TO {owner}")
        connection.execute(f"GRANT ALL ON SCHEMA public TO {owner}")
    yield f"postgresql://{owner}:owner@{base.rpartition('@')[2]}/{name}"
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(f"REASSIGN OWNED BY {owner} TO CURRENT_USER")
        connection.execute(f"DROP OWNED BY {owner}")
        connection.execute(f"DROP ROLE {owner}")
