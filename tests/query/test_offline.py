"""With the web off no command reaches for the network, and none loads what would."""

import subprocess
import sys

import pytest

from tests.disposable import Disposable

pytestmark = pytest.mark.database

COMMANDS = (
    ("search", "net sales of services"),
    ("research", "What was Apple's revenue in fiscal 2024?", "--in", "vault", "--in", "repository"),
    ("sources", "net sales", "--in", "vault", "--in", "repository", "--in", "web"),
    ("find-pattern", "net sales"),
    ("audit-coverage", "Apple revenue"),
    ("find-contradiction", "Apple revenue"),
    ("source-check", "Apple's revenue in fiscal 2024 was $391,035 million."),
    ("open", "issuers/apple#c62afc7cee"),
    ("graph", "query", "Apple"),
)
# The database listens on this machine; nothing else may be connected to or looked up.
PROGRAM = """
import sys
from click.testing import CliRunner

LOCAL = ("127.0.0.1", "::1", "localhost")

def watch(event, arguments):
    if event == "socket.connect":
        address = arguments[1]
        if isinstance(address, tuple) and address[0] not in LOCAL:
            raise OSError(f"reached for {address}")
    if event == "socket.getaddrinfo" and arguments[0] not in (*LOCAL, None):
        raise OSError(f"looked up {arguments[0]}")

sys.addaudithook(watch)
from viska_assets.cli.main import main

for command in COMMANDS:
    done = CliRunner().invoke(main, command)
    assert done.exit_code in (0, 1), (command, done.output, done.exception)
    assert "reached for" not in done.output and "looked up" not in done.output, (command, done.output)
loaded = sorted({"httpx", "httpx2", "requests", "aiohttp", "urllib3"} & set(sys.modules))
assert not loaded, loaded
print("offline")
"""


def test_every_command_answers_with_no_way_to_the_network(sample_home: Disposable) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"COMMANDS = {COMMANDS!r}\n{PROGRAM}"],
        env=sample_home.variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "offline"
