"""The parity gate in the database: who answers, and flips that the database itself refuses."""

import psycopg
import pytest

from viska_assets.store.database import Connection, Database
from viska_assets.store.parity_gate import FlipAction, Tier, add_flip, flips, synthesis_is_open, tier_in_force
from viska_assets.store.parity_rows import add_parity_run


def run(connection: Connection, engine: str, verdict: str, commit: str = "c1") -> int:
    return add_parity_run(
        connection, engine=engine, bundle_commit=commit, eval_set="all", verdict=verdict, summary={}, answers=[]
    )


def demote(connection: Connection, engine: str, run_id: int | None):
    return add_flip(connection, FlipAction.DEMOTE, engine=engine, run_id=run_id, actor="human:ann", reason="it passed")


def test_retrieval_answers_until_it_is_demoted(database: Database) -> None:
    with database.transaction() as connection:
        passed = run(connection, "e1", "PASS")
        gate = synthesis_is_open(connection, "e1")
    assert not gate.open
    assert gate.run_id == passed
    assert "has not been demoted" in gate.reason


def test_a_pass_and_a_demotion_open_it_and_a_rollback_closes_it(database: Database) -> None:
    with database.transaction() as connection:
        passed = run(connection, "e1", "PASS")
        demote(connection, "e1", passed)
        gate = synthesis_is_open(connection, "e1")
        assert (gate.open, gate.run_id, gate.bundle_commit) == (True, passed, "c1")
        add_flip(connection, FlipAction.ROLLBACK, engine="e1", run_id=None, actor="human:bo", reason="doubts")
        assert not synthesis_is_open(connection, "e1").open
        assert [(f.action, f.from_tier, f.to_tier, f.actor, f.reason) for f in flips(connection)] == [
            (FlipAction.ROLLBACK, Tier.SYNTHESIS, Tier.RETRIEVAL, "human:bo", "doubts"),
            (FlipAction.DEMOTE, Tier.RETRIEVAL, Tier.SYNTHESIS, "human:ann", "it passed"),
        ]


def test_another_engine_version_closes_it_without_a_flip(database: Database) -> None:
    with database.transaction() as connection:
        demote(connection, "e1", run(connection, "e1", "PASS"))
        gate = synthesis_is_open(connection, "e2")
        assert tier_in_force(connection) is Tier.SYNTHESIS
        assert not gate.open
        assert "engine e2 has no parity run; run 1 is of engine e1" in gate.reason
        run(connection, "e2", "PASS")
        assert synthesis_is_open(connection, "e2").open


def test_the_newest_run_of_the_engine_is_the_one_in_force(database: Database) -> None:
    with database.transaction() as connection:
        demote(connection, "e1", run(connection, "e1", "PASS"))
        run(connection, "e1", "INCONCLUSIVE")
        gate = synthesis_is_open(connection, "e1")
    assert not gate.open
    assert gate.reason == "retrieval answers: parity run 2 of engine e1 is INCONCLUSIVE"


@pytest.mark.parametrize("verdict", ["FAIL", "INCONCLUSIVE", "NOT_ELIGIBLE"])
def test_the_database_refuses_a_demotion_without_a_pass(database: Database, verdict: str) -> None:
    with pytest.raises(psycopg.errors.RaiseException, match="did not pass"), database.transaction() as connection:
        demote(connection, "e1", run(connection, "e1", verdict))


def test_the_database_refuses_a_pass_of_another_engine_or_one_that_is_no_longer_the_newest(database: Database) -> None:
    with database.transaction() as connection:
        old = run(connection, "e1", "PASS")
        run(connection, "e1", "FAIL")
        other = run(connection, "e2", "PASS")
    for engine, run_id in (("e1", old), ("e1", other)):
        with pytest.raises(psycopg.errors.RaiseException), database.transaction() as connection:
            demote(connection, engine, run_id)


def test_a_flip_from_where_the_flag_is_not_is_refused(database: Database) -> None:
    refused = pytest.raises(psycopg.errors.RaiseException, match="not answered by synthesis")
    with refused, database.transaction() as connection:
        add_flip(connection, FlipAction.ROLLBACK, engine="e1", run_id=None, actor="human:bo", reason="doubts")


@pytest.mark.parametrize("statement", ["UPDATE parity.run SET verdict = 'PASS'", "DELETE FROM parity.flip"])
def test_verdicts_and_flips_are_trails(database: Database, statement: str) -> None:
    with database.transaction() as connection:
        demote(connection, "e1", run(connection, "e1", "PASS"))
    with pytest.raises(psycopg.errors.RaiseException, match="are a trail"), database.transaction() as connection:
        connection.execute(statement)
