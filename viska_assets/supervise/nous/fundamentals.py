"""Anomalies of fundamentals: a figure far from the period before, a shifted margin, a restated figure, missed guidance.

Every statement is a printed figure with its place. Reckoned changes stand in the payload, for what no source prints
cannot be cited.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from viska_assets.model.evidence import Period, Scenario, Unit
from viska_assets.store.policy_loop import NousSection
from viska_assets.store.supervised.nous_rows import Candidate, DocumentRead
from viska_assets.supervise.nous.citing import Figure, figures_of
from viska_assets.text.metrics import Polarity, polarity_of

LEVELS = frozenset({Unit.MONEY, Unit.PER_SHARE, Unit.SHARES, Unit.COUNT})
YEAR = range(350, 381)
HORIZON_DAYS = 90


@dataclass(frozen=True)
class Anomaly:
    """Two figures that are worth a look together: ``size`` orders anomalies, ``change`` is what the payload says."""

    kind: str
    newer: Figure
    older: Figure
    change: Decimal
    size: Decimal


def fundamentals(documents: Sequence[DocumentRead], policy: NousSection) -> list[Candidate]:
    """The candidates of some documents, the greatest anomaly first; each metric once a kind."""
    figures = [figure for document in documents for figure in figures_of(document) if figure.metric]
    found = [*_year_on_year(figures, policy), *_restated(figures), *_guided(figures, policy)]
    once: dict[tuple[str, str | None], Candidate] = {}
    for anomaly in sorted(found, key=lambda a: (-a.size, a.newer.evidence.evidence_id, a.older.evidence.evidence_id)):
        key = (anomaly.kind, anomaly.newer.metric)
        if key not in once and (candidate := _candidate(anomaly, policy)):
            once[key] = candidate
    return list(once.values())


def _year_on_year(figures: Iterable[Figure], policy: NousSection) -> Iterator[Anomaly]:
    """Figures of one row of one table whose periods lie a year apart."""
    rows: dict[tuple[object, ...], list[Figure]] = defaultdict(list)
    for figure in figures:
        e = figure.evidence
        if e.scenario in (None, Scenario.ACTUAL):
            rows[(e.chunk_id, e.row_path, e.unit, e.currency, _length(e.period))].append(figure)
    for row in rows.values():
        newest = max(row, key=lambda f: _end(f))
        before = [f for f in row if (_end(newest) - _end(f)) in YEAR]
        if not before or newest.evidence.value == before[0].evidence.value:
            continue
        older = before[0]
        new, old = newest.evidence.value, older.evidence.value
        if newest.evidence.unit is Unit.PERCENT and abs(new - old) >= policy.least_margin_shift:
            yield Anomaly("margin_shift", newest, older, new - old, abs(new - old) / 100)
        elif newest.evidence.unit in LEVELS and old and abs(new - old) / abs(old) >= policy.least_change:
            change = ((new - old) / abs(old)).quantize(Decimal("0.0001"))
            yield Anomaly("fundamentals_change", newest, older, change, min(abs(change), Decimal(10)))


def _restated(figures: Iterable[Figure]) -> Iterator[Anomaly]:
    """The same figure of the same issuer and period with another value in a later document."""
    said: dict[tuple[object, ...], list[Figure]] = defaultdict(list)
    for figure in figures:
        e = figure.evidence
        if e.scenario in (None, Scenario.ACTUAL) and figure.document.known_at is not None:
            key = (figure.document.entity, figure.metric, e.row_path, e.unit, e.currency, e.period, e.basis)
            said[key].append(figure)
    for group in said.values():
        by_age = sorted(group, key=lambda f: (str(f.document.known_at), f.evidence.evidence_id))
        older, newer = by_age[0], by_age[-1]
        apart = newer.evidence.value - older.evidence.value
        if older.document is not newer.document and abs(apart) > max(older.evidence.quantum, newer.evidence.quantum):
            change = (apart / abs(older.evidence.value)).quantize(Decimal("0.0001")) if older.evidence.value else apart
            yield Anomaly("restated_figure", newer, older, change, abs(change) + 1)


def _guided(figures: Sequence[Figure], policy: NousSection) -> Iterator[Anomaly]:
    """An actual figure far from its issuer's guidance for the period."""
    promised = [f for f in figures if f.evidence.scenario is Scenario.GUIDANCE]
    for actual in figures:
        if actual.evidence.scenario not in (None, Scenario.ACTUAL):
            continue
        for guided in promised:
            a, g = actual.evidence, guided.evidence
            same = (a.unit, a.currency, a.period, actual.metric) == (g.unit, g.currency, g.period, guided.metric)
            one_issuer = actual.document.entity == guided.document.entity
            if same and one_issuer and g.value and abs(a.value - g.value) / abs(g.value) >= policy.least_change / 2:
                change = ((a.value - g.value) / abs(g.value)).quantize(Decimal("0.0001"))
                yield Anomaly("guidance_miss", actual, guided, change, abs(change) + Decimal("0.5"))


def _candidate(anomaly: Anomaly, policy: NousSection) -> Candidate | None:
    newer, older = anomaly.newer, anomaly.older
    citations = [newer.citation(), older.citation()]
    concept = newer.document.entity
    if concept is None or any(citation is None for citation in citations):
        return None
    rose = newer.evidence.value > older.evidence.value
    costs = polarity_of(newer.metric) is Polarity.MAGNITUDE
    restated = anomaly.kind == "restated_figure"
    return Candidate(
        kind=anomaly.kind,
        concept_id=concept,
        direction="neutral" if restated else "short" if rose is costs else "long",
        severity="high" if anomaly.size >= policy.high_change or restated else "medium",
        headline=f"{newer.label}: {_WORDS[anomaly.kind]}",
        rationale=f"{newer.statement}\n{older.statement}",
        citations=[dict(citation) for citation in citations if citation],
        confidence=Decimal("0.6"),
        horizon_days=HORIZON_DAYS,
        payload=_payload(anomaly),
        source_domain=newer.document.source_domain,
    )


_WORDS: Mapping[str, str] = {
    "fundamentals_change": "far from the year before",
    "margin_shift": "a shift against the year before",
    "restated_figure": "restated in a later document",
    "guidance_miss": "far from what was guided",
}


def _payload(anomaly: Anomaly) -> dict[str, Any]:
    return {
        "metric": anomaly.newer.metric,
        "change": str(anomaly.change),
        "newer": str(anomaly.newer.evidence.value),
        "older": str(anomaly.older.evidence.value),
        "unit": anomaly.newer.evidence.unit.value,
        "documents": sorted({anomaly.newer.document.document_id, anomaly.older.document.document_id}),
    }


def _end(figure: Figure) -> int:
    period = figure.evidence.period
    assert period is not None
    return period.end.toordinal()


def _length(period: Period | None) -> int:
    """The length of a period in months, roughly, so that 52 and 53 weeks are alike."""
    return round(period.days / 30.4) if period else 0
