"""Printed readings set against inline-XBRL tags: the tagged value wins, and numbers only the tag reads are added."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from viska_assets.model.document import ParsedDocument, XbrlFact
from viska_assets.model.evidence import Evidence, ScaleSource, Unit, XbrlTag


def with_tags(found: Iterable[Evidence], document: ParsedDocument) -> Iterator[Evidence]:
    """The evidence with each tagged number's value, unit, period and exactness taken from its tag.

    ``found`` comes in the order of its places, and so does what is yielded.
    """
    by_start: dict[int, XbrlFact] = {}
    for fact in document.facts:
        if fact.span is not None and fact.value is not None and len(fact.span):
            by_start.setdefault(fact.span.start, fact)
    starts = deque(sorted(by_start))
    used: set[int] = set()
    for evidence in found:
        # A tag before this number can stand inside no later one.
        while starts and starts[0] < evidence.span.start:
            if (start := starts.popleft()) not in used:
                yield _only_tagged(by_start[start], document)
        tagged = by_start.get(evidence.span.start) or _inside(evidence, by_start)
        if tagged is None or tagged.span is None:
            yield evidence
            continue
        used.add(tagged.span.start)
        yield _tagged(evidence, tagged)
    for start in starts:
        if start not in used:
            yield _only_tagged(by_start[start], document)


def _inside(evidence: Evidence, by_start: dict[int, XbrlFact]) -> XbrlFact | None:
    for start in range(evidence.span.start, evidence.span.end):
        fact = by_start.get(start)
        if fact is not None and fact.span is not None and evidence.span.covers(fact.span):
            return fact
    return None


def _tagged(evidence: Evidence, fact: XbrlFact) -> Evidence:
    unit, currency, value = typed_value(fact)
    printed_sign = -1 if value < 0 else 1
    same = abs(value) == abs(evidence.value)
    return replace(
        evidence,
        value=value if not same or value == evidence.value else evidence.value,
        quantum=evidence.quantum if same else quantum_of(fact, evidence.quantum),
        unit=unit,
        currency=currency or (evidence.currency if unit in (Unit.MONEY, Unit.PER_SHARE) else None),
        scale=evidence.scale if same else fact.scale,
        scale_source=evidence.scale_source if same else ScaleSource.CELL,
        sign=evidence.sign if same else printed_sign,
        period=fact.period or evidence.period,
        xbrl=XbrlTag(fact.concept, fact.context, fact.decimals, fact.dimensions),
    )


def _only_tagged(fact: XbrlFact, document: ParsedDocument) -> Evidence:
    unit, currency, value = typed_value(fact)
    span = fact.span
    if span is None:
        raise AssertionError("a hidden fact has no place in the text")
    return Evidence(
        chunk_id="",
        span=span,
        printed=span.of(document.text),
        value=value,
        quantum=quantum_of(fact, Decimal(1).scaleb(fact.scale)),
        unit=unit,
        currency=currency,
        scale=fact.scale,
        scale_source=ScaleSource.CELL,
        sign=-1 if value < 0 else 1,
        entity=document.cover.issuer or None,
        period=fact.period,
        xbrl=XbrlTag(fact.concept, fact.context, fact.decimals, fact.dimensions),
    )


def typed_value(fact: XbrlFact) -> tuple[Unit, str | None, Decimal]:
    """Unit class, currency and value of a tagged number; a pure number printed as a percentage reads as one."""
    value = fact.value if fact.value is not None else Decimal(0)
    over, _, under = fact.unit.partition("/")
    if under.lower().startswith("share"):
        return Unit.PER_SHARE, over.upper(), value
    if over.lower() == "shares":
        return Unit.SHARES, None, value
    if len(over) == 3 and over.isalpha() and over.upper() == over:
        return Unit.MONEY, over, value
    if over.lower() == "pure" and fact.scale == -2:
        return Unit.PERCENT, None, value.scaleb(2)
    if over.lower() == "pure" and fact.scale == -4:
        return Unit.BASIS_POINT, None, value.scaleb(4)
    return (Unit.RATIO if over.lower() == "pure" and "." in str(value) else Unit.COUNT), None, value


def quantum_of(fact: XbrlFact, printed: Decimal) -> Decimal:
    """The exactness that ``decimals`` states: 0 for INF, else a power of ten; the printed quantum if unreadable."""
    if fact.decimals.upper() == "INF":
        return Decimal(0)
    try:
        shift = 2 if fact.scale == -2 else 0
        return Decimal(1).scaleb(shift - int(fact.decimals))
    except (ValueError, InvalidOperation):
        return printed
