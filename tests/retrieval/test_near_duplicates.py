"""Which passages count as the same: words nearly equal, numbers exactly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viska_assets.retrieval.near_duplicates import group_near_duplicates, numbers_of

SAID = "Revenue in the Data Center segment rose by 12% to $1,577.00 million because customers bought more systems"
TEXTS = st.lists(
    st.tuples(st.sampled_from("xy"), st.text(alphabet="ab 12,.\n", max_size=40)),
    max_size=8,
)


def alike(first: str, second: str) -> bool:
    return group_near_duplicates([("", first), ("", second)]) == [[0, 1]]


def test_a_copy_and_a_copy_with_another_ending_are_the_same() -> None:
    long = f"{SAID} than in the year before, mainly in North America and in the countries of the European Union."
    assert alike(long, long.upper())
    assert alike(long, long.replace("Union.", "Union and Norway."))
    assert alike(SAID, SAID.replace("1,577.00", "1577.00"))


def test_another_number_is_another_statement() -> None:
    assert not alike(SAID, SAID.replace("12%", "13%"))
    assert not alike(SAID, SAID.replace("1,577.00", "1,578.00"))
    assert not alike(SAID, SAID + " in 2019")
    assert not alike("12 12 up", "12 up")


LONG = f"{SAID} than in the year before, mainly in North America and in the countries of the European Union and Asia."


@pytest.mark.parametrize(
    ("word", "other"),
    [("million", "billion"), ("rose by", "fell by"), ("12%", "12"), ("to $1", "to -$1"), ("bought", "had not bought")],
)
def test_one_word_that_turns_the_sense_makes_another_statement(word: str, other: str) -> None:
    assert alike(LONG, LONG.replace("Asia", "Africa"))
    assert word in LONG
    assert not alike(LONG, LONG.replace(word, other))


def test_other_words_with_the_same_numbers_are_another_statement() -> None:
    assert not alike(SAID, "Costs fell by 12% to $1,577.00 million after the plant in Ohio was closed in the spring")
    assert not alike("", "revenue")


def test_the_same_text_of_another_kind_is_not_the_same() -> None:
    assert group_near_duplicates([("apple", "None."), ("nvidia", "None.")]) == [[0], [1]]


def test_the_best_of_a_kind_leads_its_group() -> None:
    texts = [("", "a b c"), ("", "x y z"), ("", "a b c"), ("", "a b c 1"), ("", "x y z")]
    assert group_near_duplicates(texts) == [[0, 2], [1, 4], [3]]


@given(texts=TEXTS)
def test_every_passage_stands_in_one_group_with_equal_numbers(texts: list[tuple[str, str]]) -> None:
    groups = group_near_duplicates(texts)
    assert sorted(at for group in groups for at in group) == list(range(len(texts)))
    assert [group[0] for group in groups] == sorted(group[0] for group in groups)
    for group in groups:
        assert len({(texts[at][0], numbers_of(texts[at][1])) for at in group}) == 1
        assert group == sorted(group)
