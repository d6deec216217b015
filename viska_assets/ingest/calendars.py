"""The issuer's fiscal calendar: year end, whole weeks or months, and the period ends that the document prints."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from viska_assets.ingest.dates import make_date
from viska_assets.model.document import Cover
from viska_assets.model.evidence import Period
from viska_assets.text.periods import PeriodKind, find_periods

_NEAR_DAYS = 8


@dataclass(frozen=True, slots=True)
class Calendar:
    """The fiscal calendar; ``ends`` are dates that the document's headers print, sorted."""

    fiscal_year_end: tuple[int, int] | None
    weekly: bool = False
    period_end: date | None = None
    ends: tuple[date, ...] = ()

    @classmethod
    def of(cls, cover: Cover, headers: Iterable[str] = ()) -> "Calendar":
        """The calendar that a cover and header texts state.

        A periodic report whose period ends inside a month counts in whole weeks, as does any other document of an
        issuer whose fiscal year ends inside a month.
        """
        year_end = cover.fiscal_year_end
        is_periodic = cover.form.upper().startswith(("10-", "20-F", "40-F")) and cover.period_end is not None
        end = cover.period_end if is_periodic else None
        within = end if end is not None else _in_common_year(year_end)
        weekly = year_end is not None and within is not None and (within + timedelta(days=1)).day != 1
        ends = {end} if end else set()
        if weekly:
            for header in headers:
                ends.update(
                    mention.period.end
                    for mention in find_periods(header)
                    if mention.period is not None and mention.kind in (PeriodKind.DAY, PeriodKind.SPAN)
                )
        return cls(year_end, weekly, cover.period_end, tuple(sorted(day for day in ends if day)))

    def fitted(self, period: Period) -> Period:
        """A period that lies on the issuer's weeks, where it counts in weeks; else the period itself."""
        if not self.weekly:
            return period
        end = self.known_end(period.end)
        if period.start is None:
            return Period(end)
        quarters = round(period.days / 91.3)
        if quarters not in (1, 2, 3, 4) or abs(period.days - 91.3 * quarters) > 9:
            return Period(end, period.start)
        before = self.known_end(end - timedelta(days=91 * quarters))
        exact = end - timedelta(days=91 * quarters)
        start = before if before in self.ends and abs((before - exact).days) in (0, 7) else exact
        return Period(end, start + timedelta(days=1))

    def known_end(self, day: date) -> date:
        """The printed period end nearest to a day, if one lies within a week or so; else the day."""
        at = bisect_left(self.ends, day)
        near = [end for end in self.ends[max(0, at - 1) : at + 1] if abs((end - day).days) <= _NEAR_DAYS]
        return min(near, key=lambda end: (abs((end - day).days), end)) if near else day

    def lies_ahead(self, period: Period) -> bool:
        """Whether a period ends after the document's own, as maturities do."""
        return self.period_end is not None and period.end > self.period_end


def _in_common_year(year_end: tuple[int, int] | None) -> date | None:
    return make_date(2001, *year_end) if year_end is not None else None
