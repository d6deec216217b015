"""The blend of a reranker's scores with those of the legs."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viska_assets.engines.protocols import EngineError
from viska_assets.retrieval.rerank import rerank

CANDIDATES = [("a", "first"), ("b", "second"), ("c", "third")]
LEGS = {"bm25": [("a", 9.0), ("c", 3.0), ("x", 1.0)], "dense": [("c", 0.9), ("b", 0.7)]}


class Fixed:
    name = "fixed"

    def __init__(self, share: float, *scores: float) -> None:
        self.share = share
        self._scores = list(scores)

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        return self._scores


def test_each_has_its_share_on_one_scale() -> None:
    found = rerank("q", CANDIDATES, LEGS, Fixed(1 / 3, -4.0, 0.0, 4.0))
    assert found == [("c", pytest.approx(2 / 3)), ("a", pytest.approx(1 / 3)), ("b", pytest.approx(1 / 6))]


def test_without_a_share_the_legs_decide_and_with_all_of_it_the_reranker() -> None:
    assert [item for item, _ in rerank("q", CANDIDATES, LEGS, Fixed(0.0, 1.0, 2.0, 0.0))] == ["a", "c", "b"]
    assert [item for item, _ in rerank("q", CANDIDATES, LEGS, Fixed(1.0, 1.0, 2.0, 0.0))] == ["b", "a", "c"]
    assert rerank("q", [], LEGS, Fixed(1.0)) == []


@given(scores=st.lists(st.floats(-5, 5), min_size=3, max_size=3), share=st.floats(0, 1))
def test_no_candidate_is_lost_and_none_is_added(scores: list[float], share: float) -> None:
    found = rerank("q", CANDIDATES, LEGS, Fixed(share, *scores))
    assert sorted(item for item, _ in found) == ["a", "b", "c"]
    assert all(-1e-9 <= score <= 1 + 1e-9 for _, score in found)


def test_equal_scores_keep_the_order_of_the_fusion() -> None:
    assert [item for item, _ in rerank("q", CANDIDATES, {}, Fixed(1.0, 2.0, 2.0, 2.0))] == ["a", "b", "c"]


@pytest.mark.parametrize("scores", [(1.0,), (1.0, 2.0, float("nan")), (1.0, 2.0, float("inf"))])
def test_scores_that_cannot_be_right_are_refused(scores: tuple[float, ...]) -> None:
    with pytest.raises(EngineError, match="fixed answers 3 passages"):
        rerank("q", CANDIDATES, LEGS, Fixed(1.0, *scores))
