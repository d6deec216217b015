"""The vector-RAG path: retrieve passages, answer from the best evidence or sentence in them."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from viska_assets.engines.protocols import Embedder
from viska_assets.guardrail.locate import locator_of
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.model.evidence import Evidence, Unit
from viska_assets.model.page import Locator, QuoteLocator, SourceEntry
from viska_assets.model.views import CitedChunk, EvidenceView
from viska_assets.query.answerer import Answerer, Material
from viska_assets.query.answers import Answer, AnswerClaim
from viska_assets.query.current import current_chunks
from viska_assets.query.from_pages import end_of_day
from viska_assets.query.names import NameTable
from viska_assets.query.support import supported_answer
from viska_assets.query.wording import Asked, Asking
from viska_assets.retrieval.analyser import term_set, terms_of
from viska_assets.retrieval.search import hybrid_search
from viska_assets.store.aliases import aliases
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Connection
from viska_assets.store.search import SearchScope
from viska_assets.text.metrics import METRICS, metric_of, metrics_in
from viska_assets.text.periods import find_periods
from viska_assets.text.printing import print_figure
from viska_assets.text.quantities import read_quantities
from viska_assets.text.quantity import Quantity, Role
from viska_assets.text.sentences import split_sentences

PASSAGES = 10
CLAIMS = 6
SENTENCES = 3
LEAST_FIT = 0.25
NO_FIGURES = (Unit.DATE, Unit.PERIOD, Unit.LABEL, Unit.IDENTIFIER, Unit.ORDINAL)


def answer_from_passages(
    connection: Connection, embedder: Embedder | None, question: Asking, *, answerer: Answerer | None = None
) -> Answer:
    """The answer of the retrieval tier alone; every claim of it passes the gate's P1 and P2."""
    named = [] if question.issuer else NameTable(aliases(connection)).named_in(question.text)
    issuer = question.issuer or (named[0].concept_id if len(named) == 1 else None)
    scope = SearchScope(entity=issuer, known_at=end_of_day(question))
    found = hybrid_search(connection, embedder, question.text, scope, PASSAGES)
    evidence = StoredEvidence(connection)
    evidence.preload(passage.chunk_id for passage in found.passages)
    ordered = [chunk for p in found.passages if (chunk := evidence.chunk(p.chunk_id)) is not None]
    current = current_chunks(connection, ordered, evidence, end_of_day(question)).chunks
    only = _Chunks({chunk.chunk_id: evidence.chunk(chunk.chunk_id) for chunk in current})
    return answer_from_chunks(question, current, only, answerer=answerer)


class _Chunks:
    """The chunks that were found, as the gate's evidence: an answer may cite nothing else."""

    def __init__(self, chunks: dict[str, CitedChunk | None]) -> None:
        self._chunks = chunks

    def chunk(self, chunk_id: str) -> CitedChunk | None:
        """One of the found chunks."""
        return self._chunks.get(chunk_id)


def answer_from_chunks(
    question: Asking, chunks: Sequence[CitedChunk], evidence: EvidenceView, *, answerer: Answerer | None = None
) -> Answer:
    """The answer of chunks that were found, best first; every claim of it passes the gate's P1 and P2."""
    if not chunks:
        return Answer(reason="no passage was found")
    claims = (answerer or extract_from_chunks)(question, Material(chunks=tuple(chunks)))
    return supported_answer(claims, (), evidence, CLAIMS)


def extract_from_chunks(question: Asking, material: Material) -> list[AnswerClaim]:
    """The figures or sentences of chunks that answer a question, as the documents state them."""
    first = material.chunks[0]
    names = frozenset(term for name in first.entity_names for term in terms_of(name))
    asked = Asked(question.text, first.fiscal_year_end, names)
    if asked.wants_number:
        # a figure that stands in no table may stand in a sentence
        return _numbers(asked, material.chunks) or _sentences(asked, material.chunks, with_figure=True)
    return _sentences(asked, material.chunks) or _opening(asked, first)


