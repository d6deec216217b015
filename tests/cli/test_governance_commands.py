"""``viska governance``, ``spool`` and ``slack`` as an operator types them."""

import json
import re
import signal
import subprocess

import psycopg
import pytest
import yaml

from tests.conftest import REPOSITORY
from tests.disposable import VISKA, Disposable
from tests.supervise.test_g054_g078_commands import SECRET, Caller
from viska_assets.store.policy import Policy
from viska_assets.supervise.drill.ground import wait_until
from viska_assets.supervise.drill.slack_stand_in import slack_server

pytestmark = pytest.mark.database


def test_an_operator_looks_after_the_loop(operator: Disposable) -> None:
    early = operator.viska("governance", "cycle")
    assert (early.returncode, "Traceback" in early.stderr) == (3, False)
    assert "viska roles apply" in early.stderr
    assert operator.viska("roles", "apply").returncode == 0
    never = operator.viska("governance", "status")
    assert never.returncode == 1
    assert "has never run" in never.stdout
    calm = json.loads(operator.viska("governance", "cycle", "--json").stdout)
    assert calm["actions"] == []
    assert operator.viska("kill", "nous", "--reason", "odd").returncode == 0
    assert operator.viska("governance", "cycle").returncode == 1
    [incident] = json.loads(operator.viska("governance", "incidents", "--kind", "killed", "--json").stdout)
    assert incident["detector"] == "governance:roles"
    found = json.loads(operator.viska("governance", "status", "--json").stdout)
    assert found["queue_depth"] == 0
    assert found["incidents"] == {"killed": 1}
    depths = json.loads(operator.viska("governance", "metrics", "plutus_queue_depth", "--json").stdout)
    assert [one["value"] for one in depths] == [0.0, 0.0]
    assert "open_traces" in operator.viska("governance", "metrics").stdout


def test_spool_and_slack_say_what_is_missing(operator: Disposable) -> None:
    assert operator.viska("spool", "list", "--json").stdout.strip() == "[]"
    assert operator.viska("spool", "replay", "--json").stdout.strip() == "{}"
    torn = operator.root / "spool" / "plutus" / "20260101T000000000000Z-x.json"
    torn.parent.mkdir(parents=True)
    torn.write_text("{")
    assert operator.viska("roles", "apply").returncode == 0
    assert operator.viska("spool", "replay").returncode == 1
    [aside] = json.loads(operator.viska("spool", "list", "--json").stdout)
    assert (aside["state"], aside["why"]) == ("aside", "it is torn: JSONDecodeError")
    for command, missing in (("serve", "VISKA_SLACK_SIGNING_SECRET"), ("deliver", "VISKA_SLACK_TOKEN")):
        said = operator.viska("slack", command)
        assert said.returncode == 2
        assert missing in said.stderr


def test_the_command_server_takes_commands_and_delivers_until_it_is_stopped(operator: Disposable) -> None:
    assert operator.viska("roles", "apply").returncode == 0
    with slack_server() as workspace, psycopg.connect(operator.url, autocommit=True) as owner:
        variables = operator.variables | {
            "PYTHONUNBUFFERED": "1",
            "VISKA_SLACK_SIGNING_SECRET": SECRET,
            "VISKA_SLACK_TOKEN": "xoxb-test",
            "VISKA_SLACK_CHANNEL": "C1",
            "VISKA_SLACK_API": workspace.url,
        }
        command = [VISKA, "slack", "serve", "--port", "0"]
        server = subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:(\d+)/slack/commands", server.stdout.readline())
            assert found
            assert "plutus was paused by <@U1>" in Caller(int(found[1])).say("pause plutus a look")
            owner.execute(
                "INSERT INTO governance.incident (kind, severity, detector, detail) VALUES ('loop', 'high', 'd', 'x')"
            )
            assert wait_until(lambda: any("loop" in text for text in workspace.texts))
        finally:
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=60)
        assert server.returncode == 0
    [flag] = [
        flag
        for flag in json.loads(operator.viska("governance", "status", "--json").stdout)["flags"]
        if flag["flag"] == "plutus_active"
    ]
    assert (flag["value"], flag["requested_by"]) == (False, "slack:T1:U1")


def test_the_docs_show_the_policys_own_numbers() -> None:
    page = (REPOSITORY / "docs" / "governance.md").read_text("utf-8")
    [shown] = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]
    policy = Policy().model_dump(mode="json")
    assert shown == {name: policy[name] for name in ("governance", "outside", "spool")}
