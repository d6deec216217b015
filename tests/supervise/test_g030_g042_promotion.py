"""G030-G042: one verdict an artifact, on the content that was reviewed, with who, where and why."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from tests.supervise.desk import SESSION, Desk
from viska_assets.store.supervised.content import unbound
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.verdicts import (
    Cause,
    CheckName,
    Pending,
    approve,
    expire,
    open_session,
    pending,
    reject,
    say,
    transcript,
)

pytestmark = pytest.mark.database
APPROVE = (
    "INSERT INTO signals.approved (artifact_id, content_sha256, review_session_id, verdict_excerpt) "
    "VALUES (%s, %s, %s, %s)"
)


def ready(desk: Desk) -> Pending:
    artifact = desk.candidate()
    desk.checked(artifact)
    return artifact


@pytest.mark.parametrize(("session", "excerpt"), [(SESSION, ""), (SESSION, None), (None, "x")])
def test_g030_a_promotion_says_in_which_session_and_on_what_words(
    desk: Desk, session: str | None, excerpt: str | None
) -> None:
    artifact = ready(desk)
    said = desk.refused(Writer.PLUTUS, APPROVE, (artifact.artifact_id, artifact.content_sha256, session, excerpt))
    assert said in ("23514", "23502", "VK003")
    assert desk.namespace_hash("signals.approved")[0] == 0


def test_g030_a_promotion_carries_reviewer_session_and_excerpt(desk: Desk) -> None:
    desk.approved()
    row = desk.owner("SELECT reviewed_by, review_session_id, verdict_excerpt, written_by FROM signals.approved")
    assert row == [("plutus", SESSION, "holds", "plutus")]


def test_g031_a_rejection_carries_cause_and_reason(desk: Desk) -> None:
    artifact = ready(desk)
    with desk.as_writer(Writer.PLUTUS) as connection:
        reject(connection, artifact, SESSION, Cause.RISK, "over the limit", "gross 3.1")
    assert desk.owner("SELECT outcome, cause, reason, reviewed_by FROM review.verdict") == [
        ("rejected", "risk", "over the limit", "plutus")
    ]


@pytest.mark.parametrize("first", ["approve", "reject", "expire"])
@pytest.mark.parametrize("second", ["approve", "reject", "expire"])
def test_g032_there_is_one_verdict_an_artifact(desk: Desk, first: str, second: str) -> None:
    artifact = ready(desk)

    def judge(verb: str) -> None:
        with desk.as_writer(Writer.PLUTUS) as connection:
            if verb == "approve":
                approve(connection, artifact, SESSION, "holds")
            elif verb == "reject":
                reject(connection, artifact, SESSION, Cause.SANITY, "no", "no")
            else:
                expire(connection, artifact, SESSION, "older than a day")

    judge(first)
    with pytest.raises(psycopg.errors.UniqueViolation):
        judge(second)
    assert len(desk.owner("SELECT 1 FROM review.verdict")) == 1


def test_g032_two_reviews_at_once_give_one_verdict(desk: Desk) -> None:
    artifact = ready(desk)

    def judge(at: int) -> bool:
        try:
            with desk.as_writer(Writer.PLUTUS) as connection:
                if at % 2:
                    approve(connection, artifact, SESSION, "holds")
                else:
                    reject(connection, artifact, SESSION, Cause.SANITY, "no", "no")
        except psycopg.errors.UniqueViolation:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(judge, range(12))) == 1
    rows = [desk.owner(f"SELECT count(*) FROM {t}")[0][0] for t in ("signals.approved", "signals.rejected")]
    assert sorted(rows) == [0, 1]


def test_g033_a_verdict_on_the_unknown_is_refused(desk: Desk) -> None:
    artifact = ready(desk)
    assert desk.refused(Writer.PLUTUS, APPROVE, (999, artifact.content_sha256, SESSION, "x")) == "23503"
    draft = desk.draft()
    desk.checked(draft)
    assert desk.refused(Writer.PLUTUS, APPROVE, (draft.artifact_id, draft.content_sha256, SESSION, "x")) == "23503"


def test_g034_an_approval_is_bound_to_the_content_that_was_reviewed(desk: Desk) -> None:
    artifact, other = ready(desk), desk.candidate("Something else")
    assert desk.refused(Writer.PLUTUS, APPROVE, (artifact.artifact_id, other.content_sha256, SESSION, "x")) == "23503"
    with desk.as_writer(Writer.PLUTUS) as connection:
        approve(connection, artifact, SESSION, "holds")
    with desk.as_writer(Writer.MASTRA) as connection:
        assert unbound(connection, "signals.approved") == []


def test_g034_changed_content_is_refused_even_of_a_superuser_and_found_by_a_reader(desk: Desk) -> None:
    artifact = desk.approved()
    change = "SET LOCAL session_replication_role = replica; UPDATE signals.approved SET headline = 'Sales rose'"
    with pytest.raises(psycopg.errors.CheckViolation):
        desk.owner(change)
    desk.owner(
        "ALTER TABLE signals.approved DROP CONSTRAINT "
        + desk.owner(
            "SELECT conname FROM pg_constraint WHERE conrelid = 'signals.approved'::regclass AND contype = 'c' "
            "AND pg_get_constraintdef(oid) LIKE '%%review.content_sha256%%'",
            (),
        )[0][0]
    )
    desk.owner(change)
    with desk.as_writer(Writer.MASTRA) as connection:
        assert unbound(connection, "signals.approved") == [artifact.artifact_id]


def test_g034_the_hash_is_reckoned_alike_here_and_in_the_database(desk: Desk) -> None:
    desk.candidate('Æ "quoted"\n\\ back', payload='{"b": 1.00, "a": ["é", null, 1e3], "": "\\u0007"}', confidence=0.5)
    desk.candidate("no trace", trace=0, horizon_days=30)
    desk.draft()
    with desk.as_writer(Writer.PLUTUS) as connection:
        assert unbound(connection, "signals.candidate") == []
        assert unbound(connection, "strategies.draft") == []
        assert len({artifact.content_sha256 for artifact in pending(connection)}) == 3


def test_g035_plutus_never_changes_what_nous_wrote(desk: Desk) -> None:
    desk.candidate()
    for table in ("signals.candidate", "strategies.draft", "nous.trace", "nous.trace_end", "backtests.requested"):
        assert desk.refused(Writer.PLUTUS, f"UPDATE {table} SET written_by = 'plutus'") == "42501"
        assert desk.refused(Writer.PLUTUS, f"DELETE FROM {table}") == "42501"


@pytest.mark.parametrize("outcome", [None, "over_budget", "timed_out", "drifted"])
def test_g036_without_a_completed_trace_nothing_is_approved(desk: Desk, outcome: str | None) -> None:
    artifact = desk.candidate(trace=desk.trace(outcome) if outcome else 0)
    desk.checked(artifact)
    values = (artifact.artifact_id, artifact.content_sha256, SESSION, "x")
    assert desk.refused(Writer.PLUTUS, APPROVE, values) == "VK003"
    with desk.as_writer(Writer.PLUTUS) as connection:
        reject(connection, artifact, SESSION, Cause.MISSING_TRACE, "there is no trace", "no trace")


@pytest.mark.parametrize("failing", list(CheckName))
def test_g037_an_approval_needs_the_four_checks_passed_in_its_session(desk: Desk, failing: CheckName) -> None:
    artifact = desk.candidate()
    desk.checked(artifact, (failing,))
    values = (artifact.artifact_id, artifact.content_sha256)
    assert desk.refused(Writer.PLUTUS, APPROVE, (*values, SESSION, "x")) == "VK003"
    with desk.as_writer(Writer.PLUTUS) as connection:
        open_session(connection, "another", "rules 1")
    assert desk.refused(Writer.PLUTUS, APPROVE, (*values, "another", "x")) == "VK003"
    assert len(desk.owner("SELECT 1 FROM review.check_result")) == 4


def test_c1_and_c2_what_is_not_judged_stays_pending_however_old(desk: Desk) -> None:
    first, second = desk.candidate("one"), desk.draft()
    with desk.as_writer(Writer.PLUTUS) as connection:
        assert [artifact.artifact_id for artifact in pending(connection)] == [first.artifact_id, second.artifact_id]
        open_session(connection, SESSION, "rules 1")
        expire(connection, second, SESSION, "older than a day")
        assert [artifact.artifact_id for artifact in pending(connection)] == [first.artifact_id]


def test_g040_the_days_verdicts_are_derivable_from_the_audit_alone(desk: Desk) -> None:
    desk.approved("one")
    artifact = desk.candidate("two")
    with desk.as_writer(Writer.PLUTUS) as connection:
        reject(connection, artifact, SESSION, Cause.INJECTION, "it gives orders", "ignore all")
    audit = desk.owner(
        "SELECT split_part(object, ':', 2)::bigint, detail ->> 'outcome', detail ->> 'cause', "
        "detail ->> 'reviewed_by', detail ->> 'verdict_excerpt', detail ->> 'content_sha256' FROM audit.entry "
        "WHERE starts_with(object, 'review.verdict:') ORDER BY 1"
    )
    assert audit == desk.owner(
        "SELECT artifact_id, outcome, cause, reviewed_by, verdict_excerpt, content_sha256 "
        "FROM review.verdict ORDER BY 1"
    )
    assert len(audit) == 2


def test_g041_rejections_are_counted_by_cause(desk: Desk) -> None:
    for at, cause in enumerate((Cause.RISK, Cause.RISK, Cause.INJECTION)):
        artifact = desk.candidate(f"candidate {at}")
        desk.checked(artifact)
        with desk.as_writer(Writer.PLUTUS) as connection:
            reject(connection, artifact, SESSION, cause, "r", "e")
    with desk.as_writer(Writer.GOVERNANCE) as connection:
        rows = connection.execute("SELECT cause, count(*) FROM review.verdict GROUP BY 1 ORDER BY 1").fetchall()
    assert rows == [("injection", 1), ("risk", 2)]


def test_g042_a_session_can_be_read_again(desk: Desk) -> None:
    artifact = ready(desk)
    with desk.as_writer(Writer.PLUTUS) as connection:
        say(connection, SESSION, "looked at the filing", artifact.artifact_id)
        say(connection, SESSION, "it holds")
    with desk.as_writer(Writer.PLUTUS) as connection:
        assert transcript(connection, SESSION) == ["looked at the filing", "it holds"]
