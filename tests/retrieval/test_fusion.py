"""Invariants of the fusion, by ranks and by scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viska_assets.retrieval.fusion import (
    Fusion,
    FusionProfile,
    Ranking,
    convex_fusion,
    fuse,
    reciprocal_rank_fusion,
    scaled,
)
from viska_assets.retrieval.profiles import EVEN, PROFILES, profile_of

ITEMS = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)
SCORES = st.floats(min_value=-1000, max_value=1000, allow_nan=False)
METHODS = st.sampled_from(list(Fusion))


@st.composite
def rankings(draw: st.DrawFn) -> Ranking:
    items = draw(ITEMS)
    scores = sorted((draw(SCORES) for _ in items), reverse=True)
    return list(zip(items, scores, strict=True))


def profile(method: Fusion, **weights: float) -> FusionProfile:
    return FusionProfile(method, weights)


@given(method=METHODS, first=rankings(), second=rankings())
def test_a_leg_of_weight_zero_has_no_influence(method: Fusion, first: Ranking, second: Ranking) -> None:
    alone = fuse({"x": first}, profile(method, x=1.0))
    assert fuse({"x": first, "y": second}, profile(method, x=1.0, y=0.0)) == alone
    assert fuse({"x": first, "y": second}, profile(method, x=1.0)) == alone


@given(method=METHODS, first=rankings(), second=rankings(), third=rankings())
def test_the_order_of_the_legs_does_not_matter(method: Fusion, first: Ranking, second: Ranking, third: Ranking) -> None:
    weights = profile(method, x=1.0, y=0.7, z=0.3)
    assert fuse({"x": first, "y": second, "z": third}, weights) == fuse({"z": third, "y": second, "x": first}, weights)


@given(method=METHODS, first=rankings(), second=rankings())
def test_every_found_id_stands_once_and_no_other(method: Fusion, first: Ranking, second: Ranking) -> None:
    fused = [item for item, _ in fuse({"x": first, "y": second}, profile(method, x=1.0, y=0.5))]
    assert sorted(fused) == sorted({item for item, _ in first + second})


@given(method=METHODS, first=rankings(), second=rankings())
def test_ties_are_ordered_by_id(method: Fusion, first: Ranking, second: Ranking) -> None:
    fused = fuse({"x": first, "y": second}, profile(method, x=1.0, y=1.0))
    assert fused == sorted(fused, key=lambda pair: (-pair[1], pair[0]))


@given(method=METHODS, first=rankings(), second=rankings(), factor=st.sampled_from([0.25, 0.5, 2.0, 8.0]))
def test_only_the_ratio_of_the_weights_matters(method: Fusion, first: Ranking, second: Ranking, factor: float) -> None:
    legs = {"x": first, "y": second}
    plain = fuse(legs, profile(method, x=1.0, y=0.5))
    assert [item for item, _ in fuse(legs, profile(method, x=factor, y=0.5 * factor))] == [item for item, _ in plain]


@given(first=ITEMS)
def test_one_leg_keeps_its_order(first: list[str]) -> None:
    assert [item for item, _ in reciprocal_rank_fusion({"x": first}, {"x": 1.0})] == first
    hits = [(item, -float(place)) for place, item in enumerate(first)]
    assert [item for item, _ in convex_fusion({"x": hits}, {"x": 1.0})] == first


@given(scores=st.lists(st.integers(-1000, 1000), max_size=8), shift=st.integers(-50, 50))
def test_scores_are_scaled_to_one_scale_whatever_theirs(scores: list[int], shift: int) -> None:
    shares = scaled([(str(at), float(score)) for at, score in enumerate(scores)])
    assert all(0 <= share <= 1 for share in shares.values())
    assert not shares or max(shares.values()) == 1
    moved = scaled([(str(at), score * 4.0 + shift) for at, score in enumerate(scores)])
    assert moved == pytest.approx(shares)


def test_equal_scores_are_ordered_by_id() -> None:
    fused = reciprocal_rank_fusion({"x": ["b"], "y": ["a"]}, {"x": 1.0, "y": 1.0})
    assert [item for item, _ in fused] == ["a", "b"]


def test_a_convex_sum_is_the_sum_of_the_scaled_scores() -> None:
    legs = {"bm25": [("a", 9.0), ("b", 6.0), ("c", 3.0)], "dense": [("c", 0.8), ("a", 0.6)]}
    assert convex_fusion(legs, {"bm25": 0.5, "dense": 0.5}) == [
        ("a", pytest.approx(0.5)),
        ("c", pytest.approx(0.5)),
        ("b", pytest.approx(0.25)),
    ]


def test_an_unmeasured_model_is_joined_evenly() -> None:
    assert profile_of("acme/embed-small") == profile_of(None) == EVEN
    assert all(set(found.weights) == {"bm25", "dense"} for found in PROFILES.values())
