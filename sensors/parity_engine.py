"""Watches the engine version: the parity eval runs again whenever code, models or policy have changed."""

import dagster as dg

PARITY_EVAL = dg.AssetKey("parity_eval")


def build_parity_follows_engine(version: str) -> dg.SensorDefinition:
    """The sensor for one engine version.

    The version of the last run is read from that materialization's tag, not from the cursor, so that a deployment
    while the daemon was down is noticed as well.
    """

    @dg.sensor(
        target=dg.AssetSelection.assets("eval_set", PARITY_EVAL),
        minimum_interval_seconds=60,
        default_status=dg.DefaultSensorStatus.RUNNING,
    )
    def parity_follows_engine(context: dg.SensorEvaluationContext) -> dg.RunRequest | dg.SkipReason:
        """Asks for the parity eval whenever it last ran on another engine version."""
        event = context.instance.get_latest_materialization_event(PARITY_EVAL)
        materialization = event.asset_materialization if event else None
        ran_on = (materialization.tags or {}).get("dagster/code_version") if materialization else None
        if ran_on is None:
            return dg.SkipReason("The parity eval has not run yet; the nightly schedule or an operator starts it.")
        if ran_on == version:
            return dg.SkipReason(f"The parity eval has run on engine {version}.")
        return dg.RunRequest(run_key=f"parity-{version}")

    return parity_follows_engine
