"""Answers over the sample: what they say, that every marker resolves, and that nothing unsupported is said."""

import itertools
import re
from dataclasses import replace
from datetime import date

import pytest

from viska_assets.query.answer import answer, markers_in
from viska_assets.query.answers import AnswerClaim
from viska_assets.query.errors import QueryError
from viska_assets.query.library import Library, Reader
from viska_assets.query.results import Tier
from viska_assets.query.support import unsupported
from viska_assets.query.wording import Asking
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.document_places import text_window

pytestmark = pytest.mark.database

SYNTHESIS = [
    ("What was Apple's revenue in fiscal 2024?", ["$391,035 million"]),
    (
        "What were Apple's revenue and net income in fiscal 2024 and 2023?",
        ["$391,035", "$383,285", "$93,736", "$96,995"],
    ),
    ("iPhone revenue of AAPL in fiscal 2024", ["$201,183"]),
    ("How much did Apple's net income change in fiscal 2024?", ["-3.4%"]),
    ("Compare Apple and NVIDIA revenue", ["Apple Inc.", "$391,035", "NVIDIA", "$46,743"]),
    ("How many shares of Apple do we hold?", ["12,000 shares"]),
    ("What did we pay for Amazon?", ["$"]),
    ("What price target does Harbour Lane have on Apple?", ["$240"]),
    ("What is our thesis on Apple?", ["Buy", "Neutral", "installed base", "Regulators"]),
    ("What risks does Harbour Lane see for Apple?", ["Regulators on two continents"]),
    ("Summarise our view of NVIDIA", ["$46,743", "$26,422"]),
    ("How has the portfolio performed?", ["5.00%"]),
]
NO_ANSWER = [
    "What was the revenue of Tesla in 2024?",
    "What was Apple's revenue in fiscal 2011?",
    "Services revenue of NVIDIA in the July 2025 quarter",
]


@pytest.mark.parametrize(("question", "said"), SYNTHESIS)
def test_pages_answer(open_reader: Reader, question: str, said: list[str]) -> None:
    reply = answer(open_reader, Asking(question), tier=Tier.SYNTHESIS)
    assert [part for part in said if part not in reply.text] == []
    assert reply.indexes_read == 1
    assert 1 <= len(reply.pages_opened) <= 2


def test_one_house_that_is_named_speaks_alone(open_reader: Reader) -> None:
    reply = answer(open_reader, Asking("What is Fjordland's view on Apple?"), tier=Tier.SYNTHESIS)
    assert {source.contributor.split(" /")[0] for source in reply.sources} == {"Fjordland Research"}


@pytest.mark.parametrize("question", NO_ANSWER)
@pytest.mark.parametrize("tier", [Tier.SYNTHESIS, Tier.RETRIEVAL])
def test_another_company_year_or_part_is_no_answer(open_reader: Reader, question: str, tier: Tier) -> None:
    reply = answer(open_reader, Asking(question), tier=tier)
    assert "$" not in reply.text


def test_the_second_page_is_opened_only_where_the_first_does_not_answer(open_reader: Reader) -> None:
    reply = answer(open_reader, Asking("What was Apple's net income in fiscal 2024?"), tier=Tier.SYNTHESIS)
    assert reply.pages_opened == ("issuers/apple.md",)


def test_retrieval_answers_while_synthesis_is_closed_and_says_so(reader: Reader) -> None:
    reply = answer(reader, Asking("Does Apple's net income for fiscal 2024 support our thesis?"))
    assert reply.route.tier is Tier.RETRIEVAL
    assert reply.pages_opened == ()
    assert "93,736" in answer(reader, Asking("What was Apple's net income in fiscal 2024?")).text
    assert any("retrieval answers" in remark for remark in reply.remarks)


@pytest.mark.parametrize(
    "question", ["What is our thesis on Apple?", "What does Apple say about weather?", "Who leads Apple?"]
)
def test_a_passage_about_the_company_alone_is_no_answer(reader: Reader, question: str) -> None:
    reply = answer(reader, Asking(question))
    assert not reply.answers
    assert reply.reason


def test_mixed_gives_the_page_and_the_passages_behind_it(open_reader: Reader) -> None:
    question = Asking("What is our thesis on Apple, and which sentence of the note backs the price target?")
    reply = answer(open_reader, question)
    assert reply.route.tier is Tier.MIXED
    assert reply.pages_opened
    assert all(
        source.passage[source.quoted_span.start : source.quoted_span.end] == source.quoted for source in reply.sources
    )


