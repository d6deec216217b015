"""Search over the sample and over planted texts: explained, ranked by recomputable factors, and never silent."""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.retrieval.corpus import BagOfWords, DeadEmbedder, add_texts
from viska_assets.query.errors import QueryError
from viska_assets.query.library import DEFAULT_NAMESPACES, Reader
from viska_assets.query.ranking import recency
from viska_assets.query.results import Confidence, Dated, Factors, FoundIn
from viska_assets.query.search import search
from viska_assets.query.weights import Ranking
from viska_assets.store.database import Connection, Database
from viska_assets.store.parity_gate import Gate

NOW = datetime(2025, 6, 1, tzinfo=UTC)


def reader_of(connection: Connection, embedder: object = None) -> Reader:
    return Reader(connection, lambda: embedder or BagOfWords(), lambda: Gate(False, "closed"), NOW)  # type: ignore[arg-type, return-value]


@pytest.fixture
def connection(database: Database) -> Iterator[Connection]:
    with database.transaction() as found:
        yield found


@pytest.mark.database
def test_a_hit_has_all_that_a_reader_needs(reader: Reader) -> None:
    found = search(reader, "net sales of services")
    assert 1 <= len(found.hits) <= 10
    for hit in found.hits:
        assert hit.where.namespace == "default"
        assert hit.id and hit.contributor and str(hit.date)
        assert 0 <= hit.confidence.value <= 1
        assert hit.found_in is FoundIn.VAULT
        assert hit.where.span is not None


@pytest.mark.database
def test_a_score_can_be_computed_again_from_its_factors(reader: Reader) -> None:
    for hit in search(reader, "risk of regulation").hits:
        f = hit.factors
        again = f.relevance * f.recency**f.recency_weight * f.confidence**f.confidence_weight
        assert abs(again - hit.score) < 1e-9


@pytest.mark.database
def test_the_decomposition_and_both_legs_are_reported(reader: Reader) -> None:
    found = search(reader, "What was Apple's gross margin in fiscal 2024?").explanation
    assert "margin" in found.decomposition.terms
    assert found.decomposition.metrics == ("gross_margin",)
    assert found.decomposition.intent == "research"
    assert found.legs["bm25"] > 0
    assert found.legs["dense"] > 0
    assert set(found.namespaces) == set(DEFAULT_NAMESPACES)


@pytest.mark.database
def test_a_dead_leg_is_degraded_never_silent(connection: Connection) -> None:
    add_texts(connection, 1, ["gross margin rose", "the weather was fine"])
    found = search(reader_of(connection, DeadEmbedder()), "gross margin")
    assert found.explanation.degraded == ("dense",)
    assert [hit.id for hit in found.hits] == ["chunk:1-0"]


@pytest.mark.database
def test_an_unknown_namespace_is_refused_in_the_same_words_as_a_hidden_one(reader: Reader) -> None:
    messages = set()
    for name in ("health", "no-such", "*", "all", "DEFAULT", "default/..", "", "ｄefault"):
        with pytest.raises(QueryError) as error:
            search(reader, "margin", namespaces=[name])
        messages.add(str(error.value))
    assert len(messages) == 1
    with pytest.raises(QueryError):
        search(reader, "margin", namespaces=[])


@pytest.mark.database
@pytest.mark.parametrize("limit", [0, 51, -1])
def test_a_limit_out_of_range_is_refused(reader: Reader, limit: int) -> None:
    with pytest.raises(QueryError, match="out of range"):
        search(reader, "margin", limit=limit)


@pytest.mark.database
def test_the_same_text_in_three_documents_is_one_hit_with_three_places(connection: Connection) -> None:
    for number in range(1, 4):
        add_texts(connection, number, ["The dividend policy stays as it was."], entity=f"issuers/{number}")
    hits = search(reader_of(connection), "dividend policy").hits
    assert len(hits) == 1
    assert {hits[0].where.uri, *(where.uri for where in hits[0].also_at)} == {f"viska://chunk/{n}-0" for n in (1, 2, 3)}


EXACT = [
    "10-K",
    "8-K/A",
    "BRK-B",
    "2024-09-28",
    "us-gaap:Revenues",
    "$1,577.00",
    "3.5%",
    "Q2'26",
    "DEC-0054",
    "snake_case",
]


@pytest.mark.database
@pytest.mark.parametrize("token", EXACT)
def test_an_exact_token_is_found(connection: Connection, token: str) -> None:
    add_texts(connection, 1, [f"This line holds {token} once.", *(f"filler {n} of other words" for n in range(8))])
    assert search(reader_of(connection, DeadEmbedder()), token).hits[0].id == "chunk:1-0"


