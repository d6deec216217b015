from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from viska_assets.hermes.vaults import SyncedVault, sync_vaults
from viska_assets.ingest.readers import ReadingPlan
from viska_assets.retrieval.analyser import terms_of
from viska_assets.retrieval.search import hybrid_search
from viska_assets.store.database import Connection
from viska_assets.store.documents import documents_of_no_issuer, documents_with_status
from viska_assets.store.home import Home
from viska_assets.store.namespaces import (
    NamespaceError,
    enter_scope,
    namespaces,
    open_scope,
    record_hits,
    row_security_holds,
)
from viska_assets.store.search import SearchScope

NOTE = "---\nauthor: Memory Claw\ndate: 2026-03-01\n---\n# Sleep\n\nResting pulse was 61 on average in February.\n"


@pytest.fixture
def desk(home: Home, tmp_path: Path) -> Iterator[Home]:
    for vault, text in (("strategic", "# Plan\n\nBuy the zanzibar terminal."), ("health", NOTE), ("wisdom", NOTE)):
        (tmp_path / "vaults" / vault).mkdir(parents=True)
        (tmp_path / "vaults" / vault / "note.md").write_text(text)
    sync(home, tmp_path)
    yield home
    home.close()


def sync(home: Home, tmp_path: Path) -> dict[str, SyncedVault]:
    done = sync_vaults(home.database, home.blobs, tmp_path / "vaults", ReadingPlan("minilm-int8"), terms_of)
    return {vault.namespace: vault for vault in done}


def found(connection: Connection, words: str, namespace: str) -> list[str]:
    result = hybrid_search(connection, None, words, SearchScope(namespace=namespace))
    return [passage.text for passage in result.passages]


def test_a_second_sync_writes_nothing_and_a_changed_note_takes_the_place_of_the_old(desk: Home, tmp_path: Path) -> None:
    again = sync(desk, tmp_path)
    assert {(v.filed, v.withdrawn, v.unchanged) for v in again.values()} == {(0, 0, 1)}
    (tmp_path / "vaults" / "strategic" / "note.md").write_text("# Plan\n\nSell the zanzibar terminal.")
    changed = sync(desk, tmp_path)["strategic"]
    assert (changed.filed, changed.withdrawn, changed.unchanged) == (1, 1, 0)
    with desk.database.transaction() as connection:
        (text,) = found(connection, "zanzibar", "strategic")
        kept = connection.execute("SELECT count(*) FROM raw.document WHERE namespace = 'strategic'").fetchone()
    assert "Sell" in text
    assert kept == (2,)


def test_a_note_that_is_taken_back_is_found_again_and_one_that_is_gone_is_not(desk: Home, tmp_path: Path) -> None:
    note = tmp_path / "vaults" / "strategic" / "note.md"
    text = note.read_text()
    note.unlink()
    assert sync(desk, tmp_path)["strategic"].withdrawn == 1
    with desk.database.transaction() as connection:
        assert found(connection, "zanzibar", "strategic") == []
    note.write_text(text)
    assert sync(desk, tmp_path)["strategic"].filed == 1
    with desk.database.transaction() as connection:
        assert len(found(connection, "zanzibar", "strategic")) == 1


def test_notes_are_never_drafted_from_and_say_who_wrote_them_and_when(desk: Home) -> None:
    with desk.database.transaction() as connection:
        assert documents_with_status(connection, "received") == documents_with_status(connection, "ingested") == []
        assert documents_of_no_issuer(connection) == []
        row = connection.execute(
            "SELECT asserter, known_at::date::text FROM raw.document WHERE namespace = 'health'"
        ).fetchone()
    assert row == ("Memory Claw", "2026-03-01")


def test_an_unreadable_note_is_named_and_the_rest_goes_on(desk: Home, tmp_path: Path) -> None:
    (tmp_path / "vaults" / "strategic" / "bad.md").write_bytes(b"MZ\x00\x00")
    (tmp_path / "vaults" / "strategic" / "good.md").write_text("# More\n\nThe quokka fund is closed.")
    (tmp_path / "vaults" / "strategic" / "out.md").symlink_to(tmp_path / "vaults" / "health" / "note.md")
    done = sync(desk, tmp_path)["strategic"]
    assert done.filed == 1
    assert sorted(problem.split(":")[0] for problem in done.problems) == ["bad.md", "out.md"]
    with desk.database.transaction() as connection:
        assert found(connection, "pulse", "strategic") == []


def test_a_folder_of_no_known_namespace_is_private(desk: Home, tmp_path: Path) -> None:
    (tmp_path / "vaults" / "diary").mkdir()
    sync(desk, tmp_path)
    with desk.database.transaction() as connection:
        kinds = {namespace.name: namespace.private for namespace in namespaces(connection)}
    assert kinds["diary"] is True


@pytest.mark.parametrize("name", ["Health", "default", "a b", "ünder"])
def test_a_folder_whose_name_is_no_namespace_is_refused(desk: Home, tmp_path: Path, name: str) -> None:
    (tmp_path / "vaults" / name).mkdir()
    with pytest.raises(ValueError, match="small letters"):
        sync(desk, tmp_path)


