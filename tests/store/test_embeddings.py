"""Embeddings by model: kept by text, indexed from a size on, switched in one statement, dropped only when asked."""

import numpy as np
import pytest

from tests.store.corpora import add
from viska_assets.store.chunks import remove_chunks
from viska_assets.store.database import Connection, Database
from viska_assets.store.dense import dense_search, ef_search
from viska_assets.store.embeddings import (
    EmbeddingError,
    active_model,
    build_index,
    chunk_vectors,
    chunks_without_embedding,
    drop_model,
    embedding_backlog,
    embedding_models,
    find_model,
    register_model,
    settle_model,
    switch_model,
    write_embeddings,
)
from viska_assets.store.scope import SearchScope

pytestmark = pytest.mark.database


def unit(rng: np.random.Generator, count: int, dimension: int = 8) -> np.ndarray:
    vectors = rng.normal(size=(count, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def active(connection: Connection) -> str:
    found = active_model(connection)
    assert found is not None
    return found.model


def fill(connection: Connection, documents: int, model: str = "old") -> np.ndarray:
    """Documents of ten chunks, each chunk with a vector under the model."""
    ids = []
    for number in range(1, documents + 1):
        add(connection, number, [f"w{number} w{at}x{number}" for at in range(10)])
        ids += [f"{number}-{at}" for at in range(10)]
    vectors = unit(np.random.default_rng(0), len(ids))
    write_embeddings(connection, model, ids, vectors)
    return vectors


def test_a_text_that_was_embedded_is_known_again_in_another_chunk_or_after_removal(database: Database) -> None:
    with database.transaction() as connection:
        add(connection, 1, ["same", "other"])
        write_embeddings(connection, "m", ["1-0", "1-1"], unit(np.random.default_rng(0), 2))
        add(connection, 2, ["same", "new"])
        assert [row[0] for row in chunks_without_embedding(connection, "m", 8, 10)] == ["2-1"]
        remove_chunks(connection, f"{1:064x}")
        add(connection, 3, ["other"])
        assert embedding_backlog(connection, "m", 8) == 1
        assert set(chunk_vectors(connection, "m")) == {"2-0", "3-0"}


def test_chunks_that_are_gone_are_neither_stored_nor_found(database: Database) -> None:
    with database.transaction() as connection:
        vectors = fill(connection, 2)
        remove_chunks(connection, f"{1:064x}")
        write_embeddings(connection, "old", ["1-0"], vectors[:1])
        hits = dense_search(connection, "old", vectors[0], SearchScope(), 50)
        assert {hit.chunk_id for hit in hits} == {f"2-{at}" for at in range(10)}


def test_the_first_model_is_active_and_another_only_when_it_has_caught_up(database: Database) -> None:
    with database.transaction() as connection:
        vectors = fill(connection, 2)
        assert active(connection) == "old"
        register_model(connection, "new", 4)
        assert not settle_model(connection, "new")
        with pytest.raises(EmbeddingError, match="still lacks 20 chunks"):
            switch_model(connection, "new")
        assert active(connection) == "old"
        assert dense_search(connection, "old", vectors[3], SearchScope(), 1)[0].chunk_id == "1-3"
        ids = [row[0] for row in chunks_without_embedding(connection, "new", 4, 100)]
        write_embeddings(connection, "new", ids, unit(np.random.default_rng(1), 20, 4))
        assert settle_model(connection, "new")
        assert active(connection) == "new"
        assert not settle_model(connection, "new"), "only once"


def test_a_switch_that_is_rolled_back_leaves_the_old_model(database: Database) -> None:
    with database.transaction() as connection:
        fill(connection, 1)
        write_embeddings(connection, "new", [f"1-{at}" for at in range(10)], unit(np.random.default_rng(2), 10))
    with pytest.raises(RuntimeError, match="crash"), database.transaction() as connection:
        switch_model(connection, "new")
        assert active(connection) == "new"
        raise RuntimeError("crash")
    with database.transaction() as connection:
        assert active(connection) == "old"
        switch_model(connection, "new")
        switch_model(connection, "old")
        switch_model(connection, "old")
        assert active(connection) == "old"


def test_an_operators_switch_back_stands(database: Database) -> None:
    with database.transaction() as connection:
        fill(connection, 1)
        write_embeddings(connection, "new", [f"1-{at}" for at in range(10)], unit(np.random.default_rng(2), 10))
        assert settle_model(connection, "new")
        switch_model(connection, "old")
        assert not settle_model(connection, "new")
        assert active(connection) == "old"


def test_only_a_model_that_does_not_answer_searches_is_dropped(database: Database) -> None:
    with database.transaction() as connection:
        fill(connection, 1)
        register_model(connection, "new", 4)
        with pytest.raises(EmbeddingError, match="answers searches"):
            drop_model(connection, "old")
        drop_model(connection, "new")
        assert [found.model for found in embedding_models(connection)] == ["old"]
        with pytest.raises(EmbeddingError, match="no embeddings of new"):
            drop_model(connection, "new")


def test_a_model_is_also_known_by_its_engine(database: Database) -> None:
    with database.transaction() as connection:
        fill(connection, 1)
        register_model(connection, "new@1", 8, "new")
        register_model(connection, "new@2", 8, "new")
        write_embeddings(connection, "new@2", [f"1-{at}" for at in range(10)], unit(np.random.default_rng(3), 10))
        switch_model(connection, "new")
        assert active(connection) == "new@2"
        drop_model(connection, "new@1")
        assert [found.model for found in embedding_models(connection)] == ["old", "new@2"]


def test_two_dimensions_of_one_model_are_refused(database: Database) -> None:
    with database.transaction() as connection:
        register_model(connection, "m", 8)
        with pytest.raises(EmbeddingError, match="dimension 8, not 4"):
            register_model(connection, "m", 4)


def test_the_index_is_built_from_a_size_on_and_finds_what_comparing_finds(database: Database) -> None:
    with database.transaction() as connection:
        fill(connection, 60)
        assert not build_index(connection, "old", least=601)
        assert build_index(connection, "old", least=600)
        assert not build_index(connection, "old", least=600), "it stands"
        found = find_model(connection, "old")
        assert found is not None
        assert found.indexed


@pytest.fixture
def indexed(database: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    """600 chunks with an index, used whatever the size."""
    monkeypatch.setattr("viska_assets.store.dense.INDEX_FROM", 0)
    with database.transaction() as connection:
        fill(connection, 60)
        build_index(connection, "old", least=1)
        connection.execute("ANALYZE")
    return database


def by_index(connection: Connection) -> None:
    """Lets the planner take the index of a small table too, and proves that it does."""
    connection.execute("SET LOCAL enable_sort = off")
    connection.execute("SET LOCAL enable_seqscan = off")
    plan = connection.execute(
        "EXPLAIN SELECT text_key FROM retrieval.embedding_1 "
        "ORDER BY embedding <#> '[1,0,0,0,0,0,0,0]'::halfvec(8) LIMIT 5"
    )
    assert "embedding_1_nearest" in "".join(row[0] for row in plan)


def test_searching_by_the_index_recalls_what_comparing_finds(indexed: Database) -> None:
    with indexed.transaction() as connection:
        by_index(connection)
        shared = 0
        for query in unit(np.random.default_rng(7), 20):
            near = dense_search(connection, "old", query, SearchScope(), 10)
            true = dense_search(connection, "old", query, SearchScope(), 10, exact=True)
            shared += len({hit.chunk_id for hit in near} & {hit.chunk_id for hit in true})
        assert shared >= 0.95 * 200


@pytest.mark.parametrize("documents", [1, 3, 30])
def test_a_filter_by_the_index_still_fills_the_list(indexed: Database, documents: int) -> None:
    scope = SearchScope(document_ids=tuple(f"{number:064x}" for number in range(1, documents + 1)))
    with indexed.transaction() as connection:
        by_index(connection)
        for query in unit(np.random.default_rng(8), 5):
            near = dense_search(connection, "old", query, scope, 10)
            true = dense_search(connection, "old", query, scope, 10, exact=True)
            assert len(near) == 10
            assert len({hit.chunk_id for hit in near} & {hit.chunk_id for hit in true}) >= 9
            assert all(int(hit.chunk_id.split("-")[0]) <= documents for hit in near)


def test_chunks_of_one_text_are_all_found(database: Database) -> None:
    with database.transaction() as connection:
        for number in (1, 2, 3):
            add(connection, number, ["same"])
        vectors = unit(np.random.default_rng(0), 1)
        write_embeddings(connection, "m", ["1-0"], vectors)
        hits = dense_search(connection, "m", vectors[0], SearchScope(), 10)
        assert [hit.chunk_id for hit in hits] == ["1-0", "2-0", "3-0"]


def test_a_model_without_embeddings_finds_nothing(database: Database) -> None:
    with database.transaction() as connection:
        assert dense_search(connection, "unknown", unit(np.random.default_rng(0), 1)[0], SearchScope(), 5) == []


def test_a_larger_index_is_searched_with_more_candidates() -> None:
    assert [ef_search(size) for size in (0, 20_000, 100_000, 1_000_000, 100_000_000)] == [200, 210, 400, 1000, 1000]
