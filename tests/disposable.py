"""A home with a database of its own, driven by the real ``viska`` command, as an operator drives it."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.databases import create_database, drop_database
from tests.fingerprint import fingerprint
from viska_assets.store.database import Database
from viska_assets.store.supervised.credentials import role_name
from viska_assets.store.supervised.matrix import Writer

VISKA = str(Path(sys.executable).with_name("viska"))


class Disposable:
    """A home below ``root`` and a database on the server, both fresh or the same as those of another home.

    Args:
        root: a folder that does not exist yet.
        server_url: a Postgres on which databases may be created.
        like: a home to copy, to whose database nobody may be connected. The copy has its writers' roles in common.
    """

    def __init__(self, root: Path, server_url: str, *, like: "Disposable | None" = None) -> None:
        self.root = root
        self._server = server_url
        if like:
            shutil.copytree(like.root, root)
            self._name, self.url = create_database(server_url, like._name)
        else:
            root.mkdir(parents=True)
            self._name, self.url = create_database(server_url)
        self._roles = like._roles if like else self._name
        self._log = root.parent / f"{root.name}.log"

    @contextmanager
    def copied(self, folder: Path) -> Iterator["Disposable"]:
        """A copy of this home below a folder, to whose database nobody is connected now; it is dropped afterwards."""
        copy = Disposable(folder / "home", self._server, like=self)
        yield copy
        copy.drop()

    @property
    def variables(self) -> dict[str, str]:
        """The environment under which commands find this home."""
        return os.environ | {
            "VISKA_HOME": str(self.root),
            "VISKA_DATABASE_URL": self.url,
            "VISKA_ROLE_PREFIX": f"viska_{self._roles}_",
        }

    def viska(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """One command, to its end."""
        return subprocess.run(
            [VISKA, *arguments], env=self.variables, capture_output=True, text=True, timeout=600, check=False
        )

    def ingest_samples(self) -> None:
        """``viska up --sample --headless``, which must succeed."""
        assert self._start().wait(300) == 0, self._log.read_text()[-2000:]

    def kill_when(self, reached: Callable[[psycopg.Connection], bool]) -> None:
        """Starts the same command and kills its whole process group as soon as the condition holds."""
        process = self._start()
        deadline = time.monotonic() + 200
        try:
            while time.monotonic() < deadline:
                assert process.poll() is None, "the run ended before the moment to kill it came"
                try:
                    with psycopg.connect(self.url) as connection:
                        if reached(connection):
                            return
                except psycopg.errors.UndefinedTable:
                    continue
                time.sleep(0.01)
            raise TimeoutError("the moment to kill the run did not come")
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def fingerprint(self) -> dict[str, str]:
        """A hash by table, and the bundle's head."""
        database = Database(self.url)
        try:
            return fingerprint(database, self.root / "bundle")
        finally:
            database.close()

    def drop(self) -> None:
        """Removes the database and the roles that ``up`` made for it."""
        drop_database(self._server, self._name)
        if self._roles != self._name:
            return
        with psycopg.connect(self._server, autocommit=True) as connection:
            for writer in Writer:
                connection.execute(f"DROP ROLE IF EXISTS {role_name(writer, self._roles)}")

    def _start(self) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [VISKA, "up", "--sample", "--headless"],
                env=self.variables,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
