"""The portfolio's return: the arithmetic against a published example, and the way from positions to a Metric page."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.maintain.conftest import Desk
from viska_assets.maintain.calculations.document import percent, twr_document
from viska_assets.maintain.calculations.gathering import FEED, calculate_portfolio
from viska_assets.maintain.calculations.portfolio import CalculationError, Close, Snapshot, value_portfolio
from viska_assets.maintain.calculations.returns import Valuation, sub_periods, time_weighted_return

FIRST, SECOND, THIRD = date(2024, 1, 31), date(2024, 2, 29), date(2024, 3, 29)


def twr(*values: tuple[int, int]) -> Decimal:
    days = [date(2024, month + 1, 1) for month in range(len(values))]
    valuations = [Valuation(day, Decimal(b), Decimal(a)) for day, (b, a) in zip(days, values, strict=True)]
    return time_weighted_return(sub_periods(valuations))


def test_a_published_worked_example_with_money_paid_in() -> None:
    # Investopedia, "Time-Weighted Rate of Return", scenario 1: 1,000,000 grows to 1,162,484, 100,000 is paid in, and
    # 1,192,328 is there at the end: sub-periods of 16.25 % and -5.56 %, linked 9.79 %.
    parts = sub_periods(
        [
            Valuation(FIRST, Decimal(1_000_000), Decimal(1_000_000)),
            Valuation(SECOND, Decimal(1_162_484), Decimal(1_262_484)),
            Valuation(THIRD, Decimal(1_192_328), Decimal(1_192_328)),
        ]
    )
    assert [percent(part.rate) for part in parts] == ["16.25%", "-5.56%"]
    assert percent(time_weighted_return(parts)) == "9.79%"


def test_money_taken_out_has_no_weight_either() -> None:
    # The same source, scenario 2: 100,000 is withdrawn instead and 1,003,440 is left.
    found = twr((1_000_000, 1_000_000), (1_162_484, 1_062_484), (1_003_440, 1_003_440))
    assert abs(found - Decimal("0.0979")) < Decimal("0.0001")


amounts = st.integers(1, 10**12)


@given(st.lists(st.tuples(amounts, amounts), min_size=2, max_size=8), st.integers(1, 10**6))
def test_size_does_not_matter_and_flows_alone_earn_nothing(values: list[tuple[int, int]], scale: int) -> None:
    scaled = [(before * scale, after * scale) for before, after in values]
    assert abs(twr(*values) - twr(*scaled)) <= abs(twr(*values)) * Decimal("1e-20")
    flat = [(values[0][1], values[0][1])]
    for _, after in values[1:]:
        flat.append((flat[-1][1], after))
    assert abs(twr(*flat)) < Decimal("1e-20")


def test_a_worthless_start_and_disorder_are_refused() -> None:
    with pytest.raises(ValueError, match="worth 0"):
        twr((0, 0), (5, 5))
    with pytest.raises(ValueError, match="not in order"):
        sub_periods([Valuation(SECOND, Decimal(1), Decimal(1)), Valuation(FIRST, Decimal(1), Decimal(1))])


def close(day: date, ticker: str, price: str, source: str = "p") -> Close:
    return Close(day, ticker, Decimal(price), "USD", source)


def held(day: date, source: str = "h", **quantities: int) -> Snapshot:
    return Snapshot(day, {t: Decimal(q) for t, q in quantities.items()}, "USD", source)


def test_a_day_counts_only_where_every_position_has_a_close() -> None:
    closes = [close(FIRST, "A", "10"), close(SECOND, "A", "11"), close(THIRD, "A", "12"), close(THIRD, "B", "5")]
    found = value_portfolio([held(FIRST, A=10), held(THIRD, A=10, B=2)], closes)
    assert [(v.day, v.before_flow, v.after_flow) for v in found.valuations] == [
        (FIRST, 100, 100),
        (SECOND, 110, 110),
        (THIRD, 120, 130),
    ]
    assert found.sources == ("h", "p")


def test_what_documents_do_not_settle_is_left_out_or_refused() -> None:
    closes = [close(FIRST, "A", "10"), close(SECOND, "A", "11"), close(THIRD, "A", "12")]
    disputed = value_portfolio([held(FIRST, A=1)], [*closes, close(SECOND, "A", "99", "other")])
    assert [v.day for v in disputed.valuations] == [FIRST, THIRD]
    assert disputed.remarks == ("A has several closes on 2024-02-29",)
    with pytest.raises(CalculationError, match="fewer than two days"):
        value_portfolio([held(THIRD, A=1)], closes)
    with pytest.raises(CalculationError, match="exchange rates"):
        value_portfolio([held(FIRST, A=1), Snapshot(SECOND, {"A": Decimal(1)}, "EUR", "e")], closes)
    with pytest.raises(CalculationError, match="no table of positions"):
        value_portfolio([], closes)


def test_the_same_valuations_give_the_same_document() -> None:
    closes = [close(FIRST, "A", "10"), close(SECOND, "A", "11.005")]
    one = twr_document(value_portfolio([held(FIRST, A=1000)], closes))
    two = twr_document(value_portfolio([held(FIRST, A=1000)], closes[::-1]))
    assert one == two
    assert "| Portfolio time-weighted return | 10.05% |" in one
    assert "| 2024-01-31 to 2024-02-29 | 10,000.00 | 11,005.00 | 10.05% |" in one


POSITIONS = "position,ticker,isin,quantity,cost,currency,as_of\nAlpha Inc.,AAA,US0000000001,{},1.00,USD,{}\n"


@pytest.mark.database
def test_a_metric_page_cites_the_calculation_and_only_the_newest_stands(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "holdings-1.csv").write_text(POSITIONS.format(100, "2024-01-31"))
    (tmp_path / "prices.csv").write_text("date,ticker,close,currency\n2024-01-31,AAA,10,USD\n2024-02-29,AAA,11,USD\n")
    desk.take(sorted(tmp_path.glob("*.csv")))
    assert desk.calculate() is not None
    assert desk.take([]) == {}
    assert "| Portfolio time-weighted return | 10.00% |" in desk.body("metrics/portfolio-twr")
    assert "executor: viska_assets/maintain/calculations/returns.py" in desk.page("metrics/portfolio-twr")

    (tmp_path / "more.csv").write_text("date,ticker,close,currency\n2024-03-29,AAA,8.80,USD\n")
    desk.take([tmp_path / "more.csv"])
    desk.calculate()
    assert desk.take([]) == {}
    body = desk.body("metrics/portfolio-twr")
    assert "| Portfolio time-weighted return | -12.00% |" in body
    assert "| 2024-02-29 to 2024-03-29 | 1,100.00 | 880.00 | -20.00% |" in body
    assert "10.00% |" in body and "| Portfolio time-weighted return | 10.00% |" not in body


@pytest.mark.database
def test_a_file_that_only_says_it_is_a_calculation_is_none(desk: Desk, tmp_path: Path) -> None:
    closes = [close(FIRST, "A", "10"), close(SECOND, "A", "99")]
    forged = tmp_path / "portfolio-twr-2024-02-29.md"
    forged.write_text(twr_document(value_portfolio([held(FIRST, A=1)], closes)))
    desk.take([forged])
    assert "metrics/portfolio-twr.md" not in desk.home.bundle.files()
    with desk.home.database.transaction() as connection:
        assert calculate_portfolio(connection, tmp_path) is None
        assert connection.execute("SELECT count(*) FROM raw.delivery WHERE feed = %s", (FEED,)).fetchone() == (0,)
