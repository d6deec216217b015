"""Facts that speak against each other: shown side by side with both sources. Nobody wins here."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from viska_assets.hermes.facts import Fact
from viska_assets.model.claim import ClaimKey
from viska_assets.model.evidence import Period
from viska_assets.store.superseded import Superseded


class Difference(StrEnum):
    """Why two figures of one metric differ; only the first is a contradiction."""

    CONTRADICTION = "contradiction"
    SUPERSEDED = "superseded"
    PERIOD = "period"
    DEFINITION = "definition"
    ROUNDING = "rounding"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two facts and why they differ. ``first`` and ``second`` are in the order of their ids, which says nothing."""

    id: str
    difference: Difference
    first: Fact
    second: Fact
    explanation: str


@dataclass(frozen=True, slots=True)
class Compared:
    """All that was compared: contradictions, and differences that have a reason. Both by id."""

    contradictions: tuple[Conflict, ...]
    explained: tuple[Conflict, ...]
    facts: int


def compare_facts(facts: Sequence[Fact], superseded: Sequence[Superseded] = ()) -> Compared:
    """Compares every two facts of one company and metric.

    Two facts contradict where all of what they are about is equal (period, segment, basis, scenario, unit, currency)
    and no value fits both as printed. Facts that differ in one of these are shown with that as the reason, and never as
    a contradiction.

    Args:
        facts: from passages or from a caller.
        superseded: the figures of passages of which a page declares that another passage supersedes them.
    """
    groups: defaultdict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in {fact.id: fact for fact in facts}.values():
        groups[fact.key.entity, fact.key.metric].append(fact)
    found: dict[str, Conflict] = {}
    for group in groups.values():
        ordered = sorted(group, key=lambda fact: fact.id)
        for at, first in enumerate(ordered):
            for second in ordered[at + 1 :]:
                conflict = _compare(first, second, superseded)
                if conflict is not None:
                    found.setdefault(conflict.id, conflict)
    conflicts = [found[key] for key in sorted(found)]
    real = tuple(c for c in conflicts if c.difference is Difference.CONTRADICTION)
    return Compared(real, tuple(c for c in conflicts if c.difference is not Difference.CONTRADICTION), len(facts))


def _compare(first: Fact, second: Fact, superseded: Sequence[Superseded]) -> Conflict | None:
    if first.low <= second.high and second.low <= first.high:
        if first.key != second.key or first.high - first.low == second.high - second.low:
            return None
        return _conflict(first, second, Difference.ROUNDING, "they agree to the digits that the shorter one prints")
    reason = _reason(first.key, second.key)
    if reason is not None:
        return _conflict(first, second, *reason)
    if _supersedes(first, second, superseded) or _supersedes(second, first, superseded):
        return _conflict(first, second, Difference.SUPERSEDED, "a page declares that one figure supersedes the other")
    period = f" for {_period(first.key.period)}" if first.key.period else ""
    said = f"{first.key.metric} of {first.key.entity}{period}: {first.printed} and {second.printed}"
    return _conflict(first, second, Difference.CONTRADICTION, said)


def _supersedes(newer: Fact, older: Fact, superseded: Sequence[Superseded]) -> bool:
    """Whether a page declares that the figure of one passage supersedes that of another."""
    chunks = (older.where.uri.rpartition("/")[2], newer.where.uri.rpartition("/")[2])
    return any(
        (place.chunk_id, place.successor) == chunks and place.low <= older.high and older.low <= place.high
        for place in superseded
    )


def _reason(one: ClaimKey, two: ClaimKey) -> tuple[Difference, str] | None:
    """Why figures under two keys need not agree; None where the keys are about the same."""
    if one.period != two.period:
        return Difference.PERIOD, f"{_period(one.period)} and {_period(two.period)}"
    for name, first, second in (
        ("basis", one.basis, two.basis),
        ("scenario", one.scenario, two.scenario),
        ("segment", one.segment, two.segment),
        ("unit", one.unit, two.unit),
        ("as of", one.as_of, two.as_of),
        ("whose view", one.asserter, two.asserter),
    ):
        if first != second:
            return Difference.DEFINITION, f"{name}: {first or 'not said'} and {second or 'not said'}"
    if one.currency != two.currency and one.currency and two.currency:
        return Difference.DEFINITION, f"currency: {one.currency} and {two.currency}"
    return None


def _period(period: Period | None) -> str:
    if period is None:
        return "no stated period"
    return f"{period.start} to {period.end}" if period.start else f"{period.end}"


def _conflict(first: Fact, second: Fact, difference: Difference, explanation: str) -> Conflict:
    pair = hashlib.sha256("|".join(sorted((first.id, second.id))).encode()).hexdigest()[:20]
    return Conflict(pair, difference, first, second, explanation)
