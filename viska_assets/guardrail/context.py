"""What surrounds a figure on the page, and whether it fits what surrounds the evidence: period, basis, scenario."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from viska_assets.guardrail.period_match import covers_year, is_compatible, is_within, same_time
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.model.claim_unit import ClaimUnit
from viska_assets.model.evidence import Basis, Evidence, Period, Scenario, Unit
from viska_assets.text.metrics import MetricMention, metrics_in
from viska_assets.text.periods import FiscalYearEnd, PeriodKind, PeriodMention, find_periods
from viska_assets.text.quantities import Quantity, Role, Side, read_quantities
from viska_assets.text.units import declared_scale


@dataclass
class UnitContext:
    """A claim unit read once: its quantities, periods, metrics and labels."""

    unit: ClaimUnit
    currency: str | None = None
    fiscal_year_end: FiscalYearEnd | None = None

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """The numbers of the unit's text; a cell takes the scale and currency that its labels declare."""
        found = read_quantities(
            self.unit.text, currency=self.currency, side=Side.PAGE, fiscal_year_end=self.fiscal_year_end
        )
        if not self.labels:
            return found
        scale, currency = declared_scale(self.unit.column_label)
        if not scale and currency is None:
            scale, currency = declared_scale(self.unit.row_label)
        return tuple(_declared(q, scale, currency) for q in found)

    @property
    def labels(self) -> str:
        """The row and column label of a cell."""
        return (
            f"{self.unit.row_label} | {self.unit.column_label}" if self.unit.row_label or self.unit.column_label else ""
        )

    @cached_property
    def full_text(self) -> str:
        """The text with its labels, as the reader sees it."""
        return f"{self.labels} | {self.unit.text}" if self.labels else self.unit.text

    @cached_property
    def periods(self) -> tuple[PeriodMention, ...]:
        """The periods that the unit and its labels name."""
        own = tuple(q.period for q in self.quantities if q.role is Role.PERIOD and q.period is not None)
        return own + tuple(find_periods(self.labels, self.fiscal_year_end)) if self.labels else own

    @cached_property
    def metrics(self) -> tuple[MetricMention, ...]:
        """The metrics that the unit and its labels name."""
        return metrics_in(self.full_text)


def _declared(figure: Quantity, scale: int, currency: str | None) -> Quantity:
    """A cell's figure under the scale and currency that its labels declare."""
    if figure.role is not Role.FIGURE or figure.unit not in (Unit.MONEY, Unit.COUNT, Unit.SHARES):
        return figure
    if currency and figure.unit is Unit.COUNT and not figure.noun:
        figure = replace(figure, unit=Unit.MONEY, currency=currency)
    if not scale or figure.scale_explicit:
        return figure
    return replace(
        figure,
        value=figure.value.scaleb(scale),
        quantum=figure.quantum.scaleb(scale),
        scale=scale,
        scale_explicit=True,
    )


_QUARTER_ROW = re.compile(r"(?:first|second|third|fourth)(?:\squarter)?", re.I)


@lru_cache(maxsize=16384)
def _label_periods(label: str, fye: FiscalYearEnd | None) -> tuple[PeriodMention, ...]:
    return tuple(find_periods(label, fye))


def located_periods(evidence: Evidence, reading: ChunkReading) -> list[PeriodMention]:
    """The periods that stand at the evidence: in its labels, or in its sentence and the two before."""
    fye = reading.chunk.fiscal_year_end
    if not reading.is_prose(evidence):
        labels = [*evidence.row_path, *evidence.column_path, " ".join(evidence.column_path)]
        if evidence.row_path and _QUARTER_ROW.fullmatch(evidence.row_path[-1].strip()):
            labels.append(f"{evidence.row_path[-1].split()[0]} quarter of {' '.join(evidence.column_path)}")
        return [m for label in dict.fromkeys(labels) for m in _label_periods(label, fye)]
    spans = reading.sentence_spans
    place = reading.local(evidence.span).start
    at = next((i for i, s in enumerate(spans) if s.end > place), 0)
    start, end = (spans[max(0, at - 2)].start, spans[at].end) if spans else (0, len(reading.chunk.text))
    return [m for m in reading.periods if start <= m.span.start < end]


def period_conflict(context: UnitContext, evidence: Evidence, reading: ChunkReading) -> bool:
    """Whether the unit names periods and none of them is the evidence's."""
    mentions = context.periods
    if not mentions:
        return False
    located = located_periods(evidence, reading)
    fye = reading.chunk.fiscal_year_end
    if any(same_time(m, s) for m in mentions for s in located):
        if evidence.period is None or not reading.is_prose(evidence):
            return False
        sentence = reading.sentence_at(reading.local(evidence.span).start).span
        listed = [m for m in located if sentence.start <= m.span.start < sentence.end]
        if len(_distinct(mentions)) >= len(_distinct(listed)):
            return False
        # Of several periods that the source lists, the page names fewer: they must include the number's own.
        return not any(is_compatible(m, evidence.period, fye) for m in mentions)
    if not reading.is_prose(evidence) and not evidence.column_path:
        return False
    if evidence.period is not None:
        period = evidence.period
        if any(is_compatible(m, period, fye) for m in mentions):
            return False
        # A bare year over a shorter period is loose talk only where the source itself prints just the year.
        return not any(covers_year(m, period, fye) and s.kind is PeriodKind.YEAR for m in mentions for s in located)
    if located:
        return not any(is_within(m, s) for m in mentions for s in located)
    return False


