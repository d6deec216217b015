"""The loop over the sample feed: a request, a run of nous, a review; what stands in filings passes."""

import pytest

from tests.disposable import Disposable
from tests.supervise.desk import Desk
from viska_assets.store.home import Home
from viska_assets.store.policy_loop import LoopSection
from viska_assets.store.settings import Settings
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.roles import apply_roles
from viska_assets.supervise import connect
from viska_assets.supervise.nous.anomalies import AnomalyReasoner
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
    for _ in range(2):
        done = tick(connect("nous", home.settings), AnomalyReasoner(policy.nous), policy.nous)
        print(done)
    found = review(connect("plutus", home.settings), policy, "s1")
    for judged in found.judged:
        print(judged.became, judged.cause, judged.said)
    for row in desk.owner("SELECT kind, direction, headline, rationale, payload, citations FROM signals.candidate"):
        print(row)
    assert {judged.became for judged in found.judged} == {Became.APPROVED}
    assert len(found.judged) >= 2
