"""The checklist as asset checks: what the run's session of the review found, with a table of the offenders."""

from collections.abc import Iterator, Sequence

import dagster as dg

from resources.home import HomeResource
from viska_assets.store.supervised.loop_rows import checks_of_session
from viska_assets.store.supervised.verdicts import CheckName

MOST_ROWS = 100
_SAYS = {
    CheckName.SANITY: "Proposals come of a completed trace, make sense, and are made once.",
    CheckName.RISK: "Proposals keep to the desk's limits.",
    CheckName.PROVENANCE: "Every sentence is cited and every figure stands at its place (P1, P2).",
    CheckName.INJECTION: "No word speaks to a machine, hides, or leads out of the desk.",
}


def _specs(asset: str, after: tuple[str, str]) -> list[dg.AssetCheckSpec]:
    return [
        dg.AssetCheckSpec(f"check_{check}", asset=asset, additional_deps=list(after), description=said)
        for check, said in _SAYS.items()
    ]


@dg.multi_asset_check(
    name="signals_checklist", specs=_specs("signals_candidate", ("signals_approved", "signals_rejected"))
)
def signals_checklist(context: dg.AssetCheckExecutionContext, home: HomeResource) -> Iterator[dg.AssetCheckResult]:
    """The four checks of the signals that this run's session looked at."""
    yield from _results(context.run.run_id, home, "signals_candidate", "signal")


@dg.multi_asset_check(
    name="strategies_checklist", specs=_specs("strategies_draft", ("strategies_approved", "strategies_rejected"))
)
def strategies_checklist(context: dg.AssetCheckExecutionContext, home: HomeResource) -> Iterator[dg.AssetCheckResult]:
    """The four checks of the drafts that this run's session looked at."""
    yield from _results(context.run.run_id, home, "strategies_draft", "strategy")


def _results(session: str, home: HomeResource, asset: str, kind: str) -> Iterator[dg.AssetCheckResult]:
    with home.open().database.transaction() as connection:
        rows = checks_of_session(connection, session, kind)
    for check in CheckName:
        of_check = [row for row in rows if row["check_name"] == check.value]
        failed = [
            (row["artifact_id"], "; ".join(row["detail"].get("faults", []))) for row in of_check if not row["passed"]
        ]
        yield dg.AssetCheckResult(
            asset_key=asset,
            check_name=f"check_{check}",
            passed=not failed,
            # What fails here was turned away: a warning to look at, not a fault of the run.
            severity=dg.AssetCheckSeverity.WARN,
            metadata={
                "looked_at": len(of_check),
                "failed": len(failed),
                "offenders": dg.MetadataValue.md(_markdown(failed)),
            },
        )


def _markdown(failed: Sequence[tuple[int, str]]) -> str:
    """The offenders as a table; their words in code, so that no markup of theirs is shown."""
    if not failed:
        return "None."
    rows = [f"| {number} | `{_plain(why)}` |" for number, why in failed[:MOST_ROWS]]
    return "\n".join(["| artifact | why |", "|---:|---|", *rows])


def _plain(text: str) -> str:
    return " ".join(text.split()).replace("`", "'").replace("|", "\u2502")[:300]
