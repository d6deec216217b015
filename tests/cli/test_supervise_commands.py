"""``viska roles``, ``pause``, ``kill`` and ``audit`` as an operator types them."""

import json
from pathlib import Path

import psycopg
import pytest

from tests.disposable import Disposable

pytestmark = pytest.mark.database


def test_an_operator_makes_proves_and_stops_writers(operator: Disposable) -> None:
    refused = operator.viska("roles", "verify")
    assert (refused.returncode, "Traceback" in refused.stderr) == (3, False)
    assert "run `viska roles apply`" in refused.stderr
    assert "run `viska roles apply`" in json.loads(operator.viska("doctor", "--json").stdout)["notices"][0]

    made = json.loads(operator.viska("roles", "apply", "--json").stdout)
    assert len(made["created"]) == 6
    proof = operator.viska("roles", "verify")
    assert proof.returncode == 0, proof.stdout[-800:]
    assert "nous       signals.approved: denied select, update, delete, truncate, alter" in proof.stdout
    assert "as designed" in proof.stdout
    assert json.loads(operator.viska("doctor", "--json").stdout)["notices"] == []

    with psycopg.connect(operator.url, autocommit=True) as connection:
        connection.execute(f"GRANT DELETE ON signals.candidate TO {made['roles']['nous']}")  # type: ignore[arg-type]
    odd = operator.viska("roles", "verify")
    assert odd.returncode == 1
    assert "nous: delete signals.candidate was let through" in " ".join(odd.stdout.split())
    assert operator.viska("roles", "apply").returncode == 0

    assert operator.viska("pause", "nous").returncode == 2, "a reason is required"
    assert operator.viska("pause", "nous", "--reason", "looking").returncode == 0
    assert states(operator)["nous"]["active"] is False
    assert operator.viska("resume", "nous", "--reason", "done").returncode == 0
    killed = json.loads(operator.viska("kill", "nous", "--reason", "odd", "--json").stdout)
    assert killed["writer"] == "nous"
    assert states(operator)["nous"]["can_log_in"] is False
    assert operator.viska("revive", "nous", "--reason", "fine").returncode == 0
    assert (states(operator)["nous"]["active"], states(operator)["nous"]["can_log_in"]) == (True, True)
    assert operator.viska("kill", "hades", "--reason", "x").returncode == 2

    sealed = json.loads(operator.viska("audit", "seal", "--json").stdout)
    assert sealed["seq"] > 0
    assert operator.viska("audit", "verify").returncode == 0
    shown = json.loads(operator.viska("audit", "show", "--about", "writer:nous", "--json").stdout)["entries"]
    assert [row["action"] for row in shown] == ["enable", "killed", "disable"]
    with psycopg.connect(operator.url) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("DELETE FROM audit.seal WHERE seq > 3")
    broken = operator.viska("audit", "verify")
    assert broken.returncode == 1
    assert "its end was cut off" in " ".join(broken.stdout.split())


def states(operator: Disposable) -> dict[str, dict[str, object]]:
    found = json.loads(operator.viska("status", "--json").stdout)["writers"]
    return {row["writer"]: row for row in found}


def test_passwords_stay_in_the_home(operator: Disposable) -> None:
    kept = json.loads(Path(operator.root, "roles.json").read_text())
    for command in (("roles", "apply", "--json"), ("roles", "verify", "--json"), ("status", "--json")):
        said = operator.viska(*command)
        assert not [secret for secret in kept.values() if secret in said.stdout + said.stderr]
