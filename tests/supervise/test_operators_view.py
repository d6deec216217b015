"""The daemon, the feed and the spool in Dagster: what their sensors ask for, what their jobs do, what operators see."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import dagster as dg
import pytest

from resources.home import HomeResource
from resources.writers import writer_resources
from schedules.outside import build_daily_digest_schedule, slack_health
from sensors.approved_feed import approved_feed
from sensors.governance_daemon import governance_daemon
from sensors.spooled_writes import spooled_writes
from tests.supervise.desk import Desk
from viska_assets.assets.audit import audit_chain
from viska_assets.assets.governance import governance_metrics, incidents, slack_messages, writer_credentials
from viska_assets.assets.outside import JOBS, daily_digest
from viska_assets.checks.audit import audit_chain_intact
from viska_assets.checks.governance import daemon_is_awake
from viska_assets.store.home import Home
from viska_assets.store.policy_governance import OutsideSection
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.spooled_rows import Write
from viska_assets.supervise import killing, pausing
from viska_assets.supervise.drill.slack_stand_in import SlackServer, slack_server
from viska_assets.supervise.governance.cycle import GovernanceError
from viska_assets.supervise.spool.files import Spool

pytestmark = pytest.mark.database
RESOURCES: dict[str, object] = {"home": HomeResource(), **writer_resources()}


@pytest.fixture
def workspace(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlackServer]:
    with slack_server() as server:
        monkeypatch.setenv("VISKA_SLACK_TOKEN", "xoxb-test")
        monkeypatch.setenv("VISKA_SLACK_CHANNEL", "C1")
        monkeypatch.setenv("VISKA_SLACK_API", server.url)
        monkeypatch.setenv("VISKA_NTFY_URL", f"{server.url}topic")
        yield server


def evaluate(sensor: dg.SensorDefinition) -> Any:
    with dg.DagsterInstance.ephemeral() as instance:
        context = dg.build_sensor_context(instance=instance, resources=RESOURCES)
        return sensor.evaluate_tick(context)


def run(name: str, config: dict[str, object] | None = None) -> dg.ExecuteInProcessResult:
    job = next(job for job in JOBS if job.name == name)
    wanted = {key for op in job.all_node_defs for key in op.required_resource_keys}
    return job.execute_in_process(
        run_config=config, resources={key: RESOURCES[key] for key in wanted}, raise_on_error=False
    )


def outputs(result: dg.ExecuteInProcessResult) -> dict[str, object]:
    [event] = [event for event in result.all_events if event.is_successful_output]
    return {name: value.value for name, value in event.step_output_data.metadata.items()}


def seen(*assets: dg.AssetsDefinition, config: dict[str, object] | None = None) -> dict[str, dict[str, object]]:
    result = dg.materialize(list(assets), resources=RESOURCES, run_config=config)
    found: dict[str, dict[str, object]] = {}
    for event in result.get_asset_materialization_events():
        metadata = event.materialization.metadata
        found[event.materialization.asset_key.to_user_string()] = {
            name: getattr(value, "value", None) for name, value in metadata.items()
        }
    return found


def test_without_roles_the_sensors_say_so(home: Home) -> None:
    with home.database.transaction():
        pass
    assert "no loop to govern" in str(evaluate(governance_daemon).skip_message)
    assert not run("governance_cycle").success
    assert "not written" in str(seen(daily_digest)["daily_digest"]["note"])


def test_the_daemon_is_a_sensor_that_acts_itself_and_has_what_it_did_shown(desk: Desk) -> None:
    assert "All is calm" in str(evaluate(governance_daemon).skip_message)
    killing.kill(desk.settings, desk.database, Writer.NOUS, reason="r", requested_by="w")
    [asked] = evaluate(governance_daemon).run_requests
    assert asked.tags["viska/incidents"] == "killed"
    assert run("governance_cycle").success
    shown = seen(incidents, governance_metrics, writer_credentials, slack_messages)
    assert shown["incidents"]["of kind killed"] == 1
    assert str(shown["governance_metrics"]["picture"]).startswith("![Queue depth and rejections](data:image/png")
    assert shown["writer_credentials"]["disabled"] == 1
    assert shown["slack_messages"]["dagster/row_count"] == 0


def test_a_daemon_that_sleeps_is_noticed(desk: Desk) -> None:
    def awake() -> bool:
        result = dg.materialize([governance_metrics, daemon_is_awake], resources=RESOURCES)
        return result.get_asset_check_evaluations()[0].passed

    assert not awake()
    evaluate(governance_daemon)
    assert awake()


def test_a_chain_found_broken_by_the_whole_verification_pauses_the_writers(desk: Desk) -> None:
    desk.trace()
    assert dg.materialize([audit_chain, audit_chain_intact], resources=RESOURCES).success
    desk.owner("SET LOCAL session_replication_role = replica; UPDATE audit.entry SET detail = '{}' WHERE entry_id = 1")
    dg.materialize([audit_chain, audit_chain_intact], resources=RESOURCES, raise_on_error=False)
    found = desk.owner("SELECT detector FROM governance.incident WHERE kind = 'audit_chain_broken'")
    assert found == [("check:audit_chain_intact",)]
    evaluate(governance_daemon)
    assert desk.owner("SELECT value FROM governance.flag_cell WHERE flag = 'nous_active'") == [(False,)]


def test_a_daemon_that_cannot_judge_fails_its_tick_pauses_and_sends_word(
    desk: Desk, workspace: SlackServer, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    policy = tmp_path_factory.mktemp("p") / "policy.yaml"
    policy.write_text("governance: {most_rejections: many}")
    monkeypatch.setenv("VISKA_POLICY", str(policy))
    with pytest.raises(GovernanceError, match="most_rejections"):
        evaluate(governance_daemon)
    assert desk.owner("SELECT value FROM governance.flag_cell WHERE flag = 'nous_active'") == [(False,)]
    assert [text for _, text in workspace.words] == ["daemon_failure: the writers were paused"]


def test_the_feed_asks_for_a_delivery_only_where_one_is_due_and_slack_answers(
    desk: Desk, workspace: SlackServer
) -> None:
    assert str(evaluate(approved_feed).skip_message) == "Slack has everything that mastra may send."
    desk.approved()
    workspace.is_down = True
    assert "does not answer" in str(evaluate(approved_feed).skip_message)
    workspace.is_down = False
    assert len(evaluate(approved_feed).run_requests) == 1
    assert outputs(run("deliver_to_slack"))["posted"] == 1
    assert str(evaluate(approved_feed).skip_message) == "Slack has everything that mastra may send."
    assert len(workspace.messages) == 1


def test_the_feed_rests_where_slack_is_not_set_up(desk: Desk) -> None:
    assert "VISKA_SLACK_TOKEN" in str(evaluate(approved_feed).skip_message)
    assert "VISKA_SLACK_TOKEN" in str(
        slack_health.evaluate_tick(dg.build_schedule_context(resources=RESOURCES)).skip_message
    )


def test_an_outage_of_slack_is_told_by_another_way(desk: Desk, workspace: SlackServer) -> None:
    workspace.is_down = True
    assert run("check_slack").success
    assert [text for _, text in workspace.words] == ["mastra_outage: Slack does not answer"]
    assert desk.owner("SELECT kind FROM governance.incident") == [("mastra_outage",)]


def test_what_waits_in_a_spool_is_replayed_unless_its_writer_is_stopped(desk: Desk) -> None:
    assert str(evaluate(spooled_writes).skip_message) == "No write waits in a spool."
    row = {"kind": "daily_digest", "day": "2026-03-01", "title": "t", "body": "b"}
    Spool(desk.settings.spool_path, Writer.PLUTUS).put(
        Write(Writer.PLUTUS, "reports.report", row, uuid4(), datetime.now(tz=UTC))
    )
    pausing.pause(desk.settings, desk.database, Writer.PLUTUS, reason="r", requested_by="w")
    assert "paused or disabled" in str(evaluate(spooled_writes).skip_message)
    pausing.resume(desk.settings, desk.database, Writer.PLUTUS, reason="r", requested_by="w")
    [asked] = evaluate(spooled_writes).run_requests
    assert outputs(run("replay_spool", dict(asked.run_config)))["written"] == 1


def test_the_digest_of_a_day_is_written_once(desk: Desk) -> None:
    desk.approved()
    today = {"ops": {"daily_digest": {"config": {"day": datetime.now(tz=UTC).date().isoformat()}}}}
    assert seen(daily_digest, config=today)["daily_digest"]["became"] == "written"
    assert seen(daily_digest, config=today)["daily_digest"]["became"] == "stood already"
    schedule = build_daily_digest_schedule(OutsideSection(digest_hour=5))
    assert schedule.cron_schedule == "0 5 * * *"
    assert len(schedule.evaluate_tick(dg.build_schedule_context(resources=RESOURCES)).run_requests) == 1
