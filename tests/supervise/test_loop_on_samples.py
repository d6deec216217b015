"""The loop as ``viska up --sample`` leaves it: what stands in filings passed, a made-up figure did not."""

import psycopg
import pytest

from tests.disposable import Disposable

pytestmark = pytest.mark.database


def test_the_sample_shows_a_round_of_the_loop(sample_home: Disposable) -> None:
    with psycopg.connect(sample_home.url) as connection:
        rejected = connection.execute(
            "SELECT cause, c.headline FROM signals.rejected JOIN signals.candidate c USING (artifact_id)"
        ).fetchall()
        approved = connection.execute("SELECT kind, concept_id FROM signals.approved").fetchall()
        ended = connection.execute("SELECT status FROM nous.run_queue ORDER BY queue_id").fetchall()
        pending = connection.execute("SELECT count(*) FROM review.pending").fetchone()
    assert [cause for cause, _ in rejected] == ["provenance"]
    assert rejected[0][1].endswith("(planted error)")
    assert len(approved) >= 3
    assert {concept for _, concept in approved} == {"issuers/nvidia"}
    assert ended == [("done",), ("done",)]
    assert pending == (0,)