def _opening(asked: Asked, chunk: CitedChunk) -> list[AnswerClaim]:
    """What the best passage says with a word of the question, where no sentence shares enough of them.

    The company's name is no such word: a passage about a company does not answer everything that is asked of it.
    """
    said = [text for text in quotable_sentences(chunk) if _says_more(text, asked) and _touches(text, asked)]
    return [quote_claim(chunk, text, LEAST_FIT / 2) for text in said[:CLAIMS]]


def _touches(text: str, asked: Asked) -> bool:
    """Whether a sentence holds a word of the question beside the company's name."""
    return bool((asked.terms - asked.name_words) & term_set(text))


def _says_more(text: str, asked: Asked) -> bool:
    """Whether a sentence holds words beside those of the question and the company's name."""
    return len(term_set(text) - asked.terms - asked.name_words) > 1


def _numbers(asked: Asked, chunks: Sequence[CitedChunk]) -> list[AnswerClaim]:
    claims: list[AnswerClaim] = []
    for metric in asked.each_metric:
        for period in asked.each_period:
            best = _number(Asked.of_one(asked, metric, period), chunks)
            claims += [claim for claim in best if all(claim.text != known.text for known in claims)]
    return claims


def _number(asked: Asked, chunks: Sequence[CitedChunk]) -> list[AnswerClaim]:
    """The evidence that fits best and can be cited unambiguously; none where nothing fits."""
    scored = [
        (_fit(asked, evidence, rank), chunk, evidence)
        for rank, chunk in enumerate(chunks)
        for evidence in chunk.evidence
        if evidence.unit not in NO_FIGURES
    ]
    scored = [item for item in scored if item[0] >= LEAST_FIT]
    for fit, chunk, evidence in sorted(scored, key=lambda item: (-item[0], item[2].evidence_id))[:3]:
        locator = locator_of(evidence, ChunkReading(chunk))
        if locator is not None:
            return [figure_claim(chunk, evidence, locator, min(1.0, fit))]
    return []


def figure_claim(chunk: CitedChunk, evidence: Evidence, locator: Locator, fit: float) -> AnswerClaim:
    """A figure as an answer says it: its labels and what is printed, with the citation of its place."""
    labels = ", ".join((*evidence.row_path, *evidence.column_path))
    return AnswerClaim(
        text=f"{labels}: {print_figure(evidence)}".lstrip(": "),
        sources=(source_entry(chunk, locator, evidence.printed),),
        fit=fit,
        value=evidence.value,
        quantum=evidence.quantum,
        unit=evidence.unit,
        currency=evidence.currency,
        period=evidence.period,
    )


def _fit(asked: Asked, evidence: Evidence, rank: int) -> float:
    labels = " ".join((*evidence.row_path, *evidence.column_path))
    if asked.part and asked.part.lower() not in labels.lower().split():
        # The figure of the whole is no answer to a question for a part.
        return 0.0
    percents = asked.wants_change or not asked.metrics or METRICS[asked.metrics[0]].unit is Unit.PERCENT
    if evidence.unit is Unit.PERCENT and not percents:
        return 0.0
    if asked.fits_period(evidence.period) < 0:
        return 0.0
    if asked.wants_change and asked.metrics and evidence.unit is not Unit.PERCENT and not Asked(labels).wants_change:
        # The level of a figure is no answer to a question for its change.
        return 0.0
    named = metric_of(evidence.row_path[-1]) if evidence.row_path else None
    metric = 0.0 if not asked.metrics else (0.6 if named in asked.metrics else -0.3)
    row = 0.3 if evidence.row_path and asked.names(evidence.row_path[-1]) else 0.0
    return asked.overlap(labels) + metric + row + 0.5 * asked.fits_period(evidence.period) - 0.02 * rank


