"""G057-G099: the daemon's cycle against the database: what it measures, does, and leaves alone; and when it fails."""

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from tests.supervise.desk import SESSION, Desk
from viska_assets.store.database import Database
from viska_assets.store.policy import Policy
from viska_assets.store.policy_governance import GovernanceSection
from viska_assets.store.settings import SettingError
from viska_assets.store.supervised.flags import Flag, is_set
from viska_assets.store.supervised.incidents import IncidentKind, Severity, about_artifact, add_incident, add_metric
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.verdicts import Cause, CheckName, approve, open_session, reject
from viska_assets.supervise import connect, killing, pausing
from viska_assets.supervise.governance.cycle import Cycle, GovernanceError, guarded_cycle, run_cycle

pytestmark = pytest.mark.database
TRACE = "INSERT INTO nous.trace (engine, token_budget) VALUES ('e', 1)"


def policy(**numbers: object) -> Policy:
    return Policy(governance=GovernanceSection.model_validate(numbers))


def cycle(desk: Desk, **numbers: object) -> Cycle:
    return run_cycle(connect("governance", desk.settings), policy(**numbers), desk.settings.spool_path)


def reject_one(desk: Desk, cause: Cause = Cause.SANITY, **columns: object) -> int:
    artifact = desk.candidate(**columns)
    with desk.as_writer(Writer.PLUTUS) as connection:
        open_session(connection, SESSION, "rules 1")
        reject(connection, artifact, SESSION, cause, "no", "no")
    return artifact.artifact_id


def approve_one(desk: Desk) -> None:
    artifact = desk.candidate()
    desk.checked(artifact)
    with desk.as_writer(Writer.PLUTUS) as connection:
        approve(connection, artifact, SESSION, "holds")


def active(desk: Desk, flag: Flag) -> bool:
    with desk.database.transaction() as connection:
        return is_set(connection, flag)


def incidents(desk: Desk) -> list[tuple[str, str, str]]:
    return desk.owner("SELECT kind, severity, written_by FROM governance.incident ORDER BY incident_id")


def claimed_trace(desk: Desk) -> int:
    with desk.as_writer(Writer.MASTRA) as connection:
        connection.execute(
            "INSERT INTO nous.run_queue (request_key, kind, subject, requested_by) VALUES ('k', 'research', 's', 'w')"
        )
    with desk.as_writer(Writer.NOUS) as connection:
        row = connection.execute("SELECT queue_id FROM nous.claim_run('10 minutes')").fetchone()
        assert row is not None
        connection.execute("INSERT INTO nous.trace (queue_id, engine, token_budget) VALUES (%s, 'e', 1)", (row[0],))
    return int(row[0])


def test_g057_and_g099_rejections_become_measures_and_the_flag_stops_nous(desk: Desk) -> None:
    for _ in range(2):
        reject_one(desk)
    assert cycle(desk, most_rejections=2).is_quiet
    reject_one(desk)
    done = cycle(desk, most_rejections=2)
    assert not active(desk, Flag.NOUS_ACTIVE)
    assert desk.refused(Writer.NOUS, TRACE) == "VK001"
    assert incidents(desk) == [("paused", "high", "governance")]
    assert done.measures.rejection_rate == 1.0
    assert cycle(desk, most_rejections=2).is_quiet
    pausing.resume(desk.settings, desk.database, Writer.NOUS, reason="seen", requested_by="human:anna")
    assert cycle(desk, most_rejections=2).is_quiet, "what was counted before the operator's word is not held again"


def test_g080_and_g089_gibberish_is_an_incident_with_evidence_and_no_pause(desk: Desk) -> None:
    approve_one(desk)
    rejected = [reject_one(desk) for _ in range(3)]
    for _ in range(2):
        cycle(desk, least_verdicts=4)
    assert active(desk, Flag.NOUS_ACTIVE)
    found = desk.owner(
        "SELECT kind, detector, evidence -> 'artifacts', recorded_at IS NOT NULL FROM governance.incident"
    )
    assert found == [("gibberish", "governance:rejection_rate", rejected, True)]


