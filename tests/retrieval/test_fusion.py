"""Invariants of the fusion."""

from hypothesis import given
from hypothesis import strategies as st

from viska_assets.retrieval.fusion import reciprocal_rank_fusion

RANKED = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)


@given(first=RANKED, second=RANKED)
def test_a_leg_of_weight_zero_has_no_influence(first: list[str], second: list[str]) -> None:
    alone = reciprocal_rank_fusion({"x": first}, {"x": 1.0})
    assert reciprocal_rank_fusion({"x": first, "y": second}, {"x": 1.0, "y": 0.0}) == alone
    assert reciprocal_rank_fusion({"x": first, "y": second}, {"x": 1.0}) == alone


@given(first=RANKED, second=RANKED)
def test_the_order_of_the_legs_does_not_matter(first: list[str], second: list[str]) -> None:
    weights = {"x": 1.0, "y": 0.7}
    assert reciprocal_rank_fusion({"x": first, "y": second}, weights) == reciprocal_rank_fusion(
        {"y": second, "x": first}, weights
    )


@given(first=RANKED)
def test_one_leg_keeps_its_order(first: list[str]) -> None:
    assert [item for item, _ in reciprocal_rank_fusion({"x": first}, {"x": 1.0})] == first


def test_equal_scores_are_ordered_by_id() -> None:
    fused = reciprocal_rank_fusion({"x": ["b"], "y": ["a"]}, {"x": 1.0, "y": 1.0})
    assert [item for item, _ in fused] == ["a", "b"]