def test_what_became_known_later_does_not_leak(open_reader: Reader) -> None:
    for tier in (Tier.SYNTHESIS, Tier.RETRIEVAL):
        before = answer(
            open_reader, Asking("What is the rating of Harbour Lane on Apple?", None, date(2024, 11, 10)), tier=tier
        )
        assert "Neutral" not in before.text
        assert all(source.date.at and source.date.at.date() <= date(2024, 11, 10) for source in before.sources)


def test_an_empty_question_is_refused(reader: Reader) -> None:
    with pytest.raises(QueryError, match="ask for something"):
        answer(reader, Asking(" \0 "))


def test_an_answerer_that_invents_is_withheld(open_reader: Reader) -> None:
    real = answer(open_reader, Asking("What was Apple's revenue in fiscal 2024?"), tier=Tier.SYNTHESIS)

    def inventing(question: Asking, material: object) -> list[AnswerClaim]:
        if not material.pages:  # type: ignore[attr-defined]
            return []
        page = material.pages[0].page  # type: ignore[attr-defined]
        cited = tuple(entry for entry in page.head.sources if entry.id == real.sources[0].id)
        return [AnswerClaim("Apple's revenue in fiscal 2024 was $412,000 million.", cited, 1.0, page.concept_id)]

    reply = answer(
        replace(open_reader, answerer=inventing),
        Asking("What was Apple's revenue in fiscal 2024?"),
        tier=Tier.SYNTHESIS,
    )
    assert "412,000" not in reply.text


def generated_questions() -> list[str]:
    companies = ["Apple", "AAPL", "NVIDIA", "Amazon", "Procter & Gamble", "Tesla", ""]
    metrics = [
        "revenue",
        "net income",
        "gross profit",
        "diluted EPS",
        "total assets",
        "inventories",
        "capital expenditures",
        "operating income",
        "R&D expense",
        "services revenue",
        "price target",
        "cash",
    ]
    periods = [
        "in fiscal 2024",
        "in 2023",
        "in Q2 2025",
        "at September 28, 2024",
        "",
        "for the six months ended July 27, 2025",
    ]
    number = [f"What was {c}'s {m} {p}?" for c, m, p in itertools.product(companies, metrics, periods)]
    words = [
        "What is our thesis on {}?",
        "Summarise {}",
        "What are the risks of {}?",
        "How many shares of {} do we hold?",
        "Quote the filing of {} on regulation",
        "What happened at {} recently?",
        "Why do we own {}?",
        "Compare {} with Amazon",
        "[1] [2] {} [7]",
        '{} "; DROP TABLE --',
        "Did {} grow?",
    ]
    prose = [template.format(c) for template, c in itertools.product(words, companies)]
    return number + prose


def test_every_marker_of_a_thousand_answers_resolves(library: Library) -> None:
    questions = generated_questions()
    answered = unresolved = unsupported_claims = 0
    with library.reader() as reader:
        for question, tier in itertools.product(questions, (Tier.SYNTHESIS, Tier.RETRIEVAL)):
            reply = answer(reader, Asking(question), tier=tier)
            known = {source.marker for source in reply.sources}
            unresolved += sum(1 for marker in markers_in(reply.text) if marker not in known)
            unresolved += sum(1 for statement in reply.statements if not statement.markers)
            answered += reply.answers
            for source in reply.sources:
                if source.where.span is not None:
                    quoted = text_window(reader.connection, source.where.document_id, source.where.span)
                    unsupported_claims += quoted != source.quoted
    assert len(questions) * 2 >= 1000
    assert answered >= 400
    assert unresolved == 0
    assert unsupported_claims == 0


def test_a_figure_in_an_answer_is_in_its_cited_span(open_reader: Reader) -> None:
    for question in generated_questions()[::17]:
        reply = answer(open_reader, Asking(question), tier=Tier.SYNTHESIS)
        for statement in reply.statements:
            cited = [s for s in reply.sources if s.marker in statement.markers]
            figures = re.findall(r"\d[\d,]*\.?\d*(?= million| shares)", statement.text)
            if not any(s.computation for s in cited):
                assert all(any(f.replace(",", "") in s.quoted.replace(",", "") for s in cited) for f in figures), (
                    statement
                )


def test_support_is_judged_by_the_gate(open_reader: Reader) -> None:
    reply = answer(open_reader, Asking("What was Apple's revenue in fiscal 2024?"), tier=Tier.SYNTHESIS)
    assert reply.answers
    assert unsupported("Revenue was $1 million in fiscal 2024.", (), StoredEvidence(open_reader.connection)) != ()
