"""The review in Dagster: verdicts as four assets, the rate of what is turned away, the day's summary, the sign-off."""

from collections.abc import Iterator
from datetime import date

import dagster as dg

from resources.home import HomeResource
from resources.writers import WriterResource
from viska_assets.assets.previews import table
from viska_assets.assets.retrieval import OWNERS
from viska_assets.assets.review_picture import draw_catch_rate
from viska_assets.store.supervised.errors import RolesError
from viska_assets.store.supervised.loop_rows import judged_rows, verdicts_in_audit, verdicts_in_tables
from viska_assets.supervise.nous.model_reasoner import reasoner_pin
from viska_assets.supervise.review.reviewing import Became, Reviewed, review
from viska_assets.supervise.review.signing import SignOffError
from viska_assets.supervise.review.signing import sign_off as sign
from viska_assets.supervise.review.summary import markdown, summarise

GROUP = "boundary_b_supervised"
VERDICTS = {
    f"{room}_{outcome}": (kind, outcome)
    for room, kind in (("signals", "signal"), ("strategies", "strategy"))
    for outcome in ("approved", "rejected")
}
_SPECS = [
    dg.AssetSpec(
        name,
        deps=["signals_candidate"] if kind == "signal" else ["strategies_draft", "backtest_result"],
        group_name=GROUP,
        kinds={"postgres"},
        owners=OWNERS,
        code_version="1",
        description=f"{name.partition('_')[0].capitalize()} that the review {outcome}, with who, where and why.",
    )
    for name, (kind, outcome) in VERDICTS.items()
]
_COLUMNS = ("artifact_id", "cause", "reason", "verdict_excerpt", "reviewed_by", "review_session_id", "recorded_at")
DAYS = dg.DailyPartitionsDefinition(start_date="2025-01-01", end_offset=1)


@dg.multi_asset(name="plutus_verdicts", specs=_SPECS)
def plutus_verdicts(
    context: dg.AssetExecutionContext, home: HomeResource, pg_plutus: WriterResource
) -> Iterator[dg.MaterializeResult]:
    """One session of the review, under the run's id: what is pending goes through the four checks to a verdict."""
    opened = home.open()
    try:
        policy = opened.policy.loop
        found = review(pg_plutus.open(), policy, context.run_id, pin=reasoner_pin(policy.nous, opened.settings))
    except RolesError as error:
        found = Reviewed(context.run_id, skipped=f"not run: {error}")
    if found.skipped:
        context.log.info(found.skipped)
    with opened.database.transaction() as connection:
        rows = {name: judged_rows(connection, *what) for name, what in VERDICTS.items()}
    waits = [judged.said for judged in found.judged if judged.became is Became.WAITS]
    for name, (kind, outcome) in VERDICTS.items():
        now = sum(1 for judged in found.judged if judged.kind.value == kind and judged.became.value == outcome)
        yield dg.MaterializeResult(
            asset_key=name,
            metadata={
                "dagster/row_count": len(rows[name]),
                "this_session": now,
                "note": found.skipped or f"{len(found.judged)} looked at, {len(waits)} wait",
                "queue_depth": found.depth,
                "verdicts": table(rows[name], _COLUMNS),
            },
        )


@dg.asset(
    group_name=GROUP,
    deps=["signals_approved", "signals_rejected", "strategies_approved", "strategies_rejected"],
    kinds={"postgres"},
    owners=OWNERS,
    code_version="1",
)
def supervisor_catch_rate(home: HomeResource) -> dg.MaterializeResult:
    """How much of what nous proposed the review turned away, by cause, day by day: what a later relaxation rests on."""
    with home.open().database.transaction() as connection:
        verdicts = verdicts_in_tables(connection)
    whole = summarise(verdicts)
    by_day = {
        day: summarise([v for v in verdicts if v.at.date() == day]) for day in sorted({v.at.date() for v in verdicts})
    }
    picture = draw_catch_rate(by_day)
    causes = [{"cause": cause, "rejected": count} for cause, count in whole.by_cause.items()]
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": whole.reviewed,
            "approved": whole.approved,
            "rejected": whole.rejected,
            "expired": whole.expired,
            "catch_rate": round(whole.catch_rate, 4),
            "by_cause": table(causes, ("cause", "rejected")),
            "by_day": dg.MetadataValue.md(f"![rejected by cause]({picture})" if picture else "Nothing was judged yet."),
        }
    )


@dg.asset(group_name=GROUP, partitions_def=DAYS, kinds={"postgres"}, owners=OWNERS, code_version="1")
def daily_review_summary(context: dg.AssetExecutionContext, home: HomeResource) -> dg.MaterializeResult:
    """What was reviewed on a day (UTC), approved and turned away, from the audit trail alone; the tables agree."""
    day = date.fromisoformat(context.partition_key)
    with home.open().database.transaction() as connection:
        from_audit, from_tables = verdicts_in_audit(connection, day), verdicts_in_tables(connection, day)
    summary = summarise(from_audit)
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": summary.reviewed,
            "approved": summary.approved,
            "rejected": summary.rejected,
            "expired": summary.expired,
            "same_as_tables": summary == summarise(from_tables),
            "summary": dg.MetadataValue.md(markdown(summary)),
        }
    )


class SignOffConfig(dg.Config):
    """Which draft, on whose word, and why."""

    artifact_id: int
    reason: str
    actor: str = "operator"


@dg.op
def put_a_name_to(context: dg.OpExecutionContext, pg_governance: WriterResource, config: SignOffConfig) -> None:
    """Records an operator's word on a draft that waits for one."""
    try:
        new = sign(pg_governance.open(), config.artifact_id, signed_by=f"human:{config.actor}", reason=config.reason)
    except (SignOffError, RolesError) as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    context.add_output_metadata({"artifact_id": config.artifact_id, "new": new})


@dg.job
def sign_off() -> None:
    """Lets the review approve a draft above the risk class that it may pass alone."""
    put_a_name_to()


nous_tick = dg.define_asset_job(
    "nous_tick",
    selection=dg.AssetSelection.assets("nous_traces", "signals_candidate", "strategies_draft").without_checks(),
    description="One run of nous over one claimed request or flagged document.",
)
plutus_review = dg.define_asset_job(
    "plutus_review",
    selection=dg.AssetSelection.assets(*VERDICTS, "signals_candidate", "strategies_draft", "supervisor_catch_rate")
    | dg.AssetSelection.assets("backtest_result").without_checks(),
    description="The backtests that were asked for, then one session of the review, with its four checks.",
)
daily_review = dg.define_asset_job(
    "daily_review",
    selection=dg.AssetSelection.assets("daily_review_summary"),
    description="The summary of one day's reviews.",
)
JOBS = (nous_tick, plutus_review, daily_review, sign_off)
