"""What a question is looked up by: its own terms, then the names that statements give to its metrics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.retrieval.corpus import add_texts
from viska_assets.retrieval.analyser import terms_of
from viska_assets.retrieval.query_terms import query_terms
from viska_assets.retrieval.search import hybrid_search
from viska_assets.store.database import Database
from viska_assets.store.scope import SearchScope
from viska_assets.text.metrics import METRICS


@pytest.mark.parametrize("question", ["What was Apple's revenue?", "What is us-gaap:Revenues of Apple?"])
def test_a_metric_is_also_looked_up_by_the_names_of_statements(question: str) -> None:
    assert {"net", "sales"} <= set(query_terms(question)) - set(terms_of(question))


def test_what_names_no_metric_is_looked_up_by_its_own_terms() -> None:
    assert query_terms("Who audits Apple, and acme:Unknown?") == tuple(terms_of("Who audits Apple, and acme:Unknown?"))


@given(st.lists(st.sampled_from([*METRICS["revenue"].aliases, *METRICS["net_income"].aliases, "Apple", "2024", "in"])))
def test_the_terms_of_the_question_stand_first_and_a_further_one_stands_once(words: list[str]) -> None:
    question = " ".join(words)
    own, found = tuple(terms_of(question)), query_terms(question)
    further = found[len(own) :]
    assert found[: len(own)] == own
    assert len(set(further)) == len(further)
    assert not set(further) & set(own)


@pytest.mark.database
def test_revenue_is_found_where_the_statement_says_net_sales(database: Database) -> None:
    with database.transaction() as connection:
        add_texts(connection, 1, ["Net sales were $391,035 million.", "Shares were sold.", "Revenue is deferred."])
        found = hybrid_search(connection, None, "revenue", SearchScope())
    assert [passage.chunk_id for passage in found.passages] == ["1-0", "1-2"]
