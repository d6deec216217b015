"""G001-G020, G095, G096: who may do what, proved by attacks made from the catalogue; and that the proof can fail."""

import pytest

from tests.supervise.desk import MOMENT, Desk, insert, one, signal
from viska_assets.store.supervised.catalogue import relations
from viska_assets.store.supervised.matrix import FUNCTIONS, TABLES, Action, Writer, allowed, is_given
from viska_assets.store.supervised.roles import apply_roles
from viska_assets.supervise import connect
from viska_assets.supervise.proving import prove_roles

pytestmark = pytest.mark.database
ADD = frozenset({Action.SELECT, Action.INSERT})
LOOP = ("signals", "strategies", "review", "backtests", "reports", "governance", "nous", "slack", "audit")


def test_g018_every_writer_on_every_table_is_as_the_matrix_says(desk: Desk) -> None:
    proof = prove_roles(desk.settings, desk.database)
    assert proof.holds, [(o.attack.writer, o.attack.kind, o.attack.target, o.said) for o in proof.surprises][:20]
    tried = {(o.attack.writer, o.attack.target.partition(".")[0]) for o in proof.outcomes}
    assert {(writer, schema) for writer in Writer for schema in ("raw", "retrieval", "registry", *LOOP)} <= tried
    with desk.database.transaction() as connection:
        tables = [relation for relation in relations(connection) if relation.is_table]
    for writer in Writer:
        emptied = {o.attack.target for o in proof.outcomes if o.attack.writer is writer and o.attack.kind == "truncate"}
        assert {table.name for table in tables} <= emptied


@pytest.mark.parametrize(
    ("grant", "kind"),
    [
        ("GRANT UPDATE ON signals.candidate TO {nous}", "update"),
        ("GRANT INSERT ON signals.approved TO {nous}", "insert"),
        ("GRANT INSERT (written_by) ON signals.candidate TO {nous}", "insert"),
        ("GRANT USAGE ON SCHEMA raw TO {nous}; GRANT SELECT ON raw.document TO {nous}", "select"),
        ("GRANT {plutus} TO {nous}", "set role"),
        ("GRANT EXECUTE ON FUNCTION governance.set_flag(text, boolean, text, text) TO {nous}", "call"),
        ("GRANT TEMP ON DATABASE {database} TO PUBLIC", "create temporary table"),
        ("GRANT CREATE ON SCHEMA signals TO {nous}", "create table"),
        ("ALTER ROLE {nous} CREATEROLE", "create role"),
        ("GRANT SET ON PARAMETER session_replication_role TO {nous}", "skip triggers"),
        ("GRANT UPDATE ON SEQUENCE review.artifact_id TO {nous}", "setval"),
        ("REVOKE SELECT ON signals.candidate FROM {plutus}", "select"),
    ],
)
def test_the_proof_finds_what_is_planted_and_apply_mends_it(desk: Desk, grant: str, kind: str) -> None:
    roles = {writer.value: role for writer, role in apply_roles(desk.settings, desk.database).roles.items()}
    desk.owner(grant.format(database=desk.database.url.rpartition("/")[2], **roles))
    proof = prove_roles(desk.settings, desk.database, (Writer.NOUS, Writer.PLUTUS))
    assert kind in {outcome.attack.kind for outcome in proof.surprises}
    if "ROLE" in grant or "PARAMETER" in grant or grant.startswith("GRANT {plutus}"):
        desk.owner(f"REVOKE {roles['plutus']} FROM {roles['nous']}; ALTER ROLE {roles['nous']} NOCREATEROLE")
        desk.owner(f"REVOKE SET ON PARAMETER session_replication_role FROM {roles['nous']}")
        return
    apply_roles(desk.settings, desk.database)
    assert prove_roles(desk.settings, desk.database, (Writer.NOUS, Writer.PLUTUS)).holds


@pytest.mark.parametrize(
    ("code", "table", "writers"),
    [
        ("G001", "raw.document", {Writer.INGESTION}),
        ("G002", "signals.candidate", {Writer.NOUS}),
        ("G003", "signals.approved", {Writer.PLUTUS}),
        ("G004", "signals.rejected", {Writer.PLUTUS}),
        ("G005", "strategies.draft", {Writer.NOUS}),
        ("G006", "strategies.approved", {Writer.PLUTUS}),
        ("G007", "strategies.rejected", {Writer.PLUTUS}),
        ("G008", "backtests.requested", {Writer.NOUS}),
        ("G009", "backtests.result", {Writer.PLUTUS}),
        ("G010", "reports.report", {Writer.PLUTUS}),
        ("G011", "governance.flags_log", set()),
        ("G012", "governance.incident", {Writer.PLUTUS, Writer.GOVERNANCE}),
        ("G013", "governance.metric", {Writer.PLUTUS, Writer.GOVERNANCE}),
        ("G014", "nous.run_queue", {Writer.PLUTUS, Writer.MASTRA}),
        ("G015", "nous.trace", {Writer.NOUS}),
        ("G016", "audit.entry", set()),
        ("G017", "slack.thread", {Writer.MASTRA}),
    ],
)
def test_g001_to_g017_who_may_add_rows(code: str, table: str, writers: set[Writer]) -> None:
    assert {writer for writer in Writer if Action.INSERT in allowed(writer, table)} == writers, code


