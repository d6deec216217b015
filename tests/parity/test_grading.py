"""Grades: figures by value, rounding, unit, currency and period; words by facts; claims and citations by the gate."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.parity.desk import CHUNK, YEAR, Chunks, invented, money, quote, revenue, right, said
from viska_assets.model.evidence import Period, Unit
from viska_assets.parity.eval_set import NumberAnswer, TextAnswer
from viska_assets.parity.grading import Grade, grade
from viska_assets.query.answers import Answer, AnswerClaim, answer_of


def graded(*claims: AnswerClaim, gold: NumberAnswer | TextAnswer | None = None) -> Grade:
    return grade(answer_of(claims), gold or money(), Chunks())


def test_a_right_figure_with_its_citation() -> None:
    assert grade(right(), money(), Chunks()) == Grade(2, "", 1, 1, 1, 1)


@pytest.mark.parametrize(
    ("claim", "gold", "points"),
    [
        (revenue(), money("5187321"), 2),  # within the rounding of what is printed
        (revenue(), money("5260000"), 0),
        (revenue(quantum=Decimal(1), value="5187321"), money("5200000", rounded_to="100000"), 2),
        (revenue(quantum=Decimal(1), value="5187321"), money("5200000"), 0),
        (revenue(value="-5200000"), money(), 0),
        (revenue(unit=Unit.COUNT), money(), 1),
        (revenue(unit=None), money(), 1),
        (revenue(currency="EUR"), money(), 1),
        (revenue(currency=None), money(), 1),
        (revenue(currency=None), money(currency=None), 2),
        (revenue(period=None), money(), 1),
        (revenue(period=None), money(period_end=None), 2),
        (revenue(period=Period(date(2023, 12, 31), date(2023, 1, 1))), money(), 1),
        (revenue(period=Period(date(2024, 12, 31), date(2024, 10, 1))), money(period_start=YEAR.start), 1),
        (revenue(period=Period(date(2024, 12, 31))), money(period_start=YEAR.start), 2),
        (revenue(quantum=Decimal(10**7), value="10000000"), money(), 1),  # "about 10 million" says too little
    ],
)
def test_figures(claim: AnswerClaim, gold: NumberAnswer, points: int) -> None:
    assert graded(claim, gold=gold).correct == points


def test_the_first_figure_counts_and_a_later_right_one_is_half() -> None:
    wrong = revenue(value="4100000")
    assert graded(revenue(), wrong).correct == 2
    assert graded(wrong, revenue()).correct == 1
    assert graded(wrong, wrong).correct == 0


def test_words_without_a_figure_do_not_answer_a_question_for_one() -> None:
    assert graded(said("“The fleet grew by three ships.”")).correct == 0


@pytest.mark.parametrize(
    ("facts", "points"),
    [(("three ships",), 2), (("Three   SHIPS", "fleet"), 2), (("three ships", "Fuel"), 1), (("ship",), 0)],
)
def test_words_by_facts(facts: tuple[str, ...], points: int) -> None:
    assert graded(said("“The fleet grew by three ships.”"), gold=TextAnswer(facts=facts)).correct == points


def test_an_abstention_is_wrong_and_claims_nothing() -> None:
    found = grade(Answer(reason="no claim fits"), money(), Chunks())
    assert (found.correct, found.claims, found.fabrications) == (0, 0, 0)
    assert found.why == "no answer: no claim fits"


def test_an_invented_figure_is_a_fabrication_even_where_it_is_the_gold_one() -> None:
    found = grade(invented(), money("6900000"), Chunks())
    assert found.correct == 2
    assert found.fabrications == 1
    assert found.codes


@given(st.integers(1, 10**9))
def test_no_figure_that_the_source_does_not_print_is_ever_cited_rightly(thousands: int) -> None:
    value = thousands * 1000
    found = graded(revenue(f"Revenue was ${value:,} in 2024.", str(value)))
    assert (found.fabrications == 0) == (value == 5_200_000)


def test_a_claim_without_citation_is_a_fabrication() -> None:
    assert graded(replace(revenue(), sources=())).fabrications == 1


def test_a_citation_of_a_chunk_that_does_not_exist_is_none() -> None:
    gone = quote(CHUNK.text[:33]).model_copy(update={"chunk": "ck-0"})
    assert graded(replace(revenue(), sources=(gone,))).fabrications == 1


def test_a_citation_that_is_not_needed_lowers_precision_and_not_recall() -> None:
    claim = replace(revenue(), sources=(*revenue().sources, quote("The fleet grew by three ships.")))
    found = graded(claim)
    assert (found.claims, found.claims_cited, found.citations, found.citations_needed) == (1, 1, 2, 1)
