"""Behaviour of the period reader."""

from datetime import date

import pytest

from viska_assets.model.evidence import Period
from viska_assets.text.periods import PeriodKind, find_periods, parse_period


@pytest.mark.parametrize(
    ("text", "fye", "period"),
    [
        ("FY2025", (12, 31), Period(date(2025, 12, 31), date(2025, 1, 1))),
        ("fiscal 2025", (1, 31), Period(date(2025, 1, 31), date(2024, 2, 1))),
        ("Q2 2026", (12, 31), Period(date(2026, 6, 30), date(2026, 4, 1))),
        ("1H26", None, Period(date(2026, 6, 30), date(2026, 1, 1))),
        ("Three months ended June 30, 2026", None, Period(date(2026, 6, 30), date(2026, 4, 1))),
        ("Jan 26, 2025", None, Period(date(2025, 1, 26))),
        ("30 June 2026", None, Period(date(2026, 6, 30))),
        ("2026-06-30", None, Period(date(2026, 6, 30))),
        ("2012-13", None, Period(date(2013, 12, 31), date(2012, 1, 1))),
        ("from 2022-01-01 to 2022-12-31", None, Period(date(2022, 12, 31), date(2022, 1, 1))),
        ("second quarter of fiscal 2026", (12, 31), Period(date(2026, 6, 30), date(2026, 4, 1))),
    ],
)
def test_parse_period(text: str, fye: tuple[int, int] | None, period: Period) -> None:
    assert parse_period(text, fye) == period


def test_numeric_date_that_reads_two_ways_is_ambiguous() -> None:
    assert [m.kind for m in find_periods("On 06/07/2026 it closed")] == [PeriodKind.AMBIGUOUS]
    assert parse_period("13/07/2026") == Period(date(2026, 7, 13))