def test_g001_and_g090_nous_reads_cleaned_text_only_and_mastra_nothing_raw(desk: Desk) -> None:
    for schema in ("raw", "retrieval", "registry", "gate"):
        for writer in (Writer.NOUS, Writer.MASTRA):
            assert not [name for name in TABLES[writer] if name.startswith(f"{schema}.")]
    with desk.database.transaction() as connection:
        views = {r.name: {name for name, _ in r.columns} for r in relations(connection) if r.schema == "nous"}
    for name in ("nous.document", "nous.chunk", "nous.evidence"):
        assert not {"bytes", "html", "path", "error", "cover", "body_html"} & views[name]
    document = desk.document()
    text = (document, "Sales fell 3%.", "0" * 64)
    desk.owner("INSERT INTO retrieval.document_text VALUES (%s, %s, %s, '[]')", text)
    with desk.as_writer(Writer.NOUS) as connection:
        assert connection.execute("SELECT text FROM nous.document").fetchall() == []
    desk.owner("UPDATE raw.document SET status = 'ingested'")
    with desk.as_writer(Writer.NOUS) as connection:
        assert connection.execute("SELECT text FROM nous.document").fetchall() == [(text[1],)]
    for hidden in ("withdrawn = true", "withdrawn = false, status = 'vault', namespace = 'health'"):
        desk.owner(f"UPDATE raw.document SET {hidden}")
        with desk.as_writer(Writer.NOUS) as connection:
            assert connection.execute("SELECT text FROM nous.document").fetchall() == []


def test_g002_citations_are_stored_for_the_review(desk: Desk) -> None:
    artifact = desk.candidate()
    with desk.as_writer(Writer.PLUTUS) as connection:
        row = connection.execute("SELECT artifact_id, citations FROM signals.candidate").fetchone()
    assert row == (artifact.artifact_id, [{"chunk_id": "c1", "locator": {"start": 3, "end": 9}}])
    for bad in ('[{"chunk_id": 7, "locator": {}}]', '[{"chunk_id": "c"}]', '{"chunk_id": "c", "locator": {}}'):
        with pytest.raises(Exception, match="check constraint"):
            desk.candidate(citations=bad)


def test_g004_a_rejection_needs_a_reason(desk: Desk) -> None:
    artifact = desk.candidate()
    desk.checked(artifact)
    statement = (
        "INSERT INTO signals.rejected (artifact_id, content_sha256, cause, reason, review_session_id, verdict_excerpt) "
        "VALUES (%s, %s, %s, %s, 'review-1', 'x')"
    )
    values = (artifact.artifact_id, artifact.content_sha256)
    assert desk.refused(Writer.PLUTUS, statement, (*values, "sanity", "")) == "23514"
    assert desk.refused(Writer.PLUTUS, statement, (*values, "sanity", None)) == "23502"
    assert desk.refused(Writer.PLUTUS, statement, (*values, "a whim", "no")) == "23514"


@pytest.mark.parametrize(
    ("given", "value"), [("written_by", "plutus"), ("recorded_at", MOMENT), ("artifact_id", 1), ("content_sha256", "1")]
)
def test_g019_a_caller_cannot_give_what_the_database_sets(desk: Desk, given: str, value: object) -> None:
    assert not is_given("signals.candidate", given)
    row = signal("x") | {given: value}
    columns, marks = ", ".join(row), ", ".join(["%s"] * len(row))
    statement = f"INSERT INTO signals.candidate ({columns}) VALUES ({marks})"
    assert desk.refused(Writer.NOUS, statement, tuple(row.values())) == "42501"


def test_g019_the_writer_is_that_of_the_login_even_under_another_role(desk: Desk) -> None:
    roles = apply_roles(desk.settings, desk.database).roles
    desk.owner(f"GRANT {roles[Writer.PLUTUS]} TO {roles[Writer.NOUS]}")
    with desk.as_writer(Writer.NOUS) as connection:
        connection.execute(f"SET ROLE {roles[Writer.PLUTUS]}")  # type: ignore[arg-type]
        connection.execute("INSERT INTO review.session (review_session_id, reviewer) VALUES ('s', 'plutus')")
    assert desk.owner("SELECT written_by FROM review.session") == [("nous",)]
    assert desk.owner("SELECT actor FROM audit.entry WHERE object = 'review.session:s'") == [("nous",)]
    desk.owner(f"REVOKE {roles[Writer.PLUTUS]} FROM {roles[Writer.NOUS]}")