@pytest.mark.database
def test_no_question_makes_it_fail(reader: Reader) -> None:
    random.seed(3)
    signs = "?*()[]{}\"'\\:&|!<>~^-+@#%$;,./ \t\n😀\x00\u202eéAz09"
    texts = ["?", "AND OR NOT", "a" * 10_000, "'); --", "\\", "%s %(x)s", 'Apple? (net) "sales"~2']
    texts += ["".join(random.choices(signs, k=random.randint(1, 60))) for _ in range(40)]
    for text in texts:
        if text.replace("\0", " ").strip():
            search(reader, text, limit=3)


@pytest.mark.database
def test_nonsense_has_low_confidence(reader: Reader) -> None:
    assert all(hit.confidence.value < 0.2 for hit in search(reader, "zxqv blorp wug apple frindle snork").hits)


@pytest.mark.database
def test_more_of_the_question_never_lowers_score_or_confidence(connection: Connection) -> None:
    add_texts(connection, 1, ["gross margin", "gross margin of services", "weather", "rain", "wind"])
    hits = {hit.id: hit for hit in search(reader_of(connection), "gross margin of services").hits}
    assert hits["chunk:1-1"].score >= hits["chunk:1-0"].score
    assert hits["chunk:1-1"].confidence.value >= hits["chunk:1-0"].confidence.value


@pytest.mark.database
def test_an_old_exact_hit_stands_before_a_vague_one_of_today(connection: Connection) -> None:
    add_texts(connection, 1, ["The covenant on net leverage was waived by the lenders."])
    add_texts(connection, 2, ["Lenders met today.", *(f"note {n}" for n in range(6))])
    age(connection, 1, NOW - timedelta(days=180))
    age(connection, 2, NOW)
    question = "covenant on net leverage waived by lenders"
    assert search(reader_of(connection), question).hits[0].id == "chunk:1-0"


@pytest.mark.database
def test_latest_turns_two_equal_hits_to_the_newer(connection: Connection) -> None:
    for number, days in ((1, 900), (2, 1)):
        add_texts(
            connection,
            number,
            [f"guidance for the year {'raised' if number == 1 else 'lifted'}"],
            entity=f"issuers/{number}",
        )
        age(connection, number, NOW - timedelta(days=days))
    assert search(reader_of(connection), "latest guidance for the year").hits[0].id == "chunk:2-0"


def age(connection: Connection, number: int, known_at: datetime) -> None:
    connection.execute("UPDATE raw.document SET known_at = %s WHERE document_id = %s", (known_at, f"{number:064x}"))


@pytest.mark.database
def test_an_unauthenticated_sender_counts_less_and_is_marked(connection: Connection) -> None:
    add_texts(connection, 1, ["margin guidance was raised"], entity="issuers/a")
    add_texts(connection, 2, ["margin guidance was raised again"], entity="issuers/b")
    connection.execute("UPDATE raw.document SET authentication = 'fail' WHERE document_id = %s", (f"{1:064x}",))
    hits = {hit.id: hit for hit in search(reader_of(connection), "margin guidance raised").hits}
    assert hits["chunk:1-0"].factors.confidence < hits["chunk:2-0"].factors.confidence
    assert hits["chunk:1-0"].remarks == ("the sender is not authenticated",)


def test_recency_falls_with_age_and_a_future_date_has_none() -> None:
    ages = [recency(NOW - timedelta(days=d), NOW, Ranking(), newest=False) for d in (-30, 0, 100, 365, 10_000)]
    assert ages == sorted(ages, reverse=True)
    assert ages[0] == ages[1] == 1.0
    assert ages[3] == pytest.approx(0.75)
    assert ages[4] == pytest.approx(0.5, abs=1e-6)
    assert recency(None, NOW, Ranking(), newest=False) == 0.75


def test_a_weight_of_zero_takes_a_factor_out() -> None:
    assert Factors(0.5, 0.1, 0.1, 0.0, 0.0).score == 0.5
    base = Factors(0.5, 0.5, 0.5)
    assert all(replace(base, **{name: 0.6}).score > base.score for name in ("relevance", "recency", "confidence"))


def test_an_unknown_date_says_why() -> None:
    assert str(Dated(None, "the file states none")) == "unknown"
    with pytest.raises(ValueError, match="reason"):
        Dated(None)
    with pytest.raises(ValueError, match="between"):
        Confidence(1.2, "x")
