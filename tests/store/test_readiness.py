"""Whether every chunk can be found: what is counted as missing, and that it is named."""

import numpy as np
import pytest

from tests.store.corpora import add
from viska_assets.store.chunks import remove_chunks
from viska_assets.store.database import Connection, Database
from viska_assets.store.embeddings import write_embeddings
from viska_assets.store.merging import compact
from viska_assets.store.readiness import retrieval_readiness

pytestmark = pytest.mark.database


def embed(connection: Connection, *chunks: str) -> None:
    vectors = np.zeros((len(chunks), 4), dtype=np.float32)
    vectors[:, 0] = 1
    write_embeddings(connection, "m", list(chunks), vectors)


def test_a_store_is_ready_when_every_chunk_has_both(database: Database) -> None:
    with database.transaction() as connection:
        add(connection, 1, ["a", "b"])
        add(connection, 2, ["c"])
        found = retrieval_readiness(connection, "m")
        assert (found.chunks, found.without_postings, found.without_embedding) == (3, 0, 3)
        assert found.first_without_embedding == ("1-0", "1-1", "2-0")
        embed(connection, "1-0", "2-0")
        assert retrieval_readiness(connection, "m").first_without_embedding == ("1-1",)
        embed(connection, "1-1")
        assert retrieval_readiness(connection, "m").is_ready


def test_chunks_without_postings_are_counted_and_named(database: Database) -> None:
    with database.transaction() as connection:
        add(connection, 1, ["a", "b"])
        add(connection, 2, ["c"])
        embed(connection, "1-0", "1-1", "2-0")
        connection.execute("DELETE FROM retrieval.segment_document WHERE document_id = %s", (f"{1:064x}",))
        found = retrieval_readiness(connection, "m")
        assert (found.without_postings, found.first_without_postings) == (2, ("1-0", "1-1"))
        assert not found.is_ready


def test_removed_documents_and_merged_segments_count_as_they_stand(database: Database) -> None:
    with database.transaction() as connection:
        for number in range(1, 6):
            add(connection, number, ["a", f"b{number}"])
        embed(connection, *(f"{number}-{at}" for number in range(1, 6) for at in (0, 1)))
    compact(database)
    with database.transaction() as connection:
        remove_chunks(connection, f"{3:064x}")
        assert retrieval_readiness(connection, "m").is_ready
        add(connection, 3, ["a"])
        assert retrieval_readiness(connection, "m").is_ready
