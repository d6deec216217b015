"""Nous in Dagster: a run of it as an asset of traces, and what it proposed."""

import dagster as dg

from resources.home import HomeResource
from resources.writers import WriterResource
from viska_assets.assets.previews import table
from viska_assets.assets.retrieval import OWNERS
from viska_assets.backtest.prices import PriceError, prices_in
from viska_assets.store.home import Home
from viska_assets.store.supervised.errors import RolesError
from viska_assets.store.supervised.loop_rows import proposed_signals, proposed_strategies, trace_rows
from viska_assets.supervise.nous.anomalies import AnomalyReasoner
from viska_assets.supervise.nous.model_reasoner import model_reasoner
from viska_assets.supervise.nous.price_moves import Closes
from viska_assets.supervise.nous.reasoning import Reasoner
from viska_assets.supervise.nous.ticking import tick

GROUP = "boundary_a_autonomous"
_TRACES = ("trace_id", "queue_id", "engine", "outcome", "tokens", "token_budget", "model_answered", "recorded_at")
_SIGNALS = (
    *("artifact_id", "outcome", "cause", "kind", "concept_id", "direction", "severity", "headline", "confidence"),
    "trace_id",
)
_DRAFTS = ("artifact_id", "outcome", "cause", "title", "risk_class", "legs", "trace_id")


def reasoner_of(home: Home) -> Reasoner:
    """The model where an endpoint and a model are set, otherwise the deterministic reasoner over frozen prices."""
    policy = home.policy.loop.nous
    if home.settings.llm.url and home.settings.llm.model:
        return model_reasoner(policy, home.settings)
    return AnomalyReasoner(policy, closes_in(home))


def closes_in(home: Home) -> dict[str, Closes]:
    """The frozen prices by asset; none where there is no folder of prices."""
    try:
        prices = prices_in(home.settings.prices_path)
    except PriceError:
        return {}
    found = {}
    for asset in prices.closes.columns:
        kept = prices.closes[asset].dropna()
        found[asset] = Closes(asset, [day.date() for day in kept.index], [float(v) for v in kept], prices.sha256)
    return found


@dg.asset(group_name=GROUP, kinds={"postgres"}, owners=OWNERS, code_version="1")
def nous_traces(context: dg.AssetExecutionContext, home: HomeResource, pg_nous: WriterResource) -> dg.MaterializeResult:
    """One run of nous: a request or flagged document claimed, cleaned text read, candidates and drafts proposed."""
    opened = home.open()
    try:
        database = pg_nous.open()
    except RolesError as error:
        return dg.MaterializeResult(metadata={"dagster/row_count": 0, "note": f"not run: {error}"})
    done = tick(database, reasoner_of(opened), opened.policy.loop.nous, run_id=context.run_id)
    if done.skipped:
        context.log.info(done.skipped)
    with database.transaction() as connection:
        traces = trace_rows(connection)
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(traces),
            "this_run": done.skipped or f"{done.outcome}: {done.said}",
            "candidates": len(done.candidates),
            "drafts": len(done.drafts),
            "tokens": done.tokens,
            "traces": table(traces, _TRACES),
        }
    )


@dg.asset(group_name=GROUP, deps=["nous_traces"], kinds={"postgres"}, owners=OWNERS, code_version="1")
def signals_candidate(home: HomeResource) -> dg.MaterializeResult:
    """Signals as nous proposed them, each with its verdict or as pending. Nobody outside the desk sees these."""
    with home.open().database.transaction() as connection:
        rows = proposed_signals(connection)
    return _proposed(rows, _SIGNALS)


@dg.asset(group_name=GROUP, deps=["nous_traces"], kinds={"postgres"}, owners=OWNERS, code_version="1")
def strategies_draft(home: HomeResource) -> dg.MaterializeResult:
    """Strategies as nous drafted them, each with its verdict or as pending."""
    with home.open().database.transaction() as connection:
        rows = proposed_strategies(connection)
    return _proposed(rows, _DRAFTS)


def _proposed(rows: list[dict[str, object]], columns: tuple[str, ...]) -> dg.MaterializeResult:
    waiting = sum(1 for row in rows if row["outcome"] == "pending")
    return dg.MaterializeResult(
        metadata={"dagster/row_count": len(rows), "pending": waiting, "newest": table(rows, columns)}
    )
