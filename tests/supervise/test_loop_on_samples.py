"""The loop over the sample feed: a request, a run of nous, a review; what stands in filings passes."""

import pytest

from tests.disposable import Disposable
from tests.supervise.desk import Desk
from viska_assets.store.home import Home
from viska_assets.store.policy_loop import LoopSection
from viska_assets.store.settings import Settings
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.roles import apply_roles, drop_roles
from viska_assets.supervise import connect
from viska_assets.supervise.connecting import close_all
from viska_assets.supervise.nous.anomalies import AnomalyReasoner
from viska_assets.supervise.nous.reasoning import TraceOutcome
from viska_assets.supervise.nous.ticking import tick
from viska_assets.supervise.review.reviewing import Became, review

pytestmark = pytest.mark.database


def test_what_nous_finds_in_filings_passes_the_four_checks(sample_home: Disposable) -> None:
    home = Home(Settings(home=sample_home.root, database_url=sample_home.url))
    apply_roles(home.settings, home.database)
    desk, policy = Desk(home), LoopSection()
    with desk.as_writer(Writer.PLUTUS) as connection:
        for concept in ("issuers/apple", "issuers/nvidia"):
            connection.execute(
                "INSERT INTO nous.run_queue (request_key, kind, subject, requested_by) "
                "VALUES (%s, 'research', %s, 't')",
                (concept, concept),
            )
    done = [tick(connect("nous", home.settings), AnomalyReasoner(policy.nous), policy.nous) for _ in range(2)]
    assert [run.outcome for run in done] == [TraceOutcome.COMPLETED] * 2
    found = review(connect("plutus", home.settings), policy, "s1")
    assert {judged.became for judged in found.judged} == {Became.APPROVED}, found.judged
    assert len(found.judged) >= 2
    close_all()
    drop_roles(home.settings, home.database)
    home.close()
