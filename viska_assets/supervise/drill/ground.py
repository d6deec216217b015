"""Where a drill takes place: a fresh home with a Postgres of its own, all writers, and the daemons at work."""

import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import yaml
from pydantic import SecretStr

from viska_assets.store.database import Database
from viska_assets.store.migrate import migrate
from viska_assets.store.outside_settings import OutsideSettings
from viska_assets.store.policy import load_policy
from viska_assets.store.server import EmbeddedServer
from viska_assets.store.settings import Settings
from viska_assets.store.supervised.credentials import address_of
from viska_assets.store.supervised.matrix import PAUSABLE, Writer
from viska_assets.store.supervised.roles import apply_roles, drop_roles
from viska_assets.supervise import pausing
from viska_assets.supervise.connecting import WriterDatabase
from viska_assets.supervise.drill.slack_stand_in import SlackServer, slack_server
from viska_assets.supervise.governance.cycle import GovernanceError
from viska_assets.supervise.outside.delivering import deliver
from viska_assets.supervise.outside.feeding import feed
from viska_assets.supervise.outside.health import check_outside
from viska_assets.supervise.outside.ntfy import send_word
from viska_assets.supervise.outside.slack_api import Slack
from viska_assets.supervise.outside.watching import watch

# Small numbers, so that a fault is a handful of rows; the rules are the same.
NUMBERS: dict[str, Any] = {
    "governance": {
        "most_rejections": 15,
        "least_verdicts": 6,
        "queue_threshold": 20,
        "run_seconds": 1.5,
        "silence_seconds": 600,
        "outage_seconds": 600,
    },
    "outside": {"timeout_seconds": 2, "doubt_seconds": 0.5},
    "spool": {"attempts": 2, "first_wait_seconds": 0.1},
}
BREATH_SECONDS = 0.1
PATIENCE_SECONDS = 30.0
OPERATOR = "human:drill"


