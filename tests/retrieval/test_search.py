"""Hybrid search on a real database: what it finds, what it says of dead legs, what it collapses."""

from collections.abc import Sequence

import psycopg
import pytest

from tests.retrieval.corpus import BagOfWords, DeadEmbedder, add_texts
from viska_assets.engines.protocols import EngineError
from viska_assets.retrieval import search
from viska_assets.retrieval.fusion import Fusion, FusionProfile
from viska_assets.retrieval.search import SearchResult, hybrid_search
from viska_assets.store.database import Connection, Database
from viska_assets.store.search import SearchScope

pytestmark = pytest.mark.database
TEXTS = [
    "Gross margin was 38% in fiscal 2018.",
    "Operating expenses rose because of hiring.",
    "The company repurchased shares.",
    "Gross margin fell.",
]


class Backwards:
    """Prefers what the fusion liked least."""

    name = "backwards"
    share = 1.0

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        assert all(passage.startswith("Document ") for passage in passages)
        return [float(at) for at, _ in enumerate(passages)]


class Silent(Backwards):
    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        raise EngineError("out of memory")


class OneScore(Backwards):
    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        return [1.0]


def ids(found: SearchResult) -> list[str]:
    return [passage.chunk_id for passage in found.passages]


def ask(connection: Connection, query: str, **more) -> SearchResult:  # type: ignore[no-untyped-def]
    return hybrid_search(connection, more.pop("embedder", BagOfWords()), query, SearchScope(), **more)


def test_a_passage_comes_with_its_place_its_ranks_and_its_citation(database: Database) -> None:
    with database.transaction() as connection:
        add_texts(connection, 1, TEXTS)
        found = ask(connection, "gross margin was 38% in fiscal FY2018")
    best = found.passages[0]
    assert (best.chunk_id, best.document, best.start, best.end) == ("1-0", "1.txt", 0, len(TEXTS[0]))
    assert best.ranks == {"bm25": 1, "dense": 1}
    assert best.resource == "/sources/1.md"
    assert len(best.text_sha256) == 64
    assert found.degraded == ()


@pytest.mark.parametrize("embedder", [None, DeadEmbedder()])
def test_words_are_searched_while_the_dense_leg_is_dead(database: Database, embedder: BagOfWords | None) -> None:
    with database.transaction() as connection:
        add_texts(connection, 1, TEXTS)
        found = ask(connection, "gross margin", embedder=embedder)
    assert set(ids(found)) == {"1-0", "1-3"}
    assert found.degraded == ("dense",)


def test_meaning_is_searched_while_the_lexical_leg_is_timed_out(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(connection: Connection, *_: object) -> list[search.Hit]:
        connection.execute("SET LOCAL statement_timeout = '50ms'")
        connection.execute("SELECT pg_sleep(5)")
        return []

    monkeypatch.setattr(search, "lexical_search", slow)
    with database.transaction() as connection:
        add_texts(connection, 1, TEXTS)
        found = ask(connection, "gross margin fell")
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert ids(found)[0] == "1-3"
    assert found.degraded == ("bm25",)


def test_both_legs_dead_is_an_empty_answer_that_says_so(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> list[search.Hit]:
        raise psycopg.OperationalError("canceling statement")

    monkeypatch.setattr(search, "lexical_search", refused)
    with database.transaction() as connection:
        add_texts(connection, 1, TEXTS)
        found = ask(connection, "gross margin", embedder=None)
        connection.commit()
        connection.autocommit = True
        outside = ask(connection, "gross margin", embedder=None)
        connection.autocommit = False
    assert found == outside
    assert (found.passages, found.degraded, found.legs) == ((), ("bm25", "dense"), {})


def test_a_lost_connection_is_no_dead_leg(database: Database) -> None:
    connection = psycopg.connect(database.url)
    with psycopg.connect(database.url, autocommit=True) as killer:
        killer.execute("SELECT pg_terminate_backend(%s)", (connection.info.backend_pid,))
    with pytest.raises(psycopg.OperationalError):
        ask(connection, "gross margin")


def test_a_reranker_has_the_last_word_and_a_dead_one_is_reported(database: Database) -> None:
    with database.transaction() as connection:
        add_texts(connection, 1, TEXTS)
        plain = ask(connection, "gross margin")
        turned = ask(connection, "gross margin", reranker=Backwards())
        for dead in (Silent(), OneScore()):
            found = ask(connection, "gross margin", reranker=dead)
            assert ids(found) == ids(plain)
            assert found.degraded == ("reranker",)
    assert ids(turned) == ids(plain)[::-1]


def test_only_near_duplicates_with_the_same_numbers_and_issuer_are_collapsed(database: Database) -> None:
    said = "Gross margin was 38% because the mix of products in the segment improved over the year"
    with database.transaction() as connection:
        add_texts(connection, 1, [said, said.replace("38", "39")], "issuers/apple")
        add_texts(connection, 2, [said + " again"], "issuers/apple")
        add_texts(connection, 3, [said], "issuers/nvidia")
        found = ask(connection, said, limit=3)
    assert set(ids(found)) == {"1-0", "1-1", "3-0"}
    assert {passage.chunk_id: passage.duplicates for passage in found.passages}["1-0"] == ("2-0",)


def test_a_profile_decides_which_leg_counts(database: Database) -> None:
    only_dense = FusionProfile(Fusion.RRF, {"dense": 1.0})
    with database.transaction() as connection:
        add_texts(connection, 1, TEXTS)
        found = ask(connection, "gross margin", profile=only_dense)
    assert [passage.ranks["dense"] for passage in found.passages] == [1, 2, 3, 4]


@pytest.mark.parametrize("query", ["", "?", "'; --", '"gross', "((", "a" * 10_000, "📈 margin", "\0", "% _ \\ %s"])
def test_no_query_is_an_error(database: Database, query: str) -> None:
    with database.transaction() as connection:
        add_texts(connection, 1, TEXTS)
        assert ask(connection, query).degraded == ()
