"""The HTTP server to which Slack sends slash commands. It knows one path, and answers nothing that is not signed."""

import json
import logging
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl

import psycopg

from viska_assets.store.database import Database
from viska_assets.store.policy_governance import OutsideSection
from viska_assets.supervise.outside.commands import Command, run_command
from viska_assets.supervise.outside.signature import is_from_slack

PATH = "/slack/commands"
LONGEST = 64 * 1024
READ_SECONDS = 10
UNREACHABLE = (
    "The database cannot be reached; nothing was done. To stop a writer now: `viska kill nous` on the host, "
    "or take its credential away."
)
log = logging.getLogger(__name__)


class CommandServer(ThreadingHTTPServer):
    """Listens for commands; ``server_port`` is the port.

    Args:
        address: host and port; port 0 takes a free one.
        secret: the app's signing secret.
        open_database: gives mastra's database.
        policy: who may ask, and how much.
        clock: seconds since the epoch.
    """

    daemon_threads = True

    def __init__(
        self,
        address: tuple[str, int],
        secret: str,
        open_database: Callable[[], Database],
        policy: OutsideSection,
        clock: Callable[[], float] = time.time,
    ) -> None:
        if not secret:
            raise ValueError("VISKA_SLACK_SIGNING_SECRET is empty: anybody could command")
        super().__init__(address, _Handler)
        self.secret, self.open_database, self.policy, self.clock = secret, open_database, policy, clock


class _Handler(BaseHTTPRequestHandler):
    server: CommandServer
    server_version, sys_version = "viska", ""
    timeout = READ_SECONDS

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if self.path != PATH:
            self._answer(404, {"error": "not here"})
            return
        if not length.isascii() or not length.isdecimal() or int(length) > LONGEST:
            self._answer(413, {"error": f"at most {LONGEST} bytes, announced"})
            return
        body = self.rfile.read(int(length))
        stamp, signature = self.headers.get("X-Slack-Request-Timestamp"), self.headers.get("X-Slack-Signature")
        if not is_from_slack(self.server.secret, body, stamp, signature, self.server.clock()):
            self._answer(401, {"error": "not signed by Slack, or not now"})
            return
        command = Command.of(dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)))
        if not command.trigger_id or not command.user:
            self._answer(400, {"error": "no slash command"})
            return
        try:
            reply = run_command(self.server.open_database(), command, self.server.policy)
        except (psycopg.OperationalError, RuntimeError) as error:
            log.error("a command could not be done: %s", error)
            reply = UNREACHABLE
        self._answer(200, {"response_type": "in_channel", "text": reply})

    def do_GET(self) -> None:
        self._answer(200 if self.path == "/health" else 404, {"ok": self.path == "/health"})

    def _answer(self, status: int, content: dict[str, object]) -> None:
        body = json.dumps(content, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        log.info(format, *args)
