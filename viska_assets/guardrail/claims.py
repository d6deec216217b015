"""The keyed claims of a page, derived from the evidence that grounds its figures, and from its stated facts."""

import hashlib
import re
from collections.abc import Sequence
from decimal import Decimal

from viska_assets.guardrail.binding import Binder, describe
from viska_assets.guardrail.figures import SKIPPED, Grounded
from viska_assets.guardrail.labels import Naming, naming_of
from viska_assets.guardrail.reading import ChunkReading, KeyedEvidence, is_period_label, label_key
from viska_assets.model.claim import Claim, ClaimKey
from viska_assets.model.claim_unit import ClaimUnit
from viska_assets.model.evidence import Evidence, Period, Scenario, Unit
from viska_assets.text.metrics import metric_of

# Functional facts: one subject has one value at a time (per asserter and date for opinions).
_FACTS: dict[str, str] = {
    "rating": "rating", "recommendation": "rating", "analyst rating": "rating", "credit rating": "credit_rating",
    "ceo": "chief_executive", "chief executive": "chief_executive", "chief executive officer": "chief_executive",
    "cfo": "chief_financial_officer", "chief financial officer": "chief_financial_officer", "chair": "chair",
    "auditor": "auditor", "phase": "phase", "status": "status", "headquarters": "headquarters", "ticker": "ticker",
}  # fmt: skip
_OPINIONS = frozenset({"rating", "credit_rating", "price_target"})
# A column label that only says how its numbers are printed cuts no segment.
_NOTE = re.compile(
    r"\(?(?:in\s)?(?:[A-Z]{3}|US\$|[$€£¥])?\s?(?:k|m|mn|bn|'?000s?|thousands?|millions?|billions?)?\)?"
    r"|\(?(?:un)?audited\)?|(?:as\s)?(?:re)?stated|(?:as\s)?reported|actual|amount|total|notes?",
    re.I,
)
_PAIR = re.compile(r"^\W*([A-Za-z ]{2,30}):\s+(.{1,80}?)\.?$")


def claims_of(concept_id: str, grounded: Sequence[Grounded]) -> tuple[Claim, ...]:
    """One claim for each grounded figure, in reading order, each id once."""
    found: dict[str, Claim] = {}
    for item in grounded:
        claim = claim_of(concept_id, item)
        if claim is not None:
            found.setdefault(claim.claim_id, claim)
    return tuple(found.values())


def claim_of(concept_id: str, item: Grounded) -> Claim | None:
    """The claim of one grounded figure; None where its evidence names no metric."""
    key = key_of(item.evidence, item.reading, item.unit)
    if key is None:
        return None
    half = item.evidence.quantum / 2
    low, high = item.evidence.value - half, item.evidence.value + half
    locator = describe(item.bound.entry.locator) if not item.bound.bare else item.evidence.evidence_id
    claim_id = claim_id_of(
        concept_id,
        key,
        item.reading.chunk.chunk_id,
        f"{locator}#{item.evidence.span.start - item.reading.chunk.span.start}",
    )
    return Claim(
        claim_id,
        concept_id,
        key,
        low,
        high,
        item.evidence.printed,
        item.bound.entry.id,
        item.reading.chunk.chunk_id,
        item.reading.chunk.known_at,
    )


def key_of(evidence: Evidence, reading: ChunkReading, unit: ClaimUnit | None = None) -> ClaimKey | None:
    """The key under which evidence can contradict; None where no metric is named or the period is open."""
    held = reading.keys.get(id(evidence))
    if held is None:
        metric, segment = _metric_and_segment(evidence, reading)
        own = _key(evidence, reading, metric, segment) if metric is not None else None
        held = reading.keys[id(evidence)] = KeyedEvidence(evidence, metric, segment, own)
    if held.metric is not None or unit is None:
        return held.key
    label = unit.row_label
    metric = metric_of(label) if naming_of(label or unit.text, evidence, reading)[0] is Naming.NAMED else None
    return _key(evidence, reading, metric, held.segment) if metric is not None else None


def _key(evidence: Evidence, reading: ChunkReading, metric: str, segment: str) -> ClaimKey | None:
    chunk = reading.chunk
    opinion = metric in _OPINIONS or evidence.scenario not in (None, Scenario.ACTUAL)
    if evidence.period is None and not opinion:
        return None
    as_of = chunk.known_at.date().isoformat() if opinion and chunk.known_at is not None else ""
    return ClaimKey(
        entity=chunk.entity or evidence.entity or chunk.document_id,
        metric=metric,
        period=evidence.period,
        segment=segment,
        basis=evidence.basis,
        scenario=evidence.scenario or Scenario.ACTUAL,
        asserter=chunk.asserter,
        currency=evidence.currency,
        unit=evidence.unit,
        as_of=as_of,
    )


