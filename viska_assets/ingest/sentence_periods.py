"""The period of each number of a sentence: nearest mention, lists that pair off ("respectively"), shared years."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from viska_assets.ingest.calendars import Calendar
from viska_assets.model.evidence import Period
from viska_assets.text.periods import CALENDAR, PeriodKind, PeriodMention, find_periods, part_of_year

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


def periods_of_numbers(
    sentence: str, extents: Sequence[tuple[int, int]], calendar: Calendar, *, looks_ahead: bool = False
) -> list[Period | None]:
    """The period of each number of a sentence, given the numbers' extents in it, left to right; None where open.

    Periods after the document's own count only where the sentence ``looks_ahead`` (guidance); else they are terms.
    """
    mentions = find_periods(sentence, calendar.fiscal_year_end)
    groups = [*_lengths(sentence, calendar), *_period_groups(sentence, mentions, calendar)]
    if not looks_ahead:
        groups = [group for group in groups if not any(calendar.lies_ahead(placed.period) for placed in group)]
    ordered = sorted(_without_covered(groups), key=lambda group: group[0].start)
    parts = [mention for mention in mentions if mention.period is None and mention.kind in _OPEN_PARTS]
    distinct = {placed.period for group in ordered for placed in group}
    if len(distinct) == 1 and not parts:
        return [distinct.pop()] * len(extents)
    found: list[Period | None] = []
    for numbers in _number_groups(sentence, extents):
        following = min((start for start, _ in extents if start >= numbers[-1][1]), default=1 << 60)
        part = next((m for m in parts if numbers[-1][1] <= m.span.start < following), None)
        of_part = _part_periods(sentence, part, mentions, calendar, len(numbers)) if part else []
        found.extend(of_part or _paired(numbers, ordered, following))
    return found


def _part_periods(
    sentence: str, part: PeriodMention, mentions: Sequence[PeriodMention], calendar: Calendar, count: int
) -> list[Period | None]:
    """Quarters or halves without a year, in the years that the sentence names next."""
    years = [m.year for m in mentions if m.span.start > part.span.end and m.year]
    if not years or (count > 1 and len(years) not in (1, count)):
        return []
    if count == 1 and len(set(years)) > 1:
        return []
    years = years[:count] if len(years) >= count else years * count
    periods = [_completed(sentence, part, year, calendar) for year in years if year]
    return [calendar.fitted(period) if period is not None else None for period in periods]


_TWO_LENGTHS = re.compile(
    r"\b(?P<one>three|six|nine|twelve)(?:\s+months)?\s+and\s+(?P<two>six|nine|twelve)(?P<rest>[\s-]months?\s+(?:periods?\s+)?ended\s+)",
    re.IGNORECASE,
)


def _lengths(sentence: str, calendar: Calendar) -> list[list[Placed]]:
    """Two lengths that end on one day: "three and six months ended June 30, 2025"."""
    groups: list[list[Placed]] = []
    for match in _TWO_LENGTHS.finditer(sentence):
        placed: list[Placed] = []
        for word in (match["one"], match["two"]):
            phrase = f"{word}{match['rest']}{sentence[match.end() : match.end() + 30]}"
            first = next((m for m in find_periods(phrase, calendar.fiscal_year_end) if m.period), None)
            if first is not None and first.period is not None:
                end = match.end() + first.span.end - len(word) - len(match["rest"])
                placed.append(Placed(match.start(), end, calendar.fitted(first.period)))
        if len(placed) == 2:
            groups.append(placed)
    return groups


def _without_covered(groups: Sequence[Sequence[Placed]]) -> list[Sequence[Placed]]:
    """Groups without those whose text lies inside another's."""
    return [
        group
        for group in groups
        if not any(
            other is not group and other[0].start < group[0].start and group[-1].end <= other[-1].end
            for other in groups
        )
    ]


def _paired(
    numbers: Sequence[tuple[int, int]], groups: Sequence[Sequence[Placed]], following: int
) -> list[Period | None]:
    after = [group for group in groups if group[0].start >= numbers[-1][1]]
    before = [group for group in groups if group[-1].end <= numbers[0][0]]
    nearest = after[0] if after else None
    last = before[-1] if before else None
    for group in (*after[:1], *before[-1:]):
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


def _period_groups(sentence: str, mentions: Sequence[PeriodMention], calendar: Calendar) -> list[list[Placed]]:
    """Mentions in lists, each completed by what the list shares (a day and month before, a quarter before)."""
    groups: list[list[Placed]] = []
    shared: PeriodMention | None = None
    pending: PeriodMention | None = None
    end = -1
    for mention in mentions:
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
    if lead.kind in (PeriodKind.QUARTER, PeriodKind.HALF, PeriodKind.NINE_MONTHS) and lead.part:
        return part_of_year(lead.kind, lead.part, year, calendar.fiscal_year_end or CALENDAR)
    phrase = re.sub(r"\s*,?\s*\b(?:19|20)\d\d\b.*$", "", sentence[lead.span.start : lead.span.end])
    for mention in find_periods(f"{phrase}, {year}", calendar.fiscal_year_end):
        if mention.period is not None and mention.kind is not PeriodKind.YEAR:
            return mention.period
    return None
