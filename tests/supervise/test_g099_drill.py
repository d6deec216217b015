"""G099 and the failure table: every fault injected on a running instance, noticed, answered and on record."""

from collections.abc import Iterator

import pytest

from viska_assets.store.supervised.incidents import IncidentKind
from viska_assets.supervise.drill.ground import Ground, ground
from viska_assets.supervise.drill.running import SCENARIOS, run_one
from viska_assets.supervise.drill.scenario import Expectation, Scenario

pytestmark = pytest.mark.database


@pytest.fixture(scope="module")
def instance() -> Iterator[Ground]:
    """One instance for the whole drill, with a Postgres that may be taken away."""
    with ground() as found:
        yield found


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.fault.replace(" ", "-"))
def test_g099_and_g089_a_fault_is_noticed_answered_and_on_record(instance: Ground, scenario: Scenario) -> None:
    held = run_one(instance, scenario)
    assert held.is_held, (held.checks, instance.failures[-3:])
    assert held.detector


def test_the_drill_covers_the_failure_table() -> None:
    assert {scenario.kind for scenario in SCENARIOS} >= {
        IncidentKind.GIBBERISH,
        IncidentKind.LOOP,
        IncidentKind.RISK_BREACH,
        IncidentKind.WRITE_FAILURE,
        IncidentKind.MASTRA_OUTAGE,
        IncidentKind.INJECTION,
        IncidentKind.QUEUE_BACKUP,
        IncidentKind.MODEL_DRIFT,
        IncidentKind.KILLED,
        IncidentKind.PAUSED,
    }


def test_a_fault_that_nobody_notices_is_not_held(server_url: str) -> None:
    nothing = Scenario("nothing", "nobody", "nothing", IncidentKind.LOOP, lambda _: Expectation())
    with ground(server_url) as found:
        held = run_one(found, nothing, patience=0.5)
        assert found.stop_server is None
    assert (held.is_held, held.checks) == (False, {"incident": False})
