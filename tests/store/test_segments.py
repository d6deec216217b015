"""BM25 in segments against rank-bm25: whatever is written, removed and merged, in whatever order, by whomever."""

import os
import random
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable

import pytest

from tests.store.corpora import add, add_together, corpus, equals_oracle, oracle, random_texts, texts_by_chunk
from viska_assets.store import lexical, merging
from viska_assets.store.chunks import remove_chunks, write_chunks
from viska_assets.store.database import Connection, Database
from viska_assets.store.lexical import lexical_search
from viska_assets.store.merging import FAN_IN, compact
from viska_assets.store.scope import SearchScope
from viska_assets.store.statistics import statistics_drift

pytestmark = pytest.mark.database


def segments(connection: Connection) -> int:
    row = connection.execute("SELECT count(*) FROM retrieval.segment").fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize("seed", range(6))
def test_any_order_of_writing_removing_and_merging_keeps_the_oracles_scores(database: Database, seed: int) -> None:
    rng = random.Random(seed)
    standing: dict[int, list[str]] = {}
    for step in range(60):
        move = rng.random()
        if move < 0.6 or not standing:
            number = rng.randint(1, 40)
            standing[number] = random_texts(rng)
            with database.transaction() as connection:
                add(connection, number, standing[number])
        elif move < 0.9:
            number = rng.choice(list(standing))
            del standing[number]
            with database.transaction() as connection:
                remove_chunks(connection, f"{number:064x}")
        else:
            compact(database)
        if step % 6 == 5 and standing:
            with database.transaction() as connection:
                equals_oracle(connection, standing, rng, 4)
                assert statistics_drift(connection).problems == ()


def test_equal_scores_come_in_the_order_of_the_ids_across_segments(database: Database) -> None:
    for number in (3, 1, 2):
        with database.transaction() as connection:
            add(connection, number, ["w1 w2", "w3", "w1 w2"])
    with database.transaction() as connection:
        hits = lexical_search(connection, ["w1", "w2"], SearchScope(), 4)
        assert [hit.chunk_id for hit in hits] == ["1-0", "1-2", "2-0", "2-2"]
        assert len({hit.score for hit in hits}) == 1


def test_segments_stay_few_and_compaction_leaves_one(database: Database) -> None:
    for number, texts in corpus(5, 100).items():
        with database.transaction() as connection:
            add(connection, number, texts)
    with database.transaction() as connection:
        assert segments(connection) < 4 * FAN_IN
    assert compact(database) == 1
    with database.transaction() as connection:
        equals_oracle(connection, corpus(5, 100), random.Random(5), 20)
    assert compact(database) == 1


def test_what_was_removed_is_gone_from_the_postings_after_compaction(database: Database) -> None:
    documents = corpus(6, 30)
    with database.transaction() as connection:
        for number, texts in documents.items():
            add(connection, number, texts)
    compact(database)
    with database.transaction() as connection:
        for number in range(1, 6):
            remove_chunks(connection, f"{number:064x}")
            del documents[number]
    compact(database)
    with database.transaction() as connection:
        row = connection.execute(
            "SELECT (SELECT count(*) FROM retrieval.segment_document WHERE removed), sum(chunks) FROM retrieval.segment"
        ).fetchone()
        assert row == (0, len(texts_by_chunk(documents)))
        equals_oracle(connection, documents, random.Random(6), 10)


def test_a_namespace_without_chunks_has_no_segments(database: Database) -> None:
    with database.transaction() as connection:
        for number, texts in corpus(7, 3).items():
            add(connection, number, texts)
    compact(database)
    with database.transaction() as connection:
        for number in (1, 2, 3):
            remove_chunks(connection, f"{number:064x}")
        assert lexical_search(connection, ["w1"], SearchScope(), 10) == []
    assert compact(database) == 0


def test_a_scope_over_merged_segments_finds_its_own_documents_only(database: Database) -> None:
    with database.transaction() as connection:
        for number, texts in corpus(8, 30).items():
            add(connection, number, texts)
    compact(database)
    with database.transaction() as connection:
        scope = SearchScope(document_ids=(f"{4:064x}", f"{9:064x}"))
        everywhere = lexical_search(connection, ["w1", "the"], SearchScope(), 1_000)
        within = lexical_search(connection, ["w1", "the"], scope, 1_000)
        assert within == [hit for hit in everywhere if hit.chunk_id.split("-")[0] in ("4", "9")]
        assert within


def test_documents_written_together_are_one_segment_and_go_one_by_one(database: Database) -> None:
    documents = corpus(14, 30)
    with database.transaction() as connection:
        add_together(connection, documents)
        assert segments(connection) == 1
        equals_oracle(connection, documents, random.Random(14), 10)
        add_together(connection, {number: ["w1 w2", "w3"] for number in (4, 5, 31)})
        documents |= {number: ["w1 w2", "w3"] for number in (4, 5, 31)}
        remove_chunks(connection, f"{7:064x}")
        del documents[7]
        equals_oracle(connection, documents, random.Random(15), 10)
        assert statistics_drift(connection).problems == ()
        scope = SearchScope(document_ids=(f"{5:064x}",))
        assert [hit.chunk_id for hit in lexical_search(connection, ["w1"], scope, 10)] == ["5-0"]


