"""The parity eval runs again when the engine version changes, also where the daemon was down meanwhile."""

import dagster as dg

from sensors.parity_engine import build_parity_follows_engine


def materialised_on(version: str, instance: dg.DagsterInstance) -> None:
    @dg.asset(name="parity_eval", code_version=version)
    def parity_eval() -> None: ...

    dg.materialize([parity_eval], instance=instance)


def tick(version: str, instance: dg.DagsterInstance):
    return build_parity_follows_engine(version)(dg.build_sensor_context(instance=instance))


def test_the_same_engine_asks_for_nothing() -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        materialised_on("e1", instance)
        assert isinstance(tick("e1", instance), dg.SkipReason)


def test_another_engine_asks_for_a_run() -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        materialised_on("e1", instance)
        request = tick("e2", instance)
        assert isinstance(request, dg.RunRequest)
        assert request.run_key == "parity-e2"


def test_before_the_first_run_it_waits() -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        assert isinstance(tick("e1", instance), dg.SkipReason)
