"""The loop as operators meet it: jobs, assets, asset checks, the day's summary, the sign-off, and the commands."""

import json
from datetime import UTC, datetime

import dagster as dg
import pytest
from click.testing import CliRunner

from resources.home import HomeResource
from resources.writers import writer_resources
from tests.backtest.test_assets import freeze
from tests.supervise.desk import Desk
from tests.supervise.filing import CONCEPT, add_filing
from viska_assets.assets.review import daily_review_summary
from viska_assets.cli.main import main
from viska_assets.definitions import build_defs
from viska_assets.store.supervised.matrix import Writer

pytestmark = pytest.mark.database


def execute(name: str, **more: object) -> dg.ExecuteInProcessResult:
    return build_defs().resolve_job_def(name).execute_in_process(**more)  # type: ignore[arg-type]


def command(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == code, done.output
    return done.output


def test_g039_and_g040_a_request_becomes_an_approved_signal_with_its_checks_and_the_days_summary(desk: Desk) -> None:
    add_filing(desk)
    assert "Queued" in command("nous", "ask", CONCEPT)
    assert execute("nous_tick").success
    desk.candidate("Qzxwvk brtpl mnbvcx")
    done = execute("plutus_review")
    passed = {(e.asset_key.to_user_string(), e.check_name): e.passed for e in done.get_asset_check_evaluations()}
    assert len(passed) == 8
    assert passed["signals_candidate", "check_injection"]
    assert not passed["signals_candidate", "check_sanity"]
    assert passed["strategies_draft", "check_risk"]
    metadata = {
        e.asset_key.to_user_string(): e.step_materialization_data.materialization.metadata
        for e in done.get_asset_materialization_events()
        if e.asset_key
    }
    assert metadata["signals_approved"]["dagster/row_count"].value == 1
    assert metadata["signals_rejected"]["dagster/row_count"].value == 1
    assert metadata["supervisor_catch_rate"]["catch_rate"].value == 0.5
    assert "data:image/png;base64," in metadata["supervisor_catch_rate"]["by_day"].value
    assert desk.owner("SELECT DISTINCT review_session_id FROM review.verdict") == [(done.run_id,)]
    day = datetime.now(tz=UTC).date().isoformat()
    summed = dg.materialize(
        [daily_review_summary], partition_key=day, resources={"home": HomeResource()} | writer_resources()
    )
    found = summed.asset_materializations_for_node("daily_review_summary")[0].metadata
    assert found["same_as_tables"].value is True
    assert "Reviewed 2, approved 1, rejected 1 (50%)" in found["summary"].value
    assert "signal" in command("review", "transcript", done.run_id)


def test_the_commands_run_the_loop_and_show_it(desk: Desk) -> None:
    add_filing(desk)
    assert "no queue, no loop" in command("nous", "tick")
    command("nous", "ask", CONCEPT, "--priority", "3")
    done = json.loads(command("nous", "tick", "--json"))
    assert done["outcome"] == "completed"
    assert json.loads(command("nous", "queue", "--json"))["queue"][0]["subject"] == CONCEPT
    assert "1 documents" in command("nous", "trace", str(done["trace_id"]))
    assert len(json.loads(command("review", "pending", "--json"))["pending"]) == 1
    judged = json.loads(command("review", "run", "--json"))
    assert judged["judged"][0]["became"] == "approved"
    assert "nothing is pending" in command("review", "run")
    assert json.loads(command("review", "show", "--json"))["sessions"][0]["verdicts"] == 1
    assert "outcome: approved" in command("review", "show", str(done["candidates"][0]))
    assert "holds" in command("review", "transcript", judged["review_session_id"])
    assert command("review", "transcript", "nowhere", code=1)
    assert command("review", "show", "999", code=1)
    assert command("nous", "trace", "999", code=1)


def test_a_drafts_backtest_is_run_before_the_review_and_speaks(desk: Desk) -> None:
    freeze(desk.settings.prices_path)
    number = desk.draft().artifact_id
    with desk.as_writer(Writer.NOUS) as connection:
        connection.execute(
            "INSERT INTO backtests.requested (artifact_id, family, spec) VALUES (%s, 'f', %s)",
            (number, json.dumps({"signal": "chance", "parameters": {"seed": 3}})),
        )
    assert execute("plutus_review").success
    reasons = desk.owner("SELECT reason FROM strategies.rejected")
    assert len(reasons) == 1
    assert "its backtest was refused" in reasons[0][0]


def test_an_operator_signs_off_by_command_and_by_job(desk: Desk) -> None:
    number = desk.draft().artifact_id
    assert "is signed off" in command("review", "sign-off", str(number), "--reason", "seen")
    config = {"ops": {"put_a_name_to": {"config": {"artifact_id": number, "reason": "seen", "actor": "ana"}}}}
    assert execute("sign_off", run_config=config).success
    assert desk.owner("SELECT signed_by LIKE 'human:%%' FROM review.sign_off") == [(True,)]
    assert command("review", "sign-off", "999", "--reason", "seen", code=1)
