"""A worker killed in the middle of ``ingest_documents``: the rerun ends where an undisturbed run ends."""

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from tests.fingerprint import fingerprint
from viska_assets.store.database import Database

pytestmark = pytest.mark.database
VISKA = str(Path(sys.executable).with_name("viska"))


class Disposable:
    """A home with a database of its own, run by the real command."""

    def __init__(self, root: Path, server_url: str) -> None:
        self.root = root
        self.server = server_url
        self.name = f"viska_crash_{uuid.uuid4().hex[:10]}"
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {self.name}")
        base, _, rest = server_url.rpartition("/")
        self.url = f"{base}/{self.name}" + (f"?{rest.split('?', 1)[1]}" if "?" in rest else "")

    def start(self) -> subprocess.Popen[bytes]:
        variables = os.environ | {"VISKA_HOME": str(self.root), "VISKA_DATABASE_URL": self.url}
        log = (self.root.parent / f"{self.root.name}.log").open("ab")
        return subprocess.Popen(
            [VISKA, "up", "--sample", "--headless"], env=variables, stdout=log, stderr=log, start_new_session=True
        )

    def run(self) -> None:
        assert self.start().wait(300) == 0, (self.root.parent / f"{self.root.name}.log").read_text()[-2000:]

    def kill_when(self, reached: Callable[[psycopg.Connection], bool]) -> None:
        process = self.start()
        deadline = time.monotonic() + 200
        try:
            while time.monotonic() < deadline:
                assert process.poll() is None, "the run ended before the moment to kill it came"
                try:
                    with psycopg.connect(self.url) as connection:
                        if reached(connection):
                            return
                except psycopg.Error:
                    pass
                time.sleep(0.01)
            raise TimeoutError("the moment to kill the run did not come")
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def fingerprint(self) -> dict[str, str]:
        database = Database(self.url)
        try:
            return fingerprint(database, self.root / "bundle")
        finally:
            database.close()

    def drop(self) -> None:
        with psycopg.connect(self.server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {self.name} WITH (FORCE)")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, server_url: str) -> Iterator[dict[str, str]]:
    home = Disposable(tmp_path_factory.mktemp("undisturbed") / "home", server_url)
    home.root.mkdir()
    home.run()
    yield home.fingerprint()
    home.drop()


def at_least(table: str, rows: int) -> Callable[[psycopg.Connection], bool]:
    def reached(connection: psycopg.Connection) -> bool:
        row = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        return row is not None and row[0] >= rows

    return reached


MOMENTS = {
    "deliveries half recorded": at_least("raw.document", 4),
    "documents half read": at_least("retrieval.document_text", 3),
    "before the drafts": at_least("retrieval.document_text", 10),
    "drafts half stored": at_least("registry.draft", 8),
    "quarantined, not yet written": at_least("gate.quarantine", 1),
    "pages just written": at_least("registry.page_version", 1),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_run_is_mended_by_the_next(
    moment: str, tmp_path: Path, server_url: str, undisturbed: dict[str, str]
) -> None:
    home = Disposable(tmp_path / "home", server_url)
    home.root.mkdir()
    try:
        home.kill_when(MOMENTS[moment])
        home.run()
        assert home.fingerprint() == undisturbed
    finally:
        home.drop()


def test_a_second_run_writes_nothing(tmp_path: Path, server_url: str, undisturbed: dict[str, str]) -> None:
    home = Disposable(tmp_path / "home", server_url)
    home.root.mkdir()
    try:
        home.run()
        home.run()
        assert home.fingerprint() == undisturbed
    finally:
        home.drop()
