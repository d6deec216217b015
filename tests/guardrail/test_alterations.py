"""Sentences that repeat their source but for a word."""

import pytest

from viska_assets.guardrail.alterations import exchanged_name, reversed_label, reversed_word

SOURCE = "Total expenses of Alpha including interest increased to $3.9 million in the quarter, driven by favorable mix."


@pytest.mark.parametrize(
    ("old", "new"),
    [("increased", "decreased"), ("favorable", "unfavorable"), ("increased", "fell"), ("increased", "increased")],
)
def test_turned_direction_word(old: str, new: str) -> None:
    found = reversed_word(SOURCE.replace(old, new), SOURCE, [(1, 1)])
    assert found == (None if old == new else new)


def test_printed_sign_makes_up_for_the_word() -> None:
    assert (
        reversed_word("Organic sales grew -5.2% in the year.", "Organic sales declined 5.2% in the year.", [(-1, 1)])
        is None
    )
    assert (
        reversed_word("Organic sales grew 5.2% in the year.", "Organic sales declined 5.2% in the year.", [(1, 1)])
        == "grew"
    )


def test_free_paraphrase_is_not_compared_word_by_word() -> None:
    assert reversed_word("Margins were lower because costs rose.", SOURCE, [(1, 1)]) is None


@pytest.mark.parametrize(
    ("claim", "label", "word"),
    [
        (
            "The net cash outflow from operating activities was 119.3.",
            "Net cash inflow from operating activities",
            "outflow",
        ),
        ("The decrease (reduction) to cost was 11.0.", "Increase (reduction) to cost", "decrease"),
        ("The net cash inflow from operating activities was 119.3.", "Net cash inflow from operating activities", None),
        ("Operating income was 45.", "Operating income (loss)", None),
    ],
)
def test_turned_label(claim: str, label: str, word: str | None) -> None:
    assert reversed_label(claim, label, [(1, 1)]) == word


def test_exchanged_company() -> None:
    names = ("Alpha Inc.",)
    assert exchanged_name(SOURCE.replace("Alpha", "Beta"), SOURCE, names) == "beta"
    assert exchanged_name(SOURCE.replace("of Alpha", "of the company"), SOURCE, names) is None
    assert exchanged_name(SOURCE, SOURCE, names) is None
