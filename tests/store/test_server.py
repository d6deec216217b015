"""The embedded server from outside: started by many, killed, refused to strangers, never stopped by a client."""

import json
import os
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from viska_assets.store.server import EmbeddedServer, physical_memory, server_options

pytestmark = pytest.mark.database


@pytest.fixture
def server(tmp_path: Path):
    server = EmbeddedServer(tmp_path)
    yield server
    server.stop()


def test_many_processes_may_start_it_at_once(server: EmbeddedServer) -> None:
    code = (
        "import pathlib; from viska_assets.store.server import EmbeddedServer;"
        f"print(EmbeddedServer(pathlib.Path({str(server.home)!r})).ensure_running())"
    )
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(lambda _: subprocess.run([sys.executable, "-c", code], capture_output=True, text=True), range(4))
        )
    addresses = {done.stdout.strip() for done in found}
    assert len(addresses) == 1, [done.stderr for done in found]
    with psycopg.connect(addresses.pop()) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_pgvector_and_checksums_are_there(server: EmbeddedServer) -> None:
    with psycopg.connect(server.ensure_running()) as connection:
        connection.execute("CREATE EXTENSION vector")
        version = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
        assert version is not None
        assert tuple(int(part) for part in version[0].split(".")) >= (0, 8)
        assert connection.execute("SHOW data_checksums").fetchone() == ("on",)
        assert connection.execute("SHOW fsync").fetchone() == ("on",)


def test_a_wrong_password_is_refused_and_the_secret_is_private(server: EmbeddedServer) -> None:
    address = server.ensure_running()
    record = json.loads((server.home / "postgres.json").read_text())
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(address.replace(record["password"], "guess"))
    assert stat.S_IMODE((server.home / "postgres.json").stat().st_mode) == 0o600


def test_after_a_crash_it_starts_again_with_its_data(server: EmbeddedServer) -> None:
    with psycopg.connect(server.ensure_running(), autocommit=True) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    pid = int((server.status().data / "postmaster.pid").read_text().splitlines()[0])
    os.kill(pid, signal.SIGKILL)
    with psycopg.connect(server.ensure_running()) as connection:
        assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)


def test_stopping_says_whether_it_ran(server: EmbeddedServer) -> None:
    assert server.stop() is False
    server.ensure_running()
    assert server.status().running
    assert server.stop() is True
    assert not server.status().running


def test_another_server_on_the_port_is_not_taken_for_ours(tmp_path: Path) -> None:
    first, second = EmbeddedServer(tmp_path / "a"), EmbeddedServer(tmp_path / "b")
    first.ensure_running()
    second.ensure_running()
    second.stop()
    record = json.loads((second.home / "postgres.json").read_text())
    record["port"] = first.status().port
    (second.home / "postgres.json").write_text(json.dumps(record))
    try:
        assert not second.status().running
        with psycopg.connect(second.ensure_running()) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert second.status().port != first.status().port
    finally:
        first.stop()
        second.stop()


@pytest.mark.parametrize(
    ("gibibytes", "buffers", "maintenance"),
    [(1, "128MB", "85MB"), (8, "819MB", "682MB"), (23, "2048MB", "1792MB"), (512, "2048MB", "1792MB")],
)
def test_memory_settings_follow_the_machine_and_stay_modest(gibibytes: int, buffers: str, maintenance: str) -> None:
    options = server_options(gibibytes * 1024**3)
    assert (options["shared_buffers"], options["maintenance_work_mem"]) == (buffers, maintenance)


def test_the_server_runs_with_the_settings_of_this_machine(server: EmbeddedServer) -> None:
    wanted = server_options(physical_memory())
    with psycopg.connect(server.ensure_running()) as connection:
        for name in ("shared_buffers", "maintenance_work_mem", "max_parallel_maintenance_workers"):
            row = connection.execute(
                "SELECT pg_size_bytes(current_setting(%s)) = pg_size_bytes(%s)", (name, wanted[name])
            ).fetchone()
            assert row == (True,)
