"""The check over the retrieval tier: it passes when both legs find every chunk, and names those that they do not."""

import dagster as dg
import numpy as np
import pytest

from resources.home import HomeResource
from tests.store.corpora import add
from viska_assets.checks.retrieval import retrieval_ready
from viska_assets.store.embeddings import write_embeddings
from viska_assets.store.home import Home

pytestmark = pytest.mark.database


def outcome() -> dg.AssetCheckResult:
    found = retrieval_ready(home=HomeResource())
    assert isinstance(found, dg.AssetCheckResult)
    return found


def test_an_empty_store_is_ready(home: Home) -> None:
    with home.database.transaction():
        assert outcome().passed


def test_chunks_without_an_embedding_fail_the_check_and_are_listed(home: Home) -> None:
    vectors = np.eye(4, dtype=np.float32)
    with home.database.transaction() as connection:
        add(connection, 1, ["a", "b", "c"])
        write_embeddings(connection, "m", ["1-0"], vectors[:1])
    found = outcome()
    assert not found.passed
    assert found.metadata["without_embedding"].value == 2
    assert found.metadata["without_postings"].value == 0
    assert [row.data for row in found.metadata["offenders"].records] == [
        {"chunk": "1-1", "lacks": "an embedding"},
        {"chunk": "1-2", "lacks": "an embedding"},
    ]
    with home.database.transaction() as connection:
        write_embeddings(connection, "m", ["1-1", "1-2"], vectors[1:3])
    assert outcome().passed
