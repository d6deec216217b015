import random
from dataclasses import fields, replace

import pytest

from viska_assets.hermes.contradictions import Compared, Conflict, Difference, compare_facts
from viska_assets.hermes.facts import Fact, facts_of_sentences
from viska_assets.maintain.identity import AliasKind
from viska_assets.query.names import NameTable
from viska_assets.store.superseded import Superseded

NAMES = NameTable(
    [
        ("apple", AliasKind.NAME, "issuers/apple"),
        ("AAPL", AliasKind.TICKER, "issuers/apple"),
        ("nvidia", AliasKind.NAME, "issuers/nvidia"),
    ]
)


def facts(*sentences: str) -> tuple[Fact, ...]:
    return facts_of_sentences(sentences, NAMES)


def compared(*sentences: str) -> Compared:
    return compare_facts(facts(*sentences))


def kinds(found: Compared) -> list[Difference]:
    return [conflict.difference for conflict in (*found.contradictions, *found.explained)]


def test_two_values_for_one_thing_are_a_contradiction_with_both_sides() -> None:
    found = compared(
        "Apple's revenue was $391.0 billion in fiscal year 2024.",
        "AAPL had revenue of $380.0 billion in fiscal year 2024.",
    )
    (conflict,) = found.contradictions
    assert {conflict.first.printed, conflict.second.printed} == {"$391.0 billion", "$380.0 billion"}
    assert {conflict.first.where.title, conflict.second.where.title} == {"statement 1", "statement 2"}
    assert "revenue of issuers/apple" in conflict.explanation


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        (
            "Apple's revenue was $391.0 billion in 2024.",
            "Apple's revenue was $383.3 billion in 2023.",
            Difference.PERIOD,
        ),
        (
            "Apple's revenue was $391.0 billion in 2024.",
            "Apple's revenue was $391.04 billion in 2024.",
            Difference.ROUNDING,
        ),
        (
            "Apple's revenue was $391.0 billion in 2024.",
            "Guidance: Apple expects revenue of $420.0 billion in 2024.",
            Difference.DEFINITION,
        ),
        (
            "Apple's revenue was $391.0 billion in 2024.",
            "Apple's revenue was €361.0 billion in 2024.",
            Difference.DEFINITION,
        ),
    ],
)
def test_a_difference_with_a_reason_is_no_contradiction(one: str, two: str, expected: Difference) -> None:
    found = compared(one, two)
    assert found.contradictions == ()
    assert kinds(found) == [expected]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Apple's revenue was $391.0 billion in 2024.", "Nvidia's revenue was $60.9 billion in 2024."),
        ("Apple's revenue was $391.0 billion in 2024.", "Apple's net income was $93.7 billion in 2024."),
        ("Apple's revenue was $391.0 billion in 2024.", "Apple's revenue was $391.0 billion in 2024."),
        ("Apple's revenue was $391.0 billion in 2024.", "Apple's revenue was $391,000 million in 2024."),
        ("Apple's revenue was $391.0 billion in 2024.", "Revenue rose in 2024."),
        ("Apple's revenue was $391.0 billion.", "Apple's revenue was $380.0 billion."),
        ("Apple and Nvidia: revenue of $5 billion in 2024.", "Apple's revenue was $391.0 billion in 2024."),
    ],
)
def test_what_is_about_other_things_or_leaves_them_open_is_not_compared(one: str, two: str) -> None:
    assert compared(one, two).contradictions == ()


@pytest.mark.parametrize(
    "of_a_part",
    [
        "Apple reported Services net sales of $96,169 million for fiscal year 2024.",
        "Apple reported net sales of $66,952 million in Greater China for fiscal year 2024.",
        "Apple's iPhone revenue was $201.2 billion in fiscal year 2024.",
        "In fiscal year 2024 Apple had services revenue of $96.2 billion.",
        "Apple's revenue from services was $96.2 billion in fiscal year 2024.",
        "Apple's revenue and other income was $400.0 billion in fiscal year 2024.",
        "Apple's revenue, including royalties, was $395.0 billion in fiscal year 2024.",
    ],
)
def test_the_figure_of_a_part_does_not_contradict_that_of_the_whole(of_a_part: str) -> None:
    assert compared("Apple's revenue was $391.0 billion in fiscal year 2024.", of_a_part).contradictions == ()


@pytest.mark.parametrize(
    "of_the_whole",
    [
        "Apple reported revenue of $380.0 billion for fiscal year 2024.",
        "AAPL had total revenue of $380.0 billion in fiscal year 2024.",
        "In fiscal year 2024 the company Apple Inc. posted revenue of USD 380.0 billion.",
        "Apple's revenue in fiscal year 2024 was $380.0 billion under GAAP.",
        "Revenue of Apple was $380.0 billion in fiscal year 2024.",
    ],
)
def test_the_whole_in_other_words_still_contradicts(of_the_whole: str) -> None:
    (conflict,) = compared("Apple's revenue was $391.0 billion in fiscal year 2024.", of_the_whole).contradictions
    assert {conflict.first.printed[-13:], conflict.second.printed[-13:]} == {"391.0 billion", "380.0 billion"}


def test_cash_with_securities_is_not_cash() -> None:
    found = compared(
        "Apple's cash and cash equivalents were $29.9 billion as of September 28, 2024.",
        "Apple's cash, cash equivalents and marketable securities totaled $140.8 billion as of September 28, 2024.",
    )
    assert found.contradictions == ()


def test_a_declared_supersession_is_no_contradiction() -> None:
    both = facts("Apple's revenue was $391.0 billion in 2024.", "Apple's revenue was $380.0 billion in 2024.")
    older = Superseded("1", None, both[0].low, both[0].high, "2")
    assert kinds(compare_facts(both, [older])) == [Difference.SUPERSEDED]
    # Another figure of the same passage was superseded: that says nothing of this one.
    other = replace(older, low=both[0].low * 2, high=both[0].high * 2)
    assert kinds(compare_facts(both, [other])) == [Difference.CONTRADICTION]
    assert kinds(compare_facts(both, [replace(older, successor="9")])) == [Difference.CONTRADICTION]


def test_nobody_wins_and_the_order_of_the_facts_changes_nothing() -> None:
    many = list(
        facts(
            *(
                f"Apple's revenue was ${amount} billion in {year}."
                for amount in (391, 380, 370)
                for year in (2023, 2024)
            )
        )
    )
    first = compare_facts(many)
    assert len(first.contradictions) == 6
    for seed in range(8):
        random.Random(seed).shuffle(many)
        assert compare_facts(many) == first
    names = {field.name for field in fields(Conflict)}
    assert not names & {"winner", "preferred", "score", "rank", "confidence", "resolution"}
    assert [c.id for c in first.contradictions] == sorted(c.id for c in first.contradictions)


def test_one_more_true_fact_changes_no_other_verdict() -> None:
    base = facts("Apple's revenue was $391 billion in 2024.", "Apple's revenue was $380 billion in 2024.")
    more = facts("Nvidia's revenue was $60.9 billion in 2024.", "Apple's net income was $93.7 billion in 2024.")
    assert compare_facts((*base, *more)).contradictions == compare_facts(base).contradictions
