"""Writing chunks batch by batch: rows, evidence and postings are those of one piece, and offsets come back whole."""

import pytest

from tests.ingest import large
from tests.ingest.conftest import chunks_of
from viska_assets.ingest.evidence import evidence_by_chunk
from viska_assets.ingest.reading import read_document
from viska_assets.store import chunks as chunk_rows
from viska_assets.store.chunks import IndexedChunk, document_chunks, write_chunks, write_document_text
from viska_assets.store.database import Database
from viska_assets.store.documents import add_document
from viska_assets.store.statistics import statistics_drift
from viska_assets.store.term_lists import TermLists

pytestmark = pytest.mark.database


def test_batches_write_what_one_piece_would(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunk_rows, "_CHUNKS_AT_ONCE", 3)
    monkeypatch.setattr(chunk_rows, "_RUNS_AT_ONCE", 7)
    document = read_document(large.html_report(30_000), "report.html")
    read = list(evidence_by_chunk(document, chunks_of(document)))
    assert len(read) > 9
    with database.transaction() as connection:
        add_document(
            connection, document.document_id, "a", 1, feed="t", path="a", received_at="2025-01-01T00:00:00+00:00"
        )
        for _ in range(2):
            write_document_text(connection, document)
            write_chunks(
                connection,
                document.document_id,
                (IndexedChunk(chunk, chunk.text.lower().split(), held) for chunk, held in read),
            )
        stored = document_chunks(connection, document.document_id)
        offsets = connection.execute("SELECT offsets FROM retrieval.document_text").fetchone()
        numbers = connection.execute("SELECT numbers FROM retrieval.chunk ORDER BY ordinal").fetchall()
        postings = connection.execute("SELECT count(*), sum(tf) FROM retrieval.posting").fetchone()
        assert statistics_drift(connection).problems == ()
    assert [chunk.chunk_id for chunk in stored] == [chunk.chunk_id for chunk, _ in read]
    assert [chunk.evidence for chunk in stored] == [held for _, held in read]
    assert [row[0] for row in numbers] == [len(held) for _, held in read]
    assert offsets == ([list(run) for run in document.offsets.runs],)
    words = [chunk.text.lower().split() for chunk, _ in read]
    assert postings == (sum(len(set(line)) for line in words), sum(map(len, words)))


def test_terms_come_back_as_they_went_in() -> None:
    lists = TermLists()
    for words in (["b", "a", "b"], [], ["c", "a"]):
        lists.add(words)
    assert lists.vocabulary == ["b", "a", "c"]
    assert [part.tolist() for part in lists.entries(0, 3)] == [[0, 0, 2, 2], [0, 1, 2, 1], [2, 1, 1, 1]]
    assert [part.tolist() for part in lists.entries(1, 3)] == [[1, 1], [2, 1], [1, 1]]
    assert list(lists.lengths) == [3, 0, 2]