def test_g019_the_owner_is_no_writer(desk: Desk) -> None:
    with pytest.raises(Exception, match="is no writer"):
        desk.owner("INSERT INTO nous.trace (engine, token_budget) VALUES ('e', 1)")


def test_g020_mastra_sees_approved_rows_alone(desk: Desk) -> None:
    desk.candidate("a candidate")
    artifact = desk.approved("an approved one")
    with desk.as_writer(Writer.MASTRA) as connection:
        assert connection.execute("SELECT artifact_id, headline, written_by FROM signals.approved").fetchall() == [
            (artifact.artifact_id, "an approved one", "plutus")
        ]
    for table in ("signals.candidate", "signals.rejected", "strategies.draft", "review.pending", "review.verdict"):
        assert desk.refused(Writer.MASTRA, f"SELECT 1 FROM {table}") == "42501"


@pytest.mark.parametrize("verb", ["UPDATE {t} SET {c} = NULL", "DELETE FROM {t}", "TRUNCATE {t} CASCADE"])
def test_rows_are_only_added_even_by_the_owner(desk: Desk, verb: str) -> None:
    desk.approved()
    desk.owner("SELECT audit.seal_entries(10)")
    for table, column in (
        ("signals.candidate", "headline"),
        ("signals.approved", "headline"),
        ("review.verdict", "reason"),
        ("audit.entry", "actor"),
        ("audit.seal", "hash"),
        ("governance.flags_log", "reason"),
    ):
        with pytest.raises(Exception, match="only ever added") as caught:
            desk.owner(verb.format(t=table, c=column))
        assert caught.value.sqlstate == "VK004"  # type: ignore[attr-defined]


def test_g095_each_writer_has_an_address_of_its_own(desk: Desk) -> None:
    users = {writer: connect(writer, desk.settings).url.split("//")[1].split(":")[0] for writer in Writer}
    assert len(set(users.values())) == len(Writer)
    for writer, user in users.items():
        with connect(writer, desk.settings).transaction() as connection:
            assert one(connection, "SELECT session_user::text") == user
    assert connect("nous", desk.settings) is connect(Writer.NOUS, desk.settings)


def test_g095_no_dagster_resource_holds_two_writers() -> None:
    from resources.writers import writer_resources

    found = writer_resources()
    assert sorted(found) == ["pg_governance", "pg_ingestion", "pg_mastra", "pg_nous", "pg_plutus"]
    assert {name: resource.writer for name, resource in found.items()} == {name: name[3:] for name in found}


def test_g096_hades_disables_writers_and_touches_no_data(desk: Desk) -> None:
    assert TABLES[Writer.HADES] == {}
    assert {name for name, writers in FUNCTIONS.items() if Writer.HADES in writers} == {
        "governance.disable_writer",
        "governance.enable_writer",
        "governance.end_sessions",
        "audit.write_kill",
    }
    for name in ("postgres", "hades", "viska", None):
        assert desk.refused(Writer.HADES, "SELECT governance.disable_writer(%s, 'r', 'w')", (name,)) == "42501"
    role = desk.owner("SELECT rolcreaterole, rolsuper FROM pg_roles WHERE rolname LIKE '%%_hades'", ())
    assert set(role) == {(False, False)}


def test_a_writer_at_its_work_needs_no_more_than_its_grants(desk: Desk) -> None:
    document = desk.document("b.txt")
    with desk.as_writer(Writer.INGESTION) as connection:
        connection.execute("INSERT INTO raw.flagged_document (document_id, reason) VALUES (%s, 'news')", (document,))
    artifact = desk.draft()
    with desk.as_writer(Writer.NOUS) as connection:
        insert(
            connection,
            "backtests.requested",
            {"artifact_id": artifact.artifact_id, "family": "f", "spec": "{}"},
            "request_id",
        )
    desk.checked(artifact)
    with desk.as_writer(Writer.MASTRA) as connection:
        insert(
            connection,
            "slack.outbox",
            {"message_key": "k", "channel": "c", "severity": "low", "body": "b"},
            "outbox_id",
        )
    with desk.as_writer(Writer.GOVERNANCE) as connection:
        connection.execute("INSERT INTO governance.metric (name, value) VALUES ('plutus_queue_depth', 3)")