def _metric_and_segment(evidence: Evidence, reading: ChunkReading) -> tuple[str | None, str]:
    """The metric of evidence (a known one, its us-gaap concept or its own label) and the segment it is cut by."""
    segment = "; ".join(f"{axis}={member}" for axis, member in evidence.xbrl.dimensions) if evidence.xbrl else ""
    if evidence.xbrl is not None:
        return metric_of(evidence.xbrl.concept) or evidence.xbrl.concept.lower(), segment
    if reading.is_prose(evidence):
        local = reading.local(evidence.span)
        sentence = reading.sentence_at(local.start)
        figures = [q for q in sentence.quantities if q.is_figure]
        return (sentence.metric_near(local), "") if len(figures) == 1 else (None, "")
    columns = [label_key(c) for c in evidence.column_path if not is_period_label(c) and not _NOTE.fullmatch(c.strip())]
    known = [(i, metric_of(label)) for i, label in enumerate(evidence.row_path) if metric_of(label)]
    if not known:
        return "/".join(label_key(label) for label in evidence.row_path) or None, " / ".join(columns)
    index, metric = known[-1]
    others = [label_key(label) for i, label in enumerate(evidence.row_path) if i != index]
    return metric, " / ".join([*others, *columns])


def claim_id_of(concept_id: str, key: ClaimKey, chunk_id: str, locator: str) -> str:
    """A stable id: a hash of the concept, the key, the source chunk and the locator."""
    parts = [
        concept_id, key.entity, key.metric, _period_text(key.period), key.segment, str(key.basis or ""),
        str(key.scenario),
        key.asserter, key.currency or "", str(key.unit), key.as_of, chunk_id, locator,
    ]  # fmt: skip
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:20]


def _period_text(period: Period | None) -> str:
    return f"{period.start or ''}/{period.end}" if period else ""


def facts_of(concept_id: str, units: Sequence[ClaimUnit], binder: Binder) -> tuple[Claim, ...]:
    """The non-numeric functional facts that a page states and cites: rows and ``Name: value`` items."""
    found: dict[str, Claim] = {}
    for unit in units:
        if unit.exempt in SKIPPED or not unit.marks:
            continue
        label, value = (unit.row_label, unit.text) if unit.row_label else _pair(unit.text)
        metric = _FACTS.get(label.strip().lower())
        if metric is None:
            continue
        bound = binder.bind(unit.marks[0].source_id)
        if bound is None or bound.reading is None or not value.strip() or any(c.isdigit() for c in value):
            continue
        claim = _fact(concept_id, metric, value.strip().rstrip("."), bound.entry.id, bound.reading)
        found.setdefault(claim.claim_id, claim)
    return tuple(found.values())


def _pair(text: str) -> tuple[str, str]:
    match = _PAIR.match(text.strip()) if ":" in text else None
    return (match[1], match[2]) if match else ("", "")


def _fact(concept_id: str, metric: str, value: str, source_id: str, reading: ChunkReading) -> Claim:
    chunk = reading.chunk
    opinion = metric in _OPINIONS
    key = ClaimKey(
        entity=chunk.entity or concept_id,
        metric=metric,
        period=None,
        asserter=chunk.asserter,
        unit=Unit.LABEL,
        as_of=chunk.known_at.date().isoformat() if opinion and chunk.known_at else "",
    )
    return Claim(
        claim_id_of(concept_id, key, chunk.chunk_id, value),
        concept_id,
        key,
        None,
        None,
        value,
        source_id,
        chunk.chunk_id,
        chunk.known_at,
    )


def disjoint(one: Claim, two: Claim) -> bool:
    """Whether two claims of one key cannot both hold: closed intervals that do not meet, or different words."""
    if one.low is None or one.high is None or two.low is None or two.high is None:
        return one.value.strip().casefold() != two.value.strip().casefold()
    return one.high < two.low or two.high < one.low


def width(claim: Claim) -> Decimal:
    """How wide a claim's interval is; the narrowest is the canonical reading."""
    return claim.high - claim.low if claim.low is not None and claim.high is not None else Decimal(0)
