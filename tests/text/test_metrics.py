"""Metrics by name: which label is which metric."""

import pytest

from viska_assets.text.metrics import metric_of, metrics_in


@pytest.mark.parametrize(
    "label",
    [
        "Sales, general and administrative",
        "Sales, general and administrative expenses",
        "Sales, general & administrative (in millions)",
        "Selling, general, and administrative",
    ],
)
def test_a_cost_line_that_begins_with_sales_is_no_revenue(label: str) -> None:
    assert metric_of(label) == "sga"
    assert [mention.metric_id for mention in metrics_in(f"{label} rose by 4%.")] == ["sga"]


@pytest.mark.parametrize("label", ["Sales and marketing", "Sales, marketing and support", "Sales force", "Sales tax"])
def test_selling_effort_is_no_revenue(label: str) -> None:
    assert metric_of(label) is None
    assert metrics_in(f"{label} costs rose by 4%.") == ()


@pytest.mark.parametrize("label", ["Sales", "Net sales", "Sales, net", "Sales (in millions)", "Total sales"])
def test_sales_is_revenue(label: str) -> None:
    assert metric_of(label) == "revenue"