def _distinct(mentions: Iterable[PeriodMention]) -> set[Period]:
    return {m.period for m in mentions if m.period is not None}


def untraced_periods(
    context: UnitContext, used: list[tuple[Evidence, ChunkReading]], cited: list[ChunkReading]
) -> list[PeriodMention]:
    """The periods of a unit that neither the used evidence nor its surroundings state.

    ``used`` is the evidence that grounds the unit's figures; without figures the whole cited chunks count.
    """
    located = [m for evidence, reading in used for m in located_periods(evidence, reading)]
    wide = [reading for evidence, reading in used if not reading.is_prose(evidence)] if used else cited
    missing: list[PeriodMention] = []
    for mention in context.periods:
        if _is_among(mention, located):
            continue
        periods = [(e.period, r) for e, r in used if e.period is not None]
        if not used:
            periods = [(e.period, r) for r in cited for e in r.chunk.evidence if e.period is not None]
        if any(
            is_compatible(mention, period, reading.chunk.fiscal_year_end)
            or covers_year(mention, period, reading.chunk.fiscal_year_end)
            for period, reading in periods
        ):
            continue
        if not any(_is_among(mention, reading.periods) for reading in wide):
            missing.append(mention)
    return missing


def _is_among(mention: PeriodMention, known: Iterable[PeriodMention]) -> bool:
    return any(same_time(mention, m) or is_within(mention, m) for m in known)


_COMPUTED = (
    (re.compile(r"\b(?:average|mean)\b", re.I), re.compile(r"\b(?:average|avg|mean)", re.I)),
    (
        re.compile(r"\bdifference\sbetween\b", re.I),
        re.compile(r"\bdifferen|\bexcess\b|\bgap\b|\bspread\b|\bnet\b", re.I),
    ),
    (
        re.compile(r"\b(?:percentage\s)?change\sin\b|\bpercentage\schange\b", re.I),
        re.compile(
            r"chang|increas|decreas|growth|grew|rose|fell|declin|varia|movement|reduc|higher|lower|\bup\b|\bdown\b|improve|yoy",
            re.I,
        ),
    ),
)


def computed_words(context: UnitContext, evidence: Evidence, reading: ChunkReading) -> str | None:
    """A word by which the unit claims a computed figure (``average``) where the source prints a plain one."""
    source = _surroundings(evidence, reading)
    for claimed, printed in _COMPUTED:
        match = claimed.search(context.full_text)
        if (
            match
            and not printed.search(source)
            and not printed.search(" ".join([*evidence.row_path, *evidence.column_path]))
        ):
            return match[0]
    return None


_NON_GAAP = re.compile(
    r"\b(?:non-gaap|adjusted|underlying|core\s(?:earnings|eps|operating)|comparable\sebit\w*)\b", re.I
)
_GAAP = re.compile(r"(?<!non-)\b(?:gaap|as\sreported|ifrs)\b", re.I)
_EXPECTED = re.compile(
    r"\b(?:guid\w+|outlook|expect\w*|forecast\w*|anticipat\w*|target\w*|project(?:s|ed|ion|ions)|consensus|estimat\w*|will|plans?\sto|"
    r"could|should|may|would|intend\w*|goal|ambition)\b|\b(?:19|20)\d{2}E\b|\bFY\d{2}E\b",
    re.I,
)
_HAPPENED = re.compile(
    r"\b(?:was|were|had|reported|posted|achieved|generated|amounted|totaled|totalled|reached|rose|fell|grew|\w{3,}(?:ed))\b",
    re.I,
)
_PROMISE = re.compile(r"\b(?:guidance|guid(?:es|ed|ing)|outlook|consensus|forecast\w*)\b", re.I)


def basis_conflict(context: UnitContext, evidence: Evidence, reading: ChunkReading) -> bool:
    """Whether the unit claims an adjusted figure on reported evidence or the reverse."""
    if evidence.basis is None:
        return False
    claims_adjusted, claims_reported = bool(_NON_GAAP.search(context.full_text)), bool(_GAAP.search(context.full_text))
    source = _surroundings(evidence, reading)
    if claims_adjusted and not claims_reported:
        return evidence.basis is not Basis.NON_GAAP and not _NON_GAAP.search(source)
    if claims_reported and not claims_adjusted:
        return evidence.basis is Basis.NON_GAAP and not _GAAP.search(source)
    return False


def scenario_conflict(context: UnitContext, evidence: Evidence, reading: ChunkReading) -> bool:
    """Whether a promise or expectation is claimed as an actual or the reverse."""
    if evidence.scenario is None:
        return False
    labels = " ".join([*evidence.row_path, *evidence.column_path])
    if not reading.is_prose(evidence) and evidence.scenario is not Scenario.ACTUAL and not _EXPECTED.search(labels):
        return False
    if evidence.scenario is Scenario.ACTUAL:
        return bool(_PROMISE.search(context.full_text)) and not _EXPECTED.search(_surroundings(evidence, reading))
    claims_actual = _HAPPENED.search(context.full_text) is not None
    return claims_actual and not _EXPECTED.search(f"{context.full_text} {context.unit.section}")


def _surroundings(evidence: Evidence, reading: ChunkReading) -> str:
    if reading.is_prose(evidence):
        return reading.sentence_at(reading.local(evidence.span).start).text
    return " | ".join([*evidence.row_path, *evidence.column_path, reading.chunk.text[:200]])
