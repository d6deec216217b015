"""Facts: figures keyed by what they are about, read from found passages and from sentences that a caller gives."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from viska_assets.guardrail.claims import key_of
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.hermes.parts import speaks_of_part
from viska_assets.model.claim import ClaimKey
from viska_assets.model.evidence import Evidence, Scenario
from viska_assets.model.span import Span
from viska_assets.model.views import CitedChunk
from viska_assets.query.names import NameTable
from viska_assets.query.results import Dated, Hit, Where
from viska_assets.text.metrics import METRICS, metrics_in
from viska_assets.text.periods import find_periods
from viska_assets.text.quantities import read_quantities
from viska_assets.text.quantity import Role
from viska_assets.text.sentences import split_sentences


@dataclass(frozen=True, slots=True)
class Fact:
    """One stated figure: what it is about, the interval that its printed digits allow, and who says it where.

    ``key`` names the speaker of a view (a target, an estimate) and leaves out that of what is actual, so that two
    speakers can speak against each other. ``document`` tells independent
    sources from repeated ones.
    """

    id: str
    key: ClaimKey
    low: Decimal
    high: Decimal
    printed: str
    statement: str
    where: Where
    date: Dated
    contributor: str
    document: str


def facts_of_hit(hit: Hit, chunk: CitedChunk, names: NameTable) -> tuple[Fact, ...]:
    """The facts of a found passage: those of its tables by their labels, those of its sentences by their words."""
    reading = ChunkReading(chunk)
    about = chunk.entity or _one_concept(f"{hit.where.title} {chunk.text}", names)
    if about is None:
        return ()
    facts: dict[tuple[ClaimKey, str], Fact] = {}
    own_names = frozenset(word for name in chunk.entity_names for word in _words(name))
    for evidence in chunk.evidence:
        key = key_of(evidence, reading)
        if key is not None and not _is_of_part(evidence, reading, names, own_names):
            # Two houses may think differently of a target; what is actual is so whoever says it.
            speaker = key.asserter if key.as_of else ""
            own = replace(key, asserter=speaker, entity=key.entity or about)
            facts.setdefault((own, evidence.printed), _of_evidence(hit, chunk, evidence, own))
    for key, low, high, printed, sentence, span in _stated(chunk.text, about, names, own_names, chunk.fiscal_year_end):
        place = Span(chunk.span.start + span.start, chunk.span.start + span.end)
        fact = _fact(hit, chunk.document_id, key, low, high, printed, sentence, place)
        facts.setdefault((key, printed), fact)
    return tuple(sorted(facts.values(), key=lambda fact: fact.id))


def facts_of_text(hit: Hit, names: NameTable) -> tuple[Fact, ...]:
    """The facts that the sentences of a hit state which is no passage of the index: a committed line, a web page."""
    about = _one_concept(hit.text, names)
    if about is None:
        return ()
    found = [
        _fact(hit, hit.where.uri, key, low, high, printed, sentence, span)
        for key, low, high, printed, sentence, span in _stated(hit.text, about, names)
    ]
    return tuple(sorted(found, key=lambda fact: fact.id))


def facts_of_sentences(sentences: Sequence[str], names: NameTable, contributor: str = "the caller") -> tuple[Fact, ...]:
    """The facts that sentences state; a sentence without one company, one metric and one figure states none."""
    found = []
    for number, sentence in enumerate(sentences, start=1):
        about = _one_concept(sentence, names)
        if about is None:
            continue
        for key, low, high, printed, text, _ in _stated(sentence, about, names):
            where = Where(uri=f"viska://given/{number}", namespace="", title=f"statement {number}")
            identity = _identity(where.uri, key, printed)
            date = Dated(None, "the caller gave no date")
            found.append(Fact(identity, key, low, high, printed, text, where, date, contributor, where.uri))
    return tuple(found)


def _of_evidence(hit: Hit, chunk: CitedChunk, evidence: Evidence, key: ClaimKey) -> Fact:
    half = evidence.quantum / 2
    labels = ", ".join(part for part in (*evidence.row_path[-1:], *evidence.column_path[-1:]) if part)
    statement = f"{labels}: {evidence.printed}".removeprefix(": ")
    return _fact(
        hit,
        chunk.document_id,
        key,
        evidence.value - half,
        evidence.value + half,
        evidence.printed,
        statement,
        evidence.span,
    )


def _fact(
    hit: Hit, document: str, key: ClaimKey, low: Decimal, high: Decimal, printed: str, statement: str, span: Span
) -> Fact:
    where = replace(hit.where, span=span)
    identity = _identity(f"{hit.id}:{span.start}", key, printed)
    return Fact(identity, key, low, high, printed, statement, where, hit.date, hit.contributor, document)


def _is_of_part(evidence: Evidence, reading: ChunkReading, names: NameTable, own_names: frozenset[str]) -> bool:
    """Whether evidence of running text that no tag explains stands in a sentence about a part of the company."""
    if evidence.xbrl is not None or not reading.is_prose(evidence):
        return False
    sentence = reading.sentence_at(reading.local(evidence.span).start).text
    return speaks_of_part(sentence, own_names | _named_words(sentence, names))


def _named_words(sentence: str, names: NameTable) -> frozenset[str]:
    """The words of the names of companies in a sentence."""
    named = names.named_in(sentence)
    return frozenset(word for one in named for word in (*one.alias.split(), *_words(sentence[one.start : one.end])))


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z0-9&]+", name.lower())


def _stated(
    text: str,
    about: str,
    names: NameTable,
    own_names: frozenset[str] = frozenset(),
    fiscal_year_end: tuple[int, int] | None = None,
) -> Iterable[tuple[ClaimKey, Decimal, Decimal, str, str, Span]]:
    """The figures of sentences that name one metric and one period: what is left open is no fact to compare."""
    for span in split_sentences(text):
        sentence = span.of(text)
        metrics = {mention.metric_id for mention in metrics_in(sentence)}
        periods = {mention.period for mention in find_periods(sentence, fiscal_year_end) if mention.period}
        if len(metrics) != 1 or len(periods) != 1:
            continue
        (metric,), (period,) = metrics, periods
        figures = [
            quantity
            for quantity in read_quantities(sentence)
            if quantity.role is Role.FIGURE and quantity.unit is METRICS[metric].unit and not quantity.malformed
        ]
        if len(figures) != 1 or speaks_of_part(sentence, own_names | _named_words(sentence, names)):
            continue
        figure = figures[0]
        half = figure.quantum / 2
        key = ClaimKey(about, metric, period, currency=figure.currency, unit=figure.unit, scenario=_scenario(sentence))
        place = Span(span.start + figure.span.start, span.start + figure.span.end)
        printed = sentence[figure.extent.start : figure.extent.end].strip()
        yield key, figure.value - half, figure.value + half, printed, sentence.strip(), place


def _scenario(sentence: str) -> Scenario:
    words = set(sentence.lower().replace(",", " ").split())
    if words & {"expects", "expect", "guides", "guidance", "outlook", "forecasts", "forecast"}:
        return Scenario.GUIDANCE
    return Scenario.ESTIMATE if words & {"estimates", "estimate", "estimated"} else Scenario.ACTUAL


def _one_concept(text: str, names: NameTable) -> str | None:
    named = names.named_in(text[:4000])
    return named[0].concept_id if len(named) == 1 else None


def _identity(place: str, key: ClaimKey, printed: str) -> str:
    return hashlib.sha256(f"{place}|{key}|{printed}".encode()).hexdigest()[:16]
