"""The loop of the bench, smaller: all that is planted is turned away for its cause, and what is good passes."""

import pytest

from bench.loop import PLANTS, run_loop
from tests.supervise.desk import Desk

pytestmark = pytest.mark.database


def test_what_is_planted_is_turned_away_for_its_cause_and_what_is_good_passes(desk: Desk) -> None:
    found = run_loop(desk, 60, 7)
    assert found["planted_rejected_for_the_right_cause"] == found["planted"] == 12, found["wrong"]
    assert set(found["by_cause"]) == set(PLANTS)
    assert found["good_approved"] == found["good"] == 48, found["good_lost"]
    assert found["audit_equals_tables"]
    assert found["catch_rate"] == 0.2
