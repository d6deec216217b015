"""What all tests share: one Postgres for the session, a database of its own for each test that asks."""

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from hypothesis import settings

from tests.browser import page
from tests.databases import create_database, drop_database
from tests.disposable import Disposable
from viska_assets.store.database import Database
from viska_assets.store.home import Home
from viska_assets.store.migrate import migrate
from viska_assets.store.server import EmbeddedServer
from viska_assets.store.settings import Settings

__all__ = ["page"]

# A loaded machine is no failure of what is tested.
settings.register_profile("viska", deadline=None)
settings.load_profile("viska")

REPOSITORY = Path(__file__).resolve().parents[1]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The browser's tests, few and long, go first: at the end one process would wait for the other."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)


@pytest.fixture(scope="session")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The Postgres under test: the one that ``VISKA_DATABASE_URL`` names, or an embedded one of the session."""
    external = os.environ.get("VISKA_DATABASE_URL")
    if external:
        yield external
        return
    server = EmbeddedServer(tmp_path_factory.mktemp("server"))
    url = server.ensure_running()
    with psycopg.connect(url, autocommit=True) as connection:
        # What tests write need not outlive the machine, and waiting for the disk is most of their time.
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")
    yield url
    server.stop()


@pytest.fixture(scope="session")
def migrated(server_url: str) -> Iterator[str]:
    """The name of a database with the schema and nothing else, which is copied and never opened."""
    name, url = create_database(server_url)
    opened = Database(url)
    migrate(opened)
    opened.close()
    yield name
    drop_database(server_url, name)


@pytest.fixture
def empty_database_url(server_url: str) -> Iterator[str]:
    """A database without a schema."""
    name, url = create_database(server_url)
    yield url
    drop_database(server_url, name)


@pytest.fixture
def database_url(server_url: str, migrated: str) -> Iterator[str]:
    """A database of its own for one test, the schema in place and no rows."""
    name, url = create_database(server_url, migrated)
    yield url
    drop_database(server_url, name)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """The same, opened."""
    opened = Database(database_url)
    yield opened
    opened.close()


@pytest.fixture
def home(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A whole home in a temporary folder, its database on the session's server."""
    monkeypatch.setenv("VISKA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VISKA_DATABASE_URL", database_url)
    opened = Home(Settings())
    yield opened
    opened.close()


def pack() -> Path:
    """The evaluation pack of real filings, or a skip that says what is missing."""
    path = Path(os.environ.get("VISKA_PACK", REPOSITORY.parent / "shared" / "data" / "open"))
    if not (path / "manifest.jsonl").exists():
        pytest.skip(f"no evaluation pack at {path.name!r}; set VISKA_PACK to a folder with manifest.jsonl")
    return path


@pytest.fixture(scope="session")
def untouched_sample(tmp_path_factory: pytest.TempPathFactory, server_url: str) -> Iterator[Disposable]:
    """A home into which the sample feed was ingested, undisturbed: to be copied, never to be opened."""
    home = Disposable(tmp_path_factory.mktemp("untouched") / "home", server_url)
    home.ingest_samples()
    yield home
    home.drop()


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory, untouched_sample: Disposable) -> Iterator[Disposable]:
    """A home with the sample feed. Tests only read it."""
    with untouched_sample.copied(tmp_path_factory.mktemp("sample")) as home:
        yield home


@pytest.fixture(scope="module")
def module_sample(tmp_path_factory: pytest.TempPathFactory, untouched_sample: Disposable) -> Iterator[Disposable]:
    """A home with the sample feed for the tests of one file, which may change it."""
    with untouched_sample.copied(tmp_path_factory.mktemp("module")) as home:
        yield home


@pytest.fixture
def own_sample(tmp_path_factory: pytest.TempPathFactory, untouched_sample: Disposable) -> Iterator[Disposable]:
    """A home with the sample feed for one test, which may change it."""
    with untouched_sample.copied(tmp_path_factory.mktemp("own")) as home:
        yield home