def test_g086_a_source_that_injects_three_times_pauses_nous(desk: Desk) -> None:
    for _ in range(3):
        reject_one(desk, Cause.INJECTION, source_domain="evil.example")
    reject_one(desk, Cause.INJECTION, source_domain="other.example")
    cycle(desk)
    assert not active(desk, Flag.NOUS_ACTIVE)
    told = desk.owner(
        "SELECT kind, severity, evidence ->> 'source_domain' FROM governance.incident ORDER BY incident_id"
    )
    assert told == [("injection", "high", "evil.example"), *[("injection", "medium", None)] * 4]


def test_g058_and_g087_a_deep_queue_slows_nous_until_it_has_drained_for_three_cycles(desk: Desk) -> None:
    waiting = [desk.candidate() for _ in range(5)]
    cycle(desk, queue_threshold=4)
    assert active(desk, Flag.NOUS_RATE_LIMIT)
    assert incidents(desk) == [("queue_backup", "high", "governance")]
    with desk.as_writer(Writer.PLUTUS) as connection:
        open_session(connection, SESSION, "rules 1")
        for artifact in waiting:
            reject(connection, artifact, SESSION, Cause.SANITY, "no", "no")
    for number in range(2):
        with desk.as_writer(Writer.PLUTUS) as connection:
            add_metric(connection, "plutus_queue_depth", 0, {}, key=f"the review measures too {number}")
        cycle(desk, queue_threshold=4)
        assert active(desk, Flag.NOUS_RATE_LIMIT)
    cycle(desk, queue_threshold=4)
    assert not active(desk, Flag.NOUS_RATE_LIMIT)
    assert len(incidents(desk)) == 1
    depths = desk.owner(
        "SELECT value FROM governance.metric WHERE name = 'plutus_queue_depth' "
        "AND written_by = 'governance' ORDER BY metric_id"
    )
    assert [depth for (depth,) in depths] == [5, 0, 0, 0]


def test_g081_the_watchdog_cancels_the_run_of_an_endless_trace(desk: Desk) -> None:
    queue_id = claimed_trace(desk)
    assert cycle(desk).is_quiet
    for _ in range(2):
        cycle(desk, run_seconds=0)
    assert desk.owner("SELECT status FROM nous.run_queue") == [("cancelled",)]
    assert desk.owner("SELECT kind, evidence -> 'queue_id' FROM governance.incident") == [("loop", queue_id)]
    assert desk.owner("SELECT queue_id, written_by FROM nous.cancellation") == [(queue_id, "governance")]


def test_a_trace_whose_run_ended_in_the_meantime_is_told_without_a_cancellation(desk: Desk) -> None:
    queue_id = claimed_trace(desk)
    with desk.as_writer(Writer.NOUS) as connection:
        connection.execute("SELECT nous.finish_run(%s, true, 'done', 3)", (queue_id,))
    cycle(desk, run_seconds=0)
    assert [kind for kind, *_ in incidents(desk)] == ["loop"]
    assert desk.owner("SELECT status FROM nous.run_queue") == [("done",)]


def test_g088_a_trace_that_another_model_answered_is_told_once(desk: Desk) -> None:
    desk.trace("drifted")
    for _ in range(2):
        cycle(desk)
    assert [kind for kind, *_ in incidents(desk)] == ["model_drift"]


@pytest.mark.parametrize("outcome", ["over_budget", "timed_out"])
def test_g073_a_trace_that_ended_over_its_bounds_is_told_once(desk: Desk, outcome: str) -> None:
    desk.trace(outcome)
    for _ in range(2):
        cycle(desk)
    assert [kind for kind, *_ in incidents(desk)] == ["loop"]


