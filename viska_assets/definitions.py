"""The code location: every asset, check, job, sensor and schedule, assembled once."""

import dagster as dg

from resources.home import HomeResource
from resources.writers import writer_resources
from schedules.audit import audit_sealing
from schedules.loop import build_nous_schedule, build_review_schedule, daily_reviews
from schedules.nightly import build_nightly_lint, build_nightly_parity
from schedules.outside import build_daily_digest_schedule, slack_health
from sensors.approved_feed import approved_feed
from sensors.changed_vaults import changed_vaults
from sensors.contradicting_sources import contradicting_sources
from sensors.feeds import build_feed_sensors
from sensors.governance_daemon import governance_daemon
from sensors.new_documents import new_documents
from sensors.parity_engine import parity_follows_engine
from sensors.spooled_writes import spooled_writes
from viska_assets.assets import (
    audit,
    backtest,
    calculations,
    governance,
    guardrail,
    issuers,
    lint,
    nous,
    outside,
    parity,
    parity_jobs,
    retrieval,
    review,
    synthesis,
    vaults,
    writers,
)
from viska_assets.checks.audit import audit_chain_intact
from viska_assets.checks.backtest import backtest_is_not_snooped, backtest_is_reproducible
from viska_assets.checks.gate import drafts_hold, pages_hold
from viska_assets.checks.governance import daemon_is_awake
from viska_assets.checks.lint import bundle_is_clean
from viska_assets.checks.parity import demotion_rests_on_a_pass
from viska_assets.checks.retrieval import retrieval_ready
from viska_assets.checks.review import signals_checklist, strategies_checklist
from viska_assets.ingest.feeds.configuration import load_feeds
from viska_assets.maintain.engine_version import answering_engine_of
from viska_assets.store.policy import load_policy

INGEST_ASSETS = (
    "raw_sources",
    "source_chunks",
    "source_incidents",
    "calculations",
    "chunk_embeddings",
    "concept_drafts",
    "quarantine_queue",
    "concept_pages",
    "bundle_index",
    "knowledge_graph",
)


def build_defs(**resource_overrides: dg.ConfigurableResource) -> dg.Definitions:
    """All definitions; tests pass their own resources by name.

    Args:
        **resource_overrides: resources that take the place of the default ones (``home``).
    """
    home = HomeResource()
    policy = load_policy(home.settings)
    nights, market = policy.lint, policy.loop.market
    version = answering_engine_of(home.settings)
    ingest_documents = dg.define_asset_job(
        "ingest_documents",
        selection=dg.AssetSelection.assets(*INGEST_ASSETS),
        description="From files in the drop folder to gated pages: one run a batch.",
    )
    assets = dg.load_assets_from_modules(
        [
            retrieval,
            calculations,
            synthesis,
            guardrail,
            lint,
            audit,
            backtest,
            nous,
            review,
            governance,
            outside,
            vaults,
        ]
    )
    return dg.Definitions(
        assets=[*assets, *parity.build_parity_assets(version)],
        asset_checks=[
            drafts_hold,
            pages_hold,
            retrieval_ready,
            bundle_is_clean,
            audit_chain_intact,
            daemon_is_awake,
            backtest_is_reproducible,
            backtest_is_not_snooped,
            demotion_rests_on_a_pass,
            signals_checklist,
            strategies_checklist,
        ],
        jobs=[
            ingest_documents,
            guardrail.resubmit_quarantined,
            guardrail.discard_quarantined,
            issuers.merge_two_issuers,
            issuers.split_one_issuer,
            *writers.JOBS,
            *parity_jobs.JOBS,
            *review.JOBS,
            *outside.JOBS,
        ],
        sensors=[
            new_documents,
            *build_feed_sensors(load_feeds(home.settings)),
            contradicting_sources,
            changed_vaults,
            parity_follows_engine,
            governance_daemon,
            approved_feed,
            spooled_writes,
        ],
        schedules=[
            build_nightly_lint(nights),
            build_nightly_parity(nights),
            audit_sealing,
            build_nous_schedule(market),
            build_review_schedule(market),
            daily_reviews,
            build_daily_digest_schedule(policy.outside),
            slack_health,
        ],
        resources={"home": home} | writer_resources() | resource_overrides,
        executor=dg.in_process_executor,
    )


defs = build_defs()
