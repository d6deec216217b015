"""The period of each number of a sentence: nearest mention, lists that pair off ("respectively"), shared years."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from viska_assets.ingest.calendars import Calendar
from viska_assets.model.evidence import Period
from viska_assets.text.periods import PeriodKind, PeriodMention, find_periods

_LIST_GAP = re.compile(r"\s*(?:,|;|/|&|and|or|,\s*and|,\s*or|,\s*(?:and\s+)?(?:for\s+)?the)\s*", re.IGNORECASE)
_SHORT_GAP = re.compile(
    r"\s*(?:million|billion|thousand|shares|%|percent)?\s*(?:,|and|or|,\s*and|,\s*or)\s*(?:approximately\s*)?", re.I
)
_OPEN_PARTS = (PeriodKind.QUARTER, PeriodKind.HALF, PeriodKind.NINE_MONTHS, PeriodKind.MONTHS)


@dataclass(frozen=True, slots=True)
class Placed:
    """A resolved period at its place in the sentence."""

    start: int
    end: int
    period: Period


def periods_of_numbers(sentence: str, extents: Sequence[tuple[int, int]], calendar: Calendar) -> list[Period | None]:
    """The period of each number of a sentence, given the numbers' extents in it, left to right; None where open."""
    groups = _period_groups(sentence, calendar)
    if not groups:
        return [None] * len(extents)
    distinct = {placed.period for group in groups for placed in group}
    if len(distinct) == 1:
        return [distinct.pop()] * len(extents)
    found: list[Period | None] = []
    for numbers in _number_groups(sentence, extents):
        found.extend(_paired(numbers, groups, extents))
    return found


def _paired(
    numbers: Sequence[tuple[int, int]],
    groups: Sequence[Sequence[Placed]],
    extents: Sequence[tuple[int, int]],
) -> list[Period | None]:
    after = [group for group in groups if group[0].start >= numbers[-1][1]]
    before = [group for group in groups if group[-1].end <= numbers[0][0]]
    following = min((start for start, _ in extents if start >= numbers[-1][1]), default=1 << 60)
    nearest = after[0] if after else None
    last = before[-1] if before else None
    for group in (*after[:1], *reversed(before[-1:])):
        if len(group) == len(numbers) > 1:
            return [placed.period for placed in group]
    if nearest and len(nearest) == 1 and nearest[0].start < following:
        return [nearest[0].period] * len(numbers)
    if last and len(last) == 1:
        return [last[0].period] * len(numbers)
    if nearest and len(nearest) == 1 and not before:
        return [nearest[0].period] * len(numbers)
    return [None] * len(numbers)


def _number_groups(sentence: str, extents: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    groups: list[list[tuple[int, int]]] = []
    for extent in extents:
        if groups and _SHORT_GAP.fullmatch(sentence[groups[-1][-1][1] : extent[0]]):
            groups[-1].append(extent)
        else:
            groups.append([extent])
    return groups


def _period_groups(sentence: str, calendar: Calendar) -> list[list[Placed]]:
    """Mentions in lists, each completed by what the list shares (a day and month before, a quarter before)."""
    groups: list[list[Placed]] = []
    shared: PeriodMention | None = None
    pending: PeriodMention | None = None
    end = -1
    for mention in find_periods(sentence, calendar.fiscal_year_end):
        listed = bool(groups) and end >= 0 and _LIST_GAP.fullmatch(sentence[end : mention.span.start]) is not None
        if mention.period is None:
            if mention.kind in _OPEN_PARTS:
                pending = mention
            continue
        period = mention.period
        if mention.kind is PeriodKind.YEAR and mention.year:
            lead = pending if pending is not None else shared if listed else None
            period = _completed(sentence, lead, mention.year, calendar) or period
        elif mention.kind is not PeriodKind.YEAR:
            shared, pending = mention, None
        placed = Placed(mention.span.start, mention.span.end, calendar.fitted(period))
        if listed:
            groups[-1].append(placed)
        else:
            groups.append([placed])
            if mention.kind is PeriodKind.YEAR and pending is None:
                shared = None
        end = mention.span.end
    return groups


def _completed(sentence: str, lead: PeriodMention | None, year: int, calendar: Calendar) -> Period | None:
    """The lead's day, length or quarter in another year."""
    if lead is None:
        return None
    phrase = re.sub(r"\s*,?\s*\b(?:19|20)\d\d\b.*$", "", sentence[lead.span.start : lead.span.end])
    joiner = " of fiscal " if lead.kind in (PeriodKind.QUARTER, PeriodKind.HALF, PeriodKind.NINE_MONTHS) else ", "
    for mention in find_periods(f"{phrase}{joiner}{year}", calendar.fiscal_year_end):
        if mention.period is not None and mention.kind is not PeriodKind.YEAR:
            return mention.period
    return None
