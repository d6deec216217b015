"""The audit chain as an asset: sealed, its head kept in this materialization and beside the bundle."""

import dagster as dg

from resources.home import HomeResource
from viska_assets.assets.retrieval import OWNERS
from viska_assets.store.supervised.anchors import anchor_in_bundle
from viska_assets.supervise.auditing import seal


@dg.asset(group_name="boundary_b_supervised", kinds={"postgres"}, owners=OWNERS, code_version="1")
def audit_chain(home: HomeResource) -> dg.MaterializeResult:
    """Every write of the supervised loop, sealed in a chain of hashes whose head is remembered outside the database."""
    opened = home.open()
    sealed, head = seal(opened.settings, opened.database)
    commit = anchor_in_bundle(opened.bundle, head, opened.settings.clock())
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": head.seq,
            "sealed_now": sealed,
            "head_seq": head.seq,
            "head_hash": head.hash,
            "anchor_commit": commit or "none",
        }
    )
