"""``viska governance``, ``spool`` and ``slack`` as an operator types them."""

import json
from collections.abc import Iterator

import pytest

from tests.disposable import Disposable

pytestmark = pytest.mark.database


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory, server_url: str) -> Iterator[Disposable]:
    home = Disposable(tmp_path_factory.mktemp("governor") / "home", server_url)
    yield home
    home.viska("roles", "drop")
    home.drop()


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