def _sentences(asked: Asked, chunks: Sequence[CitedChunk], *, with_figure: bool = False) -> list[AnswerClaim]:
    """The sentences that share most with the question, the second and third only where they share nearly as much.

    A sentence is read with the heading above it, and without the name of the company that all chunks are about; one
    that holds no word beside those of the question answers nothing.
    """
    focused = asked.besides(asked.name_words)
    scored: list[tuple[float, int, CitedChunk, str]] = []
    for rank, chunk in enumerate(chunks):
        headings = headings_of(chunk.text)
        for text in quotable_sentences(chunk):
            heading = next((title for at, title in reversed(headings) if at < chunk.text.index(text)), "")
            fit = focused.overlap(f"{heading} {text}" if focused.terms & term_set(heading) else text) - 0.02 * rank
            if fit >= LEAST_FIT and _says_more(text, asked) and (not with_figure or _gives_figure(text, asked)):
                scored.append((fit, len(scored), chunk, text))
    ordered = sorted(scored, key=lambda item: (-round(item[0], 6), item[1]))
    once = {text: (fit, chunk) for fit, _, chunk, text in reversed(ordered)}
    texts = [text for text in dict.fromkeys(item[3] for item in ordered) if once[text][0] >= 0.7 * ordered[0][0]]
    return [quote_claim(once[text][1], text, once[text][0]) for text in texts[:SENTENCES]]


def _gives_figure(text: str, asked: Asked) -> bool:
    """Whether a sentence holds one figure, of a metric, part and period that are asked for where any are."""
    if _figure_in(text) is None:
        return False
    if asked.metrics and not {mention.metric_id for mention in metrics_in(text)} & set(asked.metrics):
        return False
    if asked.part and asked.part.lower() not in set(re.findall(r"[a-z0-9&]+", text.lower())):
        return False
    said = [found.period for found in find_periods(text) if found.period]
    return not said or any(asked.fits_period(period) >= 0 for period in said)


def headings_of(text: str) -> list[tuple[int, str]]:
    """The lines of a text that stand alone and end no sentence, with their places: what follows is under them."""
    found = []
    at = 0
    for line in text.splitlines(keepends=True):
        plain = line.strip(" #*\n\r\t")
        if plain and len(plain) <= 60 and plain[-1] not in ".:;,!?" and not any(c in plain for c in "|:"):
            found.append((at, plain))
        at += len(line)
    return found


def _figure_in(text: str) -> Quantity | None:
    """The figure of a sentence that holds exactly one."""
    figures = [q for q in read_quantities(text) if q.role is Role.FIGURE]
    return figures[0] if len(figures) == 1 else None


def quotable_sentences(chunk: CitedChunk) -> Iterator[str]:
    """The sentences of a chunk that a quote can name: whole ones on one line, of a fair length, and there only once."""
    for span in split_sentences(chunk.text):
        text = span.of(chunk.text).strip()
        is_whole = text[-1:] in '.!?”")' or ": " in text
        if is_whole and 15 <= len(text) <= 300 and chunk.text.count(text) == 1 and "\n" not in text:
            yield text


def quote_claim(chunk: CitedChunk, text: str, fit: float) -> AnswerClaim:
    """A sentence of a chunk as an answer says it: in quotation marks, with the citation of its place."""
    entry = source_entry(chunk, QuoteLocator(quote=text), text[:80])
    plain = AnswerClaim(text=f"“{text}”", sources=(entry,), fit=min(1.0, fit))
    figure = _figure_in(text)
    if figure is None:
        return plain
    return replace(
        plain, value=figure.value, quantum=figure.quantum, unit=figure.unit, currency=figure.currency or chunk.currency
    )


def source_entry(chunk: CitedChunk, locator: Locator, excerpt: str) -> SourceEntry:
    """The citation of one place of a chunk, under an id that depends on nothing else."""
    key = hashlib.sha256(json.dumps([chunk.chunk_id, locator.model_dump()], sort_keys=True).encode()).hexdigest()
    return SourceEntry(
        id=f"c{key[:9]}",
        resource=f"/{chunk.source_concept}.md",
        chunk=chunk.chunk_id,
        locator=locator,
        excerpt=excerpt,
        content_sha256=chunk.content_sha256,
    )