def test_more_chunks_than_a_segment_holds_make_several(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viska_assets.store.segments.MOST_CHUNKS", 8)
    documents = {1: [f"w{at} the" for at in range(19)], 2: ["w1", "w2"], 3: ["w3 the"] * 7}
    with database.transaction() as connection:
        add_together(connection, documents)
        assert segments(connection) == 4
        equals_oracle(connection, documents, random.Random(16), 20)
        remove_chunks(connection, f"{1:064x}")
        del documents[1]
        equals_oracle(connection, documents, random.Random(17), 20)
        assert statistics_drift(connection).problems == ()


def test_frequencies_beyond_a_byte_count_in_full(database: Database) -> None:
    documents = {1: ["w1 " * 400 + "w2", "w1 w2 w3"], 2: ["w4 w5"] * 3, 3: ["w6"]}
    with database.transaction() as connection:
        for number, texts in documents.items():
            add(connection, number, texts)
        found = {hit.chunk_id: hit.score for hit in lexical_search(connection, ["w1"], SearchScope(), 10)}
        assert found == pytest.approx(oracle(texts_by_chunk(documents), ["w1"]), rel=1e-9)


def test_a_document_moves_to_another_namespace(database: Database) -> None:
    with database.transaction() as connection:
        document_id = add(connection, 1, ["w1"])
        add(connection, 2, ["w2"])
        write_chunks(connection, document_id, [], namespace="private")
        assert lexical_search(connection, ["w1"], SearchScope(), 10) == []
        assert statistics_drift(connection).problems == ()


WRITER = """
    import random, sys
    from tests.store.corpora import add, random_texts
    from viska_assets.store.database import Database

    database, first = Database(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(first)
    for number in range(first, first + 25):
        with database.transaction() as connection:
            add(connection, number, random_texts(rng))
    database.close()
"""
PAUSED = """
    import sys, time
    from viska_assets.store import lexical, merging
    from viska_assets.store.database import Database

    def pause(connection, segments):
        print("merged", flush=True)
        time.sleep(600)

    merging.drop_segments = pause
    merging.compact(Database(sys.argv[1]))
"""


def start(program: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(program), *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def test_two_processes_write_at_once(database: Database, database_url: str) -> None:
    writers = [start(WRITER, database_url, str(first)) for first in (1, 101)]
    while any(writer.poll() is None for writer in writers):
        compact(database)
    assert [writer.wait() for writer in writers] == [0, 0]
    documents: dict[int, list[str]] = {}
    for first in (1, 101):
        rng = random.Random(first)
        documents |= {number: random_texts(rng) for number in range(first, first + 25)}
    with database.transaction() as connection:
        equals_oracle(connection, documents, random.Random(9), 20)
        assert statistics_drift(connection).problems == ()


def test_a_crash_in_compaction_leaves_the_index_as_it_was(database: Database, database_url: str) -> None:
    documents = corpus(10, 30)
    with database.transaction() as connection:
        for number, texts in documents.items():
            add(connection, number, texts)
        remove_chunks(connection, f"{3:064x}")
        del documents[3]
    with database.transaction() as connection:
        before = connection.execute("SELECT segment_no FROM retrieval.segment ORDER BY 1").fetchall()
    process = start(PAUSED, database_url)
    assert process.stdout is not None
    assert process.stdout.readline() == "merged\n", "the new segment stands, the old ones are about to go"
    with database.transaction() as connection:
        equals_oracle(connection, documents, random.Random(10), 5)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with database.transaction() as connection:
        assert connection.execute("SELECT segment_no FROM retrieval.segment ORDER BY 1").fetchall() == before
        equals_oracle(connection, documents, random.Random(11), 10)
        add(connection, 99, ["w1 w2"])
    assert compact(database) == 1
    with database.transaction() as connection:
        equals_oracle(connection, documents | {99: ["w1 w2"]}, random.Random(12), 10)


def test_a_merge_between_the_statements_of_a_search_is_not_seen(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = corpus(13, 20)
    with database.transaction() as connection:
        for number, texts in documents.items():
            add(connection, number, texts)
    after_reading: list[Callable[[], int]] = [lambda: compact(database)]
    read = lexical._read

    def read_then_merge(*arguments: object) -> object:
        found = read(*arguments)  # type: ignore[arg-type]
        while after_reading:
            after_reading.pop()()
        return found

    monkeypatch.setattr(lexical, "_read", read_then_merge)
    with database.transaction() as connection:
        found = {hit.chunk_id: hit.score for hit in lexical_search(connection, ["w1", "w2"], SearchScope(), 1_000)}
    assert found == pytest.approx(oracle(texts_by_chunk(documents), ["w1", "w2"]), rel=1e-9)


def test_tiers_are_powers_of_the_fan_in() -> None:
    sizes = {1: 0, 7: 0, 8: 1, 63: 1, 64: 2, 4095: 3, 4096: 4, 32_767: 4}
    assert {size: merging._Segment(1, size, size).tier for size in sizes} == sizes


def test_a_large_segment_is_not_written_again_for_a_few_chunks(database: Database) -> None:
    with database.transaction() as connection:
        add_together(connection, {1: ["w1 w2"] * 40})
        add(connection, 2, ["w1"])
        add(connection, 3, ["w2"])
    assert compact(database) == 2
    with database.transaction() as connection:
        for number in range(4, 8):
            add(connection, number, ["w1"])
    assert compact(database) == 1
