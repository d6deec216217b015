"""Dagster around Viska: its instance in the home, one ingest run in this process, webserver and daemon."""

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from viska_assets.store.database import dagster_storage_url
from viska_assets.store.home import Home

PROJECT = Path(__file__).resolve().parents[2]
STARTUP_SECONDS = 180
QUIET = {"loggers": {"console": {"config": {"log_level": "WARNING"}}}}


def dagster_environment(home: Home) -> dict[str, str]:
    """The variables under which Dagster's processes find the instance; its home and schema are made ready."""
    dagster_home = home.settings.home_path / "dagster"
    dagster_home.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(PROJECT / "dagster.yaml", dagster_home / "dagster.yaml")
    return {
        "DAGSTER_HOME": str(dagster_home),
        "VISKA_DAGSTER_URL": dagster_storage_url(home.database.url),
        "VISKA_HOME": str(home.settings.home_path),
        "DAGSTER_DISABLE_TELEMETRY": "1",
    }


@contextmanager
def environment(variables: dict[str, str]) -> Iterator[None]:
    """The process environment with some variables set, and as it was afterwards."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def run_ingest_job(home: Home, variables: dict[str, str]) -> bool:
    """Runs ``ingest_documents`` once over the whole drop folder, recorded in the instance; says whether it passed."""
    with environment(dagster_environment(home) | variables):
        import dagster as dg

        from viska_assets.definitions import build_defs

        with dg.DagsterInstance.get() as instance:
            job = build_defs().resolve_job_def("ingest_documents")
            done = job.execute_in_process(instance=instance, run_config=QUIET, raise_on_error=False)
            return done.success


def run_assets(home: Home, names: tuple[str, ...]) -> bool:
    """Materialises some assets once, recorded in the instance; says whether they passed."""
    with environment(dagster_environment(home)):
        import dagster as dg

        from viska_assets.definitions import build_defs

        with dg.DagsterInstance.get() as instance:
            job = build_defs().resolve_implicit_global_asset_job_def()
            keys = [dg.AssetKey(name) for name in names]
            done = job.execute_in_process(
                instance=instance, asset_selection=keys, run_config=QUIET, raise_on_error=False
            )
            return done.success


def run_jobs(home: Home, names: tuple[str, ...]) -> bool:
    """Runs some jobs one after the other, recorded in the instance; says whether all passed."""
    with environment(dagster_environment(home)):
        import dagster as dg

        from viska_assets.definitions import build_defs

        with dg.DagsterInstance.get() as instance:
            definitions = build_defs()
            done = [
                definitions.resolve_job_def(name).execute_in_process(
                    instance=instance, run_config=QUIET, raise_on_error=False
                )
                for name in names
            ]
            return all(run.success for run in done)


class Services:
    """The webserver and the daemon as child processes, stopped together with all that they started."""

    def __init__(self, home: Home, host: str, port: int) -> None:
        self.url = f"http://{host}:{port}"
        log = (home.settings.home_path / "dagster" / "services.log").open("ab")
        variables = os.environ | dagster_environment(home)
        workspace = str(PROJECT / "workspace.yaml")
        commands = (
            ["-m", "dagster_webserver", "-w", workspace, "-h", host, "-p", str(port)],
            ["-m", "dagster._daemon", "run", "-w", workspace],
        )
        self._processes = [
            subprocess.Popen(
                [sys.executable, *command],
                env=variables,
                cwd=PROJECT,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
            for command in commands
        ]

    def wait_until_up(self) -> bool:
        """Waits for the webserver to answer; False where a process ends first or the time runs out."""
        deadline = time.monotonic() + STARTUP_SECONDS
        while time.monotonic() < deadline and self.running():
            try:
                with urllib.request.urlopen(f"{self.url}/server_info", timeout=5):  # noqa: S310
                    return True
            except (urllib.error.URLError, OSError):
                time.sleep(0.5)
        return False

    def running(self) -> bool:
        """Whether both processes are alive."""
        return all(process.poll() is None for process in self._processes)

    def stop(self) -> None:
        """Ends both and all they started: politely first, for good after ten seconds."""
        for wanted in (signal.SIGTERM, signal.SIGKILL):
            for process in self._processes:
                try:
                    os.killpg(process.pid, wanted)
                except ProcessLookupError:
                    continue
            deadline = time.monotonic() + 10
            while time.monotonic() < deadline and any(p.poll() is None for p in self._processes):
                time.sleep(0.1)
