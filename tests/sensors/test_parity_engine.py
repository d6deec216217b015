"""The parity eval runs again when the engine on disk changes, also where nothing was reloaded meanwhile."""

import dagster as dg
import pytest

from resources.home import HomeResource
from schedules.nightly import build_nightly_parity
from sensors.parity_engine import parity_follows_engine
from viska_assets.maintain.engine_version import answering_engine_of
from viska_assets.store.home import Home
from viska_assets.store.parity_rows import add_parity_run
from viska_assets.store.policy import LintSection


def stored(home: Home, engine: str, verdict: str) -> None:
    with home.database.transaction() as connection:
        add_parity_run(
            connection, engine=engine, bundle_commit="c", eval_set="s", verdict=verdict, summary={}, answers=[]
        )


def tick(home: Home) -> dg.RunRequest | dg.SkipReason:
    resource = HomeResource(home=str(home.settings.home_path))
    with dg.DagsterInstance.ephemeral() as instance:
        return parity_follows_engine(dg.build_sensor_context(instance=instance, resources={"home": resource}))


def night(home: Home) -> dg.RunRequest | dg.SkipReason:
    resource = HomeResource(home=str(home.settings.home_path))
    schedule = build_nightly_parity(LintSection())
    with dg.DagsterInstance.ephemeral() as instance:
        return schedule(dg.build_schedule_context(instance=instance, resources={"home": resource}))


def test_before_the_first_run_it_waits(home: Home) -> None:
    assert isinstance(tick(home), dg.SkipReason)


@pytest.mark.parametrize("verdict", ["PASS", "FAIL", "NOT_ELIGIBLE"])
def test_an_engine_with_a_run_asks_for_nothing(home: Home, verdict: str) -> None:
    stored(home, answering_engine_of(home.settings), verdict)
    said = tick(home)
    assert isinstance(said, dg.SkipReason)
    assert verdict in str(said.skip_message)


def test_another_engine_asks_for_one_run(home: Home) -> None:
    stored(home, "an0therengine", "PASS")
    first, again = tick(home), tick(home)
    assert isinstance(first, dg.RunRequest)
    assert isinstance(again, dg.RunRequest)
    assert first.run_key == again.run_key == f"parity-{answering_engine_of(home.settings)}"


@pytest.mark.parametrize(("verdict", "runs"), [("PASS", False), ("FAIL", True), ("INCONCLUSIVE", True)])
def test_the_night_runs_where_no_pass_is_valid(home: Home, verdict: str, runs: bool) -> None:
    stored(home, answering_engine_of(home.settings), verdict)
    assert isinstance(night(home), dg.RunRequest) is runs


def test_the_night_runs_where_the_pass_is_of_another_engine(home: Home) -> None:
    stored(home, "an0therengine", "PASS")
    assert isinstance(night(home), dg.RunRequest)


def test_the_night_follows_the_desks_zone_and_comes_after_the_lint() -> None:
    schedule = build_nightly_parity(LintSection(time_zone="America/New_York", hour=23))
    assert (schedule.cron_schedule, schedule.execution_timezone) == ("0 0 * * *", "America/New_York")
