"""The jobs that stop writers, and the audit chain as an asset with its check, run by Dagster."""

import dagster as dg
import pytest

from resources.home import HomeResource
from tests.supervise.desk import Desk
from viska_assets.assets.audit import audit_chain
from viska_assets.assets.writers import JOBS
from viska_assets.checks.audit import audit_chain_intact
from viska_assets.store.supervised.anchors import REF
from viska_assets.store.supervised.flags import writer_states
from viska_assets.store.supervised.matrix import Writer

pytestmark = pytest.mark.database


def run(name: str, op: str, **config: str) -> dg.ExecuteInProcessResult:
    job = next(job for job in JOBS if job.name == name)
    return job.execute_in_process(
        run_config={"ops": {op: {"config": config}}}, resources={"home": HomeResource()}, raise_on_error=False
    )


def state(desk: Desk) -> tuple[bool | None, bool]:
    with desk.database.transaction() as connection:
        found = next(state for state in writer_states(connection) if state.writer is Writer.NOUS)
    return found.active, found.can_log_in


def test_g054_and_g055_the_jobs_pause_resume_kill_and_revive(desk: Desk) -> None:
    assert run("pause_writer", "lower_flag", writer="nous", reason="r", actor="anna").success
    assert state(desk) == (False, True)
    assert run("resume_writer", "raise_flag", writer="nous", reason="r").success
    assert run("kill_writer", "disable_role", writer="nous", reason="r").success
    assert state(desk) == (True, False)
    assert run("revive_writer", "enable_role", writer="nous", reason="r").success
    assert state(desk) == (True, True)
    said = desk.owner(
        "SELECT requested_by, reason FROM governance.flags_log WHERE NOT value ORDER BY flag_no DESC LIMIT 1"
    )
    assert said == [("human:anna", "r")]


@pytest.mark.parametrize(
    ("job", "op", "writer"), [("pause_writer", "lower_flag", "governance"), ("kill_writer", "disable_role", "hades")]
)
def test_a_job_names_the_writers_it_takes(desk: Desk, job: str, op: str, writer: str) -> None:
    assert not run(job, op, writer=writer, reason="r").success


def materialize(instance: dg.DagsterInstance) -> dg.ExecuteInProcessResult:
    return dg.materialize(
        [audit_chain, audit_chain_intact], instance=instance, resources={"home": HomeResource()}, raise_on_error=False
    )


def test_the_head_is_kept_in_dagster_and_beside_the_bundle_and_each_alone_finds_a_cut(desk: Desk) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        desk.trace()
        first = materialize(instance)
        assert [one.passed for one in first.get_asset_check_evaluations()] == [True]
        metadata = first.asset_materializations_for_node("audit_chain")[0].metadata
        assert metadata["head_seq"].value == desk.owner("SELECT max(seq) FROM audit.seal")[0][0]
        desk.owner(
            "SET LOCAL session_replication_role = replica; DELETE FROM audit.seal WHERE seq > 2; "
            "DELETE FROM audit.entry e WHERE NOT EXISTS (SELECT 1 FROM audit.seal s WHERE s.entry_id = e.entry_id)"
        )
        cut = materialize(instance).get_asset_check_evaluations()
        assert [one.passed for one in cut] == [False]
        assert cut[0].metadata["heads_compared"].value == 4
    desk.home.bundle._repo.git.update_ref("-d", REF)
    with dg.DagsterInstance.ephemeral() as another:
        assert [one.passed for one in materialize(another).get_asset_check_evaluations()] == [False], "rows are gone"
