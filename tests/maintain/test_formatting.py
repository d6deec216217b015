"""Periods as pages print them: parts of a year in weeks are called by their weeks, and the gate reads them back."""

from datetime import date, timedelta

import pytest

from viska_assets.model.evidence import Period
from viska_assets.text.periods import find_periods
from viska_assets.text.printing import period_label

END = date(2024, 6, 15)


@pytest.mark.parametrize(
    ("weeks", "table", "words"),
    [
        (12, "Quarter", "12 weeks ended"),
        (13, "Quarter", "Three months ended"),
        (14, "Quarter", "Three months ended"),
        (16, "Quarter", "16 weeks ended"),
        (24, "Year to date", "24 weeks ended"),
        (26, "Year to date", "Six months ended"),
        (28, "Year to date", "28 weeks ended"),
        (36, "Year to date", "36 weeks ended"),
        (39, "Year to date", "Nine months ended"),
        (40, "Year to date", "40 weeks ended"),
        (52, "Annual", "Year ended"),
        (53, "Annual", "Year ended"),
    ],
)
def test_a_period_in_weeks_is_called_what_it_is(weeks: int, table: str, words: str) -> None:
    period = Period(END, END - timedelta(days=7 * weeks - 1))
    label = period_label(period)
    assert label == (table, f"{words} 2024-06-15")
    [mention] = find_periods(label[1])
    assert mention.period is not None
    assert mention.period.end == END
    if "weeks" in words:
        assert mention.period == period


def test_calendar_quarters_stay_months() -> None:
    for start, end in ((date(2024, 1, 1), date(2024, 3, 31)), (date(2024, 4, 1), date(2024, 6, 30))):
        assert period_label(Period(end, start)) == ("Quarter", f"Three months ended {end}")