def test_g086_what_fails_the_scrub_counts_whatever_the_verdicts_cause_is(desk: Desk) -> None:
    for _ in range(3):
        artifact = desk.candidate(source_domain="evil.example")
        desk.checked(artifact, (CheckName.INJECTION,))
        with desk.as_writer(Writer.PLUTUS) as connection:
            reject(connection, artifact, SESSION, Cause.SANITY, "no", "no")
    cycle(desk)
    assert not active(desk, Flag.NOUS_ACTIVE)


@pytest.mark.parametrize(
    ("cause", "kind"),
    [(Cause.RISK, IncidentKind.RISK_BREACH), (Cause.MODEL_DRIFT, IncidentKind.MODEL_DRIFT), (Cause.SANITY, None)],
)
def test_g083_and_g089_a_refusal_that_tells_is_an_incident_once_whoever_writes_it(
    desk: Desk, cause: Cause, kind: IncidentKind | None
) -> None:
    first, second = reject_one(desk, cause), reject_one(desk, cause)
    if kind:
        with desk.as_writer(Writer.PLUTUS) as connection:
            add_incident(
                connection,
                kind,
                Severity.HIGH,
                detector="plutus:review",
                detail="over the limit",
                evidence={},
                key=about_artifact(kind, first),
            )
    for _ in range(2):
        cycle(desk)
    told = desk.owner("SELECT kind, detector, evidence FROM governance.incident ORDER BY incident_id")
    expected = [(kind, "plutus:review", {}), (kind, "governance:verdicts", {"artifact_id": second})] if kind else []
    assert told == expected


def test_silence_of_the_review_is_told(desk: Desk) -> None:
    desk.candidate()
    cycle(desk, silence_seconds=0)
    assert desk.owner("SELECT kind, detector FROM governance.incident") == [("silence", "governance:silence:plutus")]


def test_g098_latencies_are_kept_as_measures(desk: Desk) -> None:
    approve_one(desk)
    killing.kill(desk.settings, desk.database, Writer.NOUS, reason="r", requested_by="w")
    killing.revive(desk.settings, desk.database, Writer.NOUS, reason="r", requested_by="w")
    cycle(desk)
    kept = {name for (name,) in desk.owner("SELECT name FROM governance.metric")}
    assert {"signal_p95_seconds", "review_p95_seconds", "kill_p95_milliseconds"} <= kept


def test_a_measure_that_stands_still_is_written_once_and_the_depth_each_time(desk: Desk) -> None:
    for _ in range(3):
        cycle(desk)
    counts = dict(desk.owner("SELECT name, count(*) FROM governance.metric GROUP BY 1"))
    assert counts["plutus_queue_depth"] == 3
    assert counts["open_traces"] == 1


def test_the_policy_in_force_is_kept_under_its_hash(desk: Desk) -> None:
    first = cycle(desk)
    cycle(desk)
    second = cycle(desk, most_rejections=5)
    kept = desk.owner("SELECT policy_sha256, policy -> 'governance' -> 'most_rejections' FROM governance.policy")
    assert sorted(kept) == sorted([(first.policy_sha256, 20), (second.policy_sha256, 5)])


def test_a_kill_and_an_operators_pause_are_told_once(desk: Desk) -> None:
    pausing.pause(desk.settings, desk.database, Writer.PLUTUS, reason="look", requested_by="human:anna")
    killing.kill(desk.settings, desk.database, Writer.NOUS, reason="r", requested_by="w")
    for _ in range(2):
        cycle(desk)
    assert sorted(kind for kind, *_ in incidents(desk)) == ["killed", "paused"]