class TestReader:
    def test_a_reader_sees_public_notes_and_of_private_ones_nothing_not_even_a_count(self, desk: Home) -> None:
        with desk.reading.transaction() as connection:
            assert row_security_holds(connection)
            assert len(found(connection, "zanzibar", "strategic")) == 1
            assert len(found(connection, "pulse", "wisdom")) == 1
            assert found(connection, "pulse", "health") == []
            for table in (
                "raw.document",
                "retrieval.chunk",
                "retrieval.segment",
                "retrieval.term",
                "retrieval.corpus",
                "retrieval.document_frequency",
            ):
                row = connection.execute(f"SELECT count(*) FROM {table} WHERE namespace = 'health'").fetchone()
                assert row == (0,)
            seen = connection.execute("SELECT count(*) FROM raw.delivery").fetchone()
            texts = connection.execute("SELECT count(*) FROM retrieval.document_text").fetchone()
        assert seen == texts == (2,)

    def test_a_logged_scope_opens_what_it_names_for_one_transaction(self, desk: Home) -> None:
        scope = open_scope(
            desk.reading, caller="sage", wanted=["health"], reason="check-up", query="pulse", allowed=["health"]
        )
        with desk.reading.transaction() as connection:
            enter_scope(connection, scope)
            assert len(found(connection, "pulse", "health")) == 1
        with desk.reading.transaction() as connection:
            assert found(connection, "pulse", "health") == []
        record_hits(desk.reading, scope, ["chunk:1"])
        with desk.database.transaction() as connection:
            logged = connection.execute("SELECT caller, namespaces, reason FROM privacy.scope").fetchall()
            notices = connection.execute("SELECT kind, payload ->> 'caller' FROM privacy.notice").fetchall()
            hits = connection.execute("SELECT hits FROM privacy.scope_result").fetchall()
        assert logged == [("sage", ["health"], "check-up")]
        assert notices == [("private_scope", "sage")]
        assert hits == [(["chunk:1"],)]

    def test_a_scope_whose_log_is_not_committed_opens_nothing(self, desk: Home) -> None:
        with desk.reading.transaction() as connection:
            connection.execute(
                """
                INSERT INTO privacy.scope (caller, namespaces, reason, query_sha256) VALUES ('x', '{health}', 'y', %s)
                """,
                ("0" * 64,),
            )
            token = connection.execute("SELECT privacy.own_scope()").fetchone()[0]
            connection.execute("SELECT set_config('viska.scope', %s, true)", (str(token),))
            assert found(connection, "pulse", "health") == []
            connection.rollback()

    @pytest.mark.parametrize("token", ["", "*", "health", "00000000-0000-0000-0000-000000000000", "' OR true --"])
    def test_a_guessed_token_opens_nothing(self, desk: Home, token: str) -> None:
        with desk.reading.transaction() as connection:
            connection.execute("SELECT set_config('viska.scope', %s, true)", (token,))
            assert found(connection, "pulse", "health") == []

    @pytest.mark.parametrize(
        "wanted",
        [
            [],
            ["*"],
            ["all"],
            ["Health"],
            ["health "],
            ["health/"],
            ["./health"],
            ["hеalth"],
            [""],
            ["health", "business"],
        ],
    )
    def test_only_an_exact_granted_name_opens(self, desk: Home, wanted: list[str]) -> None:
        with pytest.raises(NamespaceError) as refusal:
            open_scope(desk.reading, caller="x", wanted=wanted, reason="y", query="q", allowed=["health"])
        assert "business" not in str(refusal.value)

    @pytest.mark.parametrize(("caller", "reason"), [("", "y"), ("x", ""), ("  ", "y")])
    def test_a_scope_without_caller_or_reason_is_refused(self, desk: Home, caller: str, reason: str) -> None:
        with pytest.raises(NamespaceError, match="caller and a reason"):
            open_scope(desk.reading, caller=caller, wanted=["health"], reason=reason, query="q", allowed=["health"])

    def test_where_the_log_cannot_be_written_nothing_opens(self, desk: Home) -> None:
        with desk.database.transaction() as connection:
            connection.execute("REVOKE INSERT ON privacy.scope FROM viska_reader")
            connection.execute("ALTER TABLE privacy.scope DROP COLUMN reason CASCADE")
        with pytest.raises(psycopg.Error):
            open_scope(desk.reading, caller="x", wanted=["health"], reason="y", query="q", allowed=["health"])

    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE raw.document SET name = 'x'",
            "DELETE FROM retrieval.chunk",
            "INSERT INTO raw.delivery (document_id, feed, path) SELECT document_id, 'x', 'y' FROM raw.document",
            "TRUNCATE raw.delivery",
            "SELECT * FROM privacy.scope",
            "UPDATE privacy.notice SET key = 'x'",
            "DELETE FROM privacy.notice",
            "UPDATE privacy.namespace SET private = false",
            "CREATE TABLE raw.mine (x int)",
            "ALTER TABLE retrieval.chunk DISABLE ROW LEVEL SECURITY",
            "SELECT privacy.protect_embeddings('embedding_1')",
        ],
    )
    def test_a_reader_changes_nothing(self, desk: Home, statement: str) -> None:
        with pytest.raises(psycopg.errors.InsufficientPrivilege), desk.reading.transaction() as connection:
            connection.execute(statement)

    def test_the_log_is_only_added_to_even_by_its_owner(self, desk: Home) -> None:
        open_scope(desk.reading, caller="x", wanted=["health"], reason="y", query="q", allowed=["health"])
        for statement in (
            "DELETE FROM privacy.scope",
            "UPDATE privacy.notice SET key = 'x'",
            "TRUNCATE privacy.scope CASCADE",
        ):
            with pytest.raises(psycopg.Error, match="only ever added"), desk.database.transaction() as connection:
                connection.execute(statement)
