"""G070, G074: when nous and the review are due, in New York's wall clock, over both changes of it."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import dagster as dg
import pytest
from dagster import build_schedule_context

from resources.writers import writer_resources
from schedules.loop import build_nous_schedule, build_review_schedule
from tests.supervise.desk import Desk
from viska_assets.store.policy_loop import MarketSection
from viska_assets.store.supervised.matrix import Writer
from viska_assets.supervise.market import is_open, nous_is_due, review_is_due

MARKET = MarketSection()
NEW_YORK = ZoneInfo("America/New_York")


def due_on(day: date, minutes: int, limited: bool = False) -> list[datetime]:
    """The local times of a day, hour changes and all, at which nous (15) or the review (5) is due."""
    at = datetime(day.year, day.month, day.day, tzinfo=NEW_YORK).astimezone(UTC)
    found = []
    while at.astimezone(NEW_YORK).date() == day:
        why = nous_is_due(at, MARKET, rate_limited=limited) if minutes == 15 else review_is_due(at, MARKET)
        if not why:
            found.append(at.astimezone(NEW_YORK))
        at += timedelta(minutes=minutes)
    return found


@pytest.mark.parametrize("day", [date(2026, 3, 9), date(2026, 11, 2), date(2026, 7, 1)])
def test_g070_nous_runs_each_quarter_in_market_hours_and_hourly_else(day: date) -> None:
    due = due_on(day, 15)
    in_hours = [at for at in due if (9, 30) <= (at.hour, at.minute) < (16, 0)]
    assert len(in_hours) == 26
    assert all(at.minute == 0 for at in due if at not in in_hours)
    assert len(due) == 26 + 24 - 6


@pytest.mark.parametrize(
    ("day", "hours"),
    [(date(2026, 3, 8), 23), (date(2026, 11, 1), 25), (date(2026, 12, 25), 24), (date(2026, 7, 4), 24)],
)
def test_g070_days_without_a_session_and_days_of_the_clock_change_run_hourly(day: date, hours: int) -> None:
    due = due_on(day, 15)
    assert len(due) == hours
    assert {at.minute for at in due} == {0}


def test_g070_the_session_follows_the_clock_and_not_the_sun() -> None:
    before, after = datetime(2026, 3, 6, 14, 30, tzinfo=UTC), datetime(2026, 3, 9, 13, 30, tzinfo=UTC)
    assert is_open(before, MARKET)
    assert is_open(after, MARKET)
    assert not is_open(before - timedelta(minutes=1), MARKET)
    assert not is_open(after - timedelta(minutes=1), MARKET)
    assert is_open(datetime(2026, 11, 2, 20, 59, tzinfo=UTC), MARKET)
    assert not is_open(datetime(2026, 11, 2, 21, 0, tzinfo=UTC), MARKET)


def test_the_rate_limit_doubles_both_intervals() -> None:
    due = due_on(date(2026, 7, 1), 15, limited=True)
    in_hours = [at for at in due if (9, 30) <= (at.hour, at.minute) < (16, 0)]
    assert Counter(at.minute for at in in_hours) == {0: 6, 30: 7}
    assert all(at.hour % 2 == 0 for at in due if at not in in_hours)


def test_g074_the_review_runs_each_five_minutes_in_market_hours_and_each_quarter_else() -> None:
    due = due_on(date(2026, 7, 1), 5)
    in_hours = [at for at in due if (9, 30) <= (at.hour, at.minute) < (16, 0)]
    assert len(in_hours) == 78
    assert {at.minute for at in due if at not in in_hours} == {0, 15, 30, 45}


def evaluate(schedule: dg.ScheduleDefinition, at: datetime) -> str:
    """``run``, or the reason why the schedule skips."""
    resources = writer_resources()
    with build_schedule_context(scheduled_execution_time=at, resources=resources) as context:
        data = schedule.evaluate_tick(context)
    return "run" if data.run_requests else str(data.skip_message)


OPEN = datetime(2026, 7, 1, 10, 15, tzinfo=NEW_YORK)


@pytest.mark.database
def test_g071_the_schedule_asks_for_a_run_only_where_something_waits(desk: Desk) -> None:
    nous = build_nous_schedule(MARKET)
    assert evaluate(nous, OPEN).startswith("no queue, no loop")
    assert "once an hour" in evaluate(nous, OPEN.replace(hour=20))
    with desk.as_writer(Writer.PLUTUS) as connection:
        connection.execute(
            "INSERT INTO nous.run_queue (request_key, kind, subject, requested_by) VALUES ('k', 'research', 's', 't')"
        )
    assert evaluate(nous, OPEN) == "run"
    desk.owner("SELECT governance.set_flag('nous_rate_limit', true, 'queue', 't')")
    assert "rate limited" in evaluate(nous, OPEN)
    assert evaluate(nous, OPEN.replace(minute=30)) == "run"
    desk.owner("SELECT governance.set_flag('nous_active', false, 'test', 't')")
    assert evaluate(nous, OPEN.replace(minute=30)) == "nous is paused"
    assert desk.owner("SELECT count(*) FROM audit.entry WHERE action = 'said:skip' AND actor = 'nous'")[0][0] == 1


@pytest.mark.database
def test_g074_the_review_is_asked_for_only_where_something_is_pending(desk: Desk) -> None:
    review = build_review_schedule(MARKET)
    assert evaluate(review, OPEN) == "nothing is pending"
    desk.candidate()
    assert evaluate(review, OPEN) == "run"
    assert "four times an hour" in evaluate(review, OPEN.replace(hour=20, minute=20))
    desk.owner("SELECT governance.set_flag('plutus_active', false, 'test', 't')")
    assert evaluate(review, OPEN) == "plutus is paused"
