"""Runs the drill: every scenario in turn on one ground, each from a calm start."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from viska_assets.supervise.drill.ground import PATIENCE_SECONDS, Ground, wait_until
from viska_assets.supervise.drill.outside_scenarios import OUTSIDE
from viska_assets.supervise.drill.scenario import Held, Scenario
from viska_assets.supervise.drill.stop_scenarios import RUNS, STOPS, TRAIL
from viska_assets.supervise.drill.verdict_scenarios import VERDICTS

SCENARIOS: tuple[Scenario, ...] = (*RUNS, *VERDICTS, *OUTSIDE, *STOPS, *TRAIL)


@dataclass(frozen=True)
class Row:
    """A line of the drill's table."""

    scenario: Scenario
    held: Held

    def as_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "fault": self.scenario.fault,
            "detector": self.scenario.detector,
            "noticed_by": self.held.detector,
            "responder": self.scenario.responder,
            "incident": self.scenario.kind.value,
            "seconds": None if self.held.seconds is None else round(self.held.seconds, 2),
            "held": self.held.is_held,
            "checks": self.held.checks,
        }


def run_drill(
    ground: Ground,
    scenarios: Iterable[Scenario] = SCENARIOS,
    *,
    said: Callable[[Row], None] = lambda _: None,
) -> list[Row]:
    """Injects each fault and looks at what comes of it.

    Args:
        ground: a running instance.
        scenarios: which faults; one that takes the database away is left out where that is not ours to do.
        said: called after each.
    """
    rows = []
    for scenario in scenarios:
        if scenario.needs_server and ground.stop_server is None:
            continue
        row = Row(scenario, run_one(ground, scenario))
        said(row)
        rows.append(row)
    return rows


def run_one(ground: Ground, scenario: Scenario, *, patience: float = PATIENCE_SECONDS) -> Held:
    """Injects one fault, waits for the incident and all that should soon hold, asks the rest, and tidies up."""
    ground.let_all_go_on()
    newest, held = ground.last_incident(), Held()
    expected = scenario.inject(ground)
    began = time.monotonic() if expected.since is None else expected.since
    held.checks["incident"] = wait_until(lambda: ground.incident_since(scenario.kind.value, newest), patience=patience)
    for name, condition in expected.soon.items():
        held.checks[name] = wait_until(condition, patience=patience)
    held.seconds = time.monotonic() - began if expected.seconds is None else expected.seconds
    found = ground.incident_since(scenario.kind.value, newest)
    held.detector = found[1] if found else ""
    try:
        for name, condition in expected.then.items():
            held.checks[name] = condition()
    finally:
        expected.after()
    return held