def test_a_chain_that_was_altered_pauses_the_writers(desk: Desk) -> None:
    desk.trace()
    with desk.as_writer(Writer.GOVERNANCE) as connection:
        connection.execute("SELECT audit.seal_entries(1000)")
    cycle(desk)
    assert active(desk, Flag.NOUS_ACTIVE)
    desk.owner(
        "SET LOCAL session_replication_role = replica; UPDATE audit.entry SET detail = '{}' WHERE entry_id = "
        "(SELECT max(entry_id) FROM audit.seal)"
    )
    cycle(desk)
    assert [active(desk, flag) for flag in (Flag.INGESTION_ACTIVE, Flag.NOUS_ACTIVE, Flag.MASTRA_ACTIVE)] == [
        False,
        False,
        True,
    ]
    assert ("audit_chain_broken", "high", "governance") in incidents(desk)


def test_a_chain_whose_end_was_cut_off_is_noticed_by_the_head_of_an_earlier_cycle(desk: Desk) -> None:
    desk.trace()
    with desk.as_writer(Writer.GOVERNANCE) as connection:
        connection.execute("SELECT audit.seal_entries(1000)")
    cycle(desk)
    desk.owner(
        "SET LOCAL session_replication_role = replica; "
        "DELETE FROM audit.seal WHERE seq > (SELECT max(seq) - 2 FROM audit.seal)"
    )
    cycle(desk)
    assert ("audit_chain_broken", "high", "governance") in incidents(desk)


def broken_policy() -> Policy:
    raise SettingError("policy.yaml: governance.most_rejections: not a number")


def guarded(desk: Desk, load: Callable[[], Policy] = Policy, governance: Callable[[], Database] | None = None) -> Cycle:
    return guarded_cycle(
        governance or (lambda: connect("governance", desk.settings)), load, desk.database, desk.settings.spool_path
    )


def test_a_daemon_that_cannot_judge_pauses_the_writers(desk: Desk) -> None:
    with pytest.raises(GovernanceError, match=r"cannot judge: SettingError.*paused: ingestion, nous, plutus"):
        guarded(desk, broken_policy)
    for writer in (Writer.NOUS, Writer.PLUTUS, Writer.INGESTION):
        assert not active(desk, Flag(f"{writer.value}_active"))
    assert active(desk, Flag.MASTRA_ACTIVE), "somebody has to tell the operator"
    with pytest.raises(GovernanceError, match="paused already"):
        guarded(desk, broken_policy)
    assert ("daemon_failure", "high", "governance") in incidents(desk)


def test_a_daemon_that_fails_in_the_middle_leaves_nothing_half_done_and_pauses(desk: Desk) -> None:
    desk.owner("ALTER TABLE nous.open_trace RENAME TO hidden")
    with pytest.raises(GovernanceError, match="UndefinedTable"):
        guarded(desk)
    assert not active(desk, Flag.NOUS_ACTIVE)
    assert [kind for kind, *_ in incidents(desk)] == ["daemon_failure"]


def test_a_governance_that_may_not_log_in_has_the_owner_pause(desk: Desk) -> None:
    killing.kill(desk.settings, desk.database, Writer.GOVERNANCE, reason="r", requested_by="w")
    with pytest.raises(GovernanceError):
        guarded(desk)
    assert not active(desk, Flag.NOUS_ACTIVE)


def test_with_the_database_away_the_cycle_says_so(tmp_path: Path) -> None:
    away = Database("postgresql://nobody@127.0.0.1:1/none", patience=0.2)
    with pytest.raises(psycopg.OperationalError):
        guarded_cycle(lambda: away, Policy, away, tmp_path)


def test_a_database_that_was_away_for_a_moment_is_no_reason_to_pause(desk: Desk) -> None:
    class Comes(Database):
        """Is refused until it is closed and opened anew, as a pool is that waits after a restart of the server."""

        def close(self) -> None:
            super().close()
            self.url = connect("governance", desk.settings).url

    pool = Comes("postgresql://nobody@127.0.0.1:1/none", patience=0.2)
    assert guarded(desk, Policy, lambda: pool).is_quiet
    pool.close()
    assert active(desk, Flag.NOUS_ACTIVE)
