"""The vector-RAG path: retrieve passages, answer from the best evidence or sentence in them."""

import hashlib
import json

from viska_assets.engines.protocols import Embedder
from viska_assets.guardrail.locate import locator_of
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.maintain.extractive.formatting import print_figure
from viska_assets.model.evidence import Evidence, Unit
from viska_assets.model.page import Locator, QuoteLocator, SourceEntry
from viska_assets.model.views import CitedChunk
from viska_assets.query.answers import Answer
from viska_assets.query.wording import Asked, Asking
from viska_assets.retrieval.search import hybrid_search
from viska_assets.store.chunks import cited_chunks
from viska_assets.store.database import Connection
from viska_assets.store.search import SearchScope
from viska_assets.text.metrics import METRICS, metric_of
from viska_assets.text.sentences import split_sentences

PASSAGES = 10
LEAST_FIT = 0.25
_NO_FIGURES = (Unit.DATE, Unit.PERIOD, Unit.LABEL, Unit.IDENTIFIER, Unit.ORDINAL)


def answer_from_passages(connection: Connection, embedder: Embedder | None, question: Asking) -> Answer:
    """The answer of the retrieval tier alone."""
    scope = SearchScope(entity=question.issuer)
    found = hybrid_search(connection, embedder, question.text, scope, PASSAGES)
    chunks = cited_chunks(connection, [passage.chunk_id for passage in found.passages])
    ordered = [chunks[p.chunk_id] for p in found.passages if p.chunk_id in chunks]
    if not ordered:
        return Answer(reason="no passage was found")
    asked = Asked(question.text, ordered[0].fiscal_year_end)
    return _number(asked, ordered) if asked.wants_number else _sentence(asked, ordered)


def _number(asked: Asked, chunks: list[CitedChunk]) -> Answer:
    scored = [
        (_fit(asked, evidence, rank), chunk, evidence)
        for rank, chunk in enumerate(chunks)
        for evidence in chunk.evidence
        if evidence.unit not in _NO_FIGURES
    ]
    if not scored:
        return Answer(reason="no passage holds a number")
    fit, chunk, evidence = max(scored, key=lambda item: (item[0], item[2].evidence_id))
    if fit < LEAST_FIT:
        return Answer(reason=f"the best number fits the question by {fit:.2f} only")
    locator = locator_of(evidence, ChunkReading(chunk))
    if locator is None:
        return Answer(reason="the best number cannot be cited unambiguously")
    entry = source_entry(chunk, locator, evidence.printed)
    return Answer(
        text=f"{', '.join((*evidence.row_path, *evidence.column_path))}: {print_figure(evidence)}".lstrip(": "),
        value=evidence.value,
        quantum=evidence.quantum,
        unit=evidence.unit,
        currency=evidence.currency,
        period=evidence.period,
        sources=(entry,),
    )


def _fit(asked: Asked, evidence: Evidence, rank: int) -> float:
    labels = " ".join((*evidence.row_path, *evidence.column_path))
    named = metric_of(evidence.row_path[-1]) if evidence.row_path else None
    if evidence.unit is Unit.PERCENT and asked.metrics and METRICS[next(iter(asked.metrics))].unit is not Unit.PERCENT:
        return 0.0
    metric = 0.0 if not asked.metrics else (0.6 if named in asked.metrics else -0.3)
    return asked.overlap(labels) + metric + 0.5 * asked.fits_period(evidence.period) - 0.02 * rank


def _sentence(asked: Asked, chunks: list[CitedChunk]) -> Answer:
    best: tuple[float, CitedChunk, str] | None = None
    for rank, chunk in enumerate(chunks):
        for span in split_sentences(chunk.text):
            text = span.of(chunk.text).strip()
            fit = asked.overlap(text) - 0.02 * rank
            quotable = 15 <= len(text) <= 300 and chunk.text.count(text) == 1 and "\n" not in text
            if quotable and (best is None or fit > best[0]):
                best = (fit, chunk, text)
    if best is None or best[0] < LEAST_FIT:
        return Answer(reason="no sentence fits the question")
    _, chunk, text = best
    return Answer(text=text, sources=(source_entry(chunk, QuoteLocator(quote=text), text[:80]),))


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
