"""Evidence of running text: the numbers of each sentence with the period, basis and scenario the sentence states."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace

from viska_assets.ingest.calendars import Calendar
from viska_assets.ingest.listed import with_listed_units
from viska_assets.ingest.scales import ScaleStatement
from viska_assets.ingest.sentence_periods import periods_of_numbers
from viska_assets.ingest.statements import basis_of, scenario_of
from viska_assets.model.evidence import Evidence, ScaleSource, Scenario, Unit
from viska_assets.text.quantities import read_quantities
from viska_assets.text.quantity import Quantity, Role
from viska_assets.text.sentences import split_sentences

_SHARES = re.compile(r"\bshares\b|\bstock options\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ProseContext:
    """What a document says of all its running text."""

    locale: str
    currency: str | None
    calendar: Calendar
    scale: tuple[ScaleSource, ScaleStatement] | None = None
    entity: str | None = None


def prose_evidence(text: str, start: int, context: ProseContext) -> Iterator[Evidence]:
    """The figures of a block of running text that begins at ``start``."""
    quantities = [
        quantity
        for quantity in with_listed_units(text, read_quantities(text, locale=context.locale, currency=context.currency))
        if quantity.role is Role.FIGURE and not quantity.malformed
    ]
    if not quantities:
        return
    starts = [quantity.span.start for quantity in quantities]
    for sentence in split_sentences(text):
        inside = quantities[bisect_left(starts, sentence.start) : bisect_left(starts, sentence.end)]
        if not inside:
            continue
        words = sentence.of(text)
        extents = [(q.extent.start - sentence.start, q.extent.end - sentence.start) for q in inside]
        basis, scenario = basis_of((words,)), scenario_of((words,))
        looks_ahead = scenario not in (None, Scenario.ACTUAL)
        periods = periods_of_numbers(words, extents, context.calendar, looks_ahead=looks_ahead)
        speaks_of_shares = _SHARES.search(words) is not None
        for quantity, period in zip(inside, periods, strict=True):
            if speaks_of_shares and quantity.unit is Unit.COUNT and quantity.scale_explicit and not quantity.noun:
                quantity = replace(quantity, unit=Unit.SHARES)
            yield replace(_evidence(quantity, start, context), period=period, basis=basis, scenario=scenario)


def _evidence(quantity: Quantity, start: int, context: ProseContext) -> Evidence:
    scale, source = quantity.scale, ScaleSource.CELL if quantity.scale_explicit else ScaleSource.NONE
    value, quantum = quantity.value, quantity.quantum
    if context.scale is not None and not quantity.scale_explicit and quantity.unit is Unit.MONEY:
        stated_by, statement = context.scale
        power = statement.scale_for(Unit.MONEY, ())
        if power:
            value, quantum, scale, source = value.scaleb(power), quantum.scaleb(power), power, stated_by
    return Evidence(
        chunk_id="",
        span=quantity.span.shifted(start),
        printed=quantity.raw,
        value=value,
        quantum=quantum,
        unit=quantity.unit,
        currency=quantity.currency,
        scale=scale,
        scale_source=source,
        sign=quantity.sign,
        bound=quantity.bound,
        entity=context.entity,
    )