class Ground:
    """A running instance.

    Args:
        root: the folder of the home.
        owner_url: the address of a fresh database's owner.
        workspace: what stands for Slack and ntfy.
        stop_server: takes the database away; None where that is not ours to do.
        start_server: brings it back.
    """

    def __init__(
        self,
        root: Path,
        owner_url: str,
        workspace: SlackServer,
        stop_server: Callable[[], object] | None,
        start_server: Callable[[], object],
    ) -> None:
        self.workspace, self.stop_server, self.start_server = workspace, stop_server, start_server
        self.policy_file = root / "policy.yaml"
        self.write_policy()
        self.settings = Settings(
            home=root,
            database_url=owner_url,
            policy=self.policy_file,
            outside=OutsideSettings(
                slack_token=SecretStr("xoxb-drill"),
                slack_channel="C1",
                slack_api=workspace.url,
                ntfy_url=f"{workspace.url}topic",
            ),
        )
        self.owner = Database(owner_url, patience=2)
        self._pools = {
            writer: WriterDatabase(address_of(self.settings, owner_url, writer))
            for writer in (Writer.PLUTUS, Writer.MASTRA, Writer.GOVERNANCE)
        }
        self.failures: list[str] = []
        self.policy = load_policy(self.settings)
        self._stop = threading.Event()
        self._daemons = threading.Thread(target=self._work)

    def write_policy(self, text: str = "") -> None:
        """Writes the policy file: the drill's numbers, or a text."""
        self.policy_file.write_text(text or yaml.safe_dump(NUMBERS), encoding="utf-8")

    def database(self, writer: Writer) -> Database:
        """A writer's pool."""
        return self._pools[writer]

    def connect(self, writer: Writer) -> "psycopg.Connection[Any]":
        """A connection of its own as a writer."""
        return psycopg.connect(address_of(self.settings, self.owner.url, writer))

    def ask(self, statement: str, parameters: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """What the owner reads."""
        with self.owner.transaction() as connection:
            return connection.execute(statement.encode(), parameters).fetchall()

    def incident_since(self, kind: str, number: int) -> tuple[int, str] | None:
        """The first incident of a kind after a number, with its detector."""
        rows = self.ask(
            "SELECT incident_id, detector FROM governance.incident WHERE kind = %s AND incident_id > %s "
            "ORDER BY incident_id LIMIT 1",
            (kind, number),
        )
        return (int(rows[0][0]), str(rows[0][1])) if rows else None

    def last_incident(self) -> int:
        """The number of the newest incident."""
        return int(self.ask("SELECT coalesce(max(incident_id), 0) FROM governance.incident")[0][0])

    def is_set(self, flag: str) -> bool:
        """Whether a flag is true."""
        return bool(self.ask("SELECT value FROM governance.flag_cell WHERE flag = %s", (flag,))[0][0])

    def let_all_go_on(self) -> None:
        """Raises every flag again, as an operator does after a look; counts begin anew from here."""
        for writer in PAUSABLE:
            pausing.resume(self.settings, self.owner, writer, reason="the drill goes on", requested_by=OPERATOR)

    def approved_hash(self) -> str:
        """A hash over the approved namespace."""
        rows = self.ask(
            "SELECT encode(sha256(convert_to(coalesce(string_agg(to_jsonb(t)::text, ',' ORDER BY artifact_id), ''), "
            "'UTF8')), 'hex') FROM signals.approved t"
        )
        return str(rows[0][0])

    def slack(self) -> Slack:
        """The stand-in's API."""
        return Slack(self.settings.outside, self.policy.outside)

    def start(self) -> None:
        """Sets the daemons to work."""
        self._daemons.start()

    def close(self) -> None:
        """Ends the daemons and all connections."""
        self._stop.set()
        self._daemons.join()
        for pool in (*self._pools.values(), self.owner):
            pool.close()

    def _work(self) -> None:
        """What the sensors governance_daemon and approved_feed and the schedule slack_health do, without the waits."""
        while not self._stop.wait(BREATH_SECONDS):
            for daemon in (self._govern, self._deliver, self._look_at_slack):
                try:
                    daemon()
                except (psycopg.Error, GovernanceError) as error:
                    self.failures.append(f"{daemon.__name__}: {type(error).__name__}")

    def _govern(self) -> None:
        watch(self.settings, self.owner, lambda: self._pools[Writer.GOVERNANCE])

    def _deliver(self) -> None:
        mastra = self._pools[Writer.MASTRA]
        feed(mastra, "C1", self.policy.outside)
        deliver(mastra, self.slack(), self.policy.outside)

    def _look_at_slack(self) -> None:
        check_outside(self._pools[Writer.PLUTUS], self.slack(), lambda text: send_word(self.settings.outside, text))


def wait_until(holds: Callable[[], object], *, patience: float = PATIENCE_SECONDS) -> bool:
    """Whether something came to hold in time; a database that is away does not hold it."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        try:
            if holds():
                return True
        except psycopg.OperationalError:
            time.sleep(0.05)
        time.sleep(0.02)
    return False


@contextmanager
def ground(server_url: str = "") -> Iterator[Ground]:
    """A fresh instance, removed afterwards.

    Args:
        server_url: a Postgres on which a database may be made; empty for an embedded one of the drill's own, which
            alone can be taken away.
    """
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="viska-drill-")))
        workspace = stack.enter_context(slack_server())
        server = None if server_url else EmbeddedServer(root / "server")
        if server:
            url = server.ensure_running()
            stack.callback(server.stop)
        else:
            url = stack.enter_context(_own_database(server_url))
        settings, database = Settings(home=root, database_url=url), Database(url)
        migrate(database)
        apply_roles(settings, database)
        database.close()
        found = Ground(
            root, url, workspace, server.stop if server else None, server.ensure_running if server else lambda: None
        )
        stack.callback(_take_down, settings, url)
        stack.callback(found.close)
        found.start()
        yield found


def _take_down(settings: Settings, url: str) -> None:
    database = Database(url)
    drop_roles(settings, database)
    database.close()


@contextmanager
def _own_database(server_url: str) -> Iterator[str]:
    name = f"viska_drill_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    base, _, rest = server_url.rpartition("/")
    yield f"{base}/{name}" + (f"?{rest.split('?', 1)[1]}" if "?" in rest else "")
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
