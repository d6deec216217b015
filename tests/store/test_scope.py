"""Each condition of a search scope, in both legs: what it admits and what it keeps out."""

from datetime import UTC, date, datetime

import numpy as np
import pytest
from psycopg.types.json import Jsonb

from tests.store.corpora import add
from viska_assets.model.document import Cover
from viska_assets.model.evidence import Period
from viska_assets.store.codec import to_json
from viska_assets.store.database import Connection, Database
from viska_assets.store.documents import add_document
from viska_assets.store.scope import SearchScope
from viska_assets.store.search import dense_search, lexical_search, write_embeddings

pytestmark = pytest.mark.database
MODEL = "m"
ANNUAL = Cover(form="10-K", period_end=date(2024, 12, 31), fiscal_year_end=(12, 31))
QUARTERLY = Cover(form="10-Q", period_end=date(2024, 9, 28), fiscal_year_end=(6, 30))
WEEKS = Cover(form="10-K", period_end=date(2021, 1, 2), fiscal_year_end=(12, 31))
UNDATED = Cover()

ADMITTED = {
    "the whole namespace": (SearchScope(), {1, 2, 3, 4}),
    "another namespace": (SearchScope(namespace="private"), set()),
    "an issuer": (SearchScope(entity="issuers/acme"), {1, 2}),
    "an unknown issuer": (SearchScope(entity="issuers/other"), set()),
    "named documents": (SearchScope(document_ids=(f"{2:064x}", f"{3:064x}")), {2, 3}),
    "no document": (SearchScope(document_ids=()), set()),
    "a form": (SearchScope(form="10-K"), {1, 3}),
    "known by an instant": (SearchScope(known_at=datetime(2025, 1, 31, tzinfo=UTC)), {1}),
    "a period's end": (SearchScope(period=Period(date(2024, 12, 31))), {1}),
    "a range of periods": (SearchScope(period=Period(date(2024, 12, 31), date(2024, 9, 28))), {1, 2}),
    "a range without a period": (SearchScope(period=Period(date(2024, 9, 27), date(2021, 1, 3))), set()),
    "a fiscal year": (SearchScope(fiscal_year=2024), {1}),
    "a fiscal year that ends in June": (SearchScope(fiscal_year=2025), {2}),
    "a fiscal year of 53 weeks": (SearchScope(fiscal_year=2020), {3}),
    "a format": (SearchScope(media_types=("html", "email")), {1, 4}),
    "a feed": (SearchScope(feeds=("mail",)), {1, 4}),
    "two feeds": (SearchScope(feeds=("mail", "drop")), {1, 2, 3, 4}),
    "an authentication": (SearchScope(authentication=("pass",)), {4}),
    "authentications": (SearchScope(authentication=("pass", "not applicable")), {1, 2, 4}),
    "conditions together": (SearchScope(entity="issuers/acme", form="10-K", feeds=("mail",)), {1}),
    "conditions that exclude each other": (SearchScope(form="10-Q", media_types=("html",)), set()),
}


def describe(connection: Connection, number: int, cover: Cover, media_type: str, authentication: str) -> None:
    connection.execute(
        """
        UPDATE raw.document SET cover = %s, media_type = %s, authentication = %s, entity = %s, known_at = %s
        WHERE document_id = %s
        """,
        (
            Jsonb(to_json(Cover, cover)),
            media_type,
            authentication,
            "issuers/acme" if number < 3 else None,
            datetime(2025, number, 1, tzinfo=UTC),
            f"{number:064x}",
        ),
    )


def fill(connection: Connection) -> np.ndarray:
    for number, feed in ((1, "drop"), (2, "drop"), (3, "drop"), (4, "mail")):
        add(connection, number, ["w1 w2"], feed=feed)
    add_document(
        connection, f"{1:064x}", "1.txt", 1, feed="mail", path="1", received_at=datetime(2025, 1, 1, tzinfo=UTC)
    )
    describe(connection, 1, ANNUAL, "html", "not applicable")
    describe(connection, 2, QUARTERLY, "pdf", "not applicable")
    describe(connection, 3, WEEKS, "pdf", "fail")
    describe(connection, 4, UNDATED, "email", "pass")
    vectors = np.zeros((4, 384), dtype=np.float32)
    vectors[:, 0] = 1
    write_embeddings(connection, MODEL, [f"{number}-0" for number in (1, 2, 3, 4)], vectors)
    return vectors[0]


@pytest.mark.parametrize("name", ADMITTED)
def test_a_scope_admits_what_it_says_in_both_legs(database: Database, name: str) -> None:
    scope, expected = ADMITTED[name]
    with database.transaction() as connection:
        query = fill(connection)
        lexical = {hit.chunk_id for hit in lexical_search(connection, ["w1"], scope, 10)}
        dense = {hit.chunk_id for hit in dense_search(connection, MODEL, query, scope, 10)}
        assert lexical == dense == {f"{number}-0" for number in expected}


def test_a_withdrawn_document_is_outside_every_scope(database: Database) -> None:
    with database.transaction() as connection:
        query = fill(connection)
        connection.execute("UPDATE raw.document SET withdrawn = true WHERE document_id = %s", (f"{1:064x}",))
        for scope in (SearchScope(), SearchScope(entity="issuers/acme"), SearchScope(fiscal_year=2024)):
            assert "1-0" not in {hit.chunk_id for hit in lexical_search(connection, ["w1"], scope, 10)}
            assert "1-0" not in {hit.chunk_id for hit in dense_search(connection, MODEL, query, scope, 10)}
