"""Checking a claim against the sources: supported, contradicted or unsupported, each with the spans that say so."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from viska_assets.guardrail.locate import locate_claim, locator_of
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.model.evidence import Evidence, Unit
from viska_assets.model.page import SourceEntry
from viska_assets.model.verdict import Severity
from viska_assets.model.views import CitedChunk
from viska_assets.query.current import current_chunks
from viska_assets.query.errors import QueryError
from viska_assets.query.from_pages import end_of_day
from viska_assets.query.from_passages import source_entry
from viska_assets.query.library import Reader
from viska_assets.query.names import NameTable
from viska_assets.query.results import Source
from viska_assets.query.search import index_of
from viska_assets.query.sources import resolve_sources
from viska_assets.query.support import support_findings
from viska_assets.query.wording import Asked, Asking
from viska_assets.retrieval.search import hybrid_search
from viska_assets.store.aliases import aliases
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.scope import SearchScope
from viska_assets.text.metrics import metric_of
from viska_assets.text.quantities import read_quantities
from viska_assets.text.quantity import Quantity, Role

PASSAGES = 10
SHOWN = 5


class Standing(StrEnum):
    """How a claim stands to the sources. No source is preferred: what contradicts is shown, never resolved."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True)
class Checked:
    """A claim with its standing and the passages that say so; ``codes`` are the gate's, where it is not supported."""

    claim: str
    standing: Standing
    sources: tuple[Source, ...]
    codes: tuple[str, ...] = ()
    reason: str = ""


def source_check(reader: Reader, claim: Asking) -> Checked:
    """Whether the sources bear a claim out, by the gate's own predicates.

    It is supported where P1 and P2 hold over the passages found for it; contradicted where a passage states the same
    metric of the same company for the same period with another value; unsupported where neither is so.

    Raises:
        QueryError: for an empty claim.
    """
    if not claim.text.strip():
        raise QueryError("the claim is empty", "state one claim")
    named = NameTable(aliases(reader.connection)).named_in(claim.text)
    issuer = claim.issuer or (named[0].concept_id if len(named) == 1 else None)
    evidence = StoredEvidence(reader.connection)
    chunks: list[CitedChunk] = []
    index = index_of(reader, reader.namespaces)
    for namespace in index.namespaces:
        scope = SearchScope(namespace=namespace, entity=issuer, known_at=end_of_day(claim))
        found = hybrid_search(reader.connection, index.embedder, claim.text, scope, PASSAGES, model=index.model)
        evidence.preload(passage.chunk_id for passage in found.passages)
        chunks += [chunk for p in found.passages if (chunk := evidence.chunk(p.chunk_id)) is not None]
    if not chunks:
        return Checked(claim.text, Standing.UNSUPPORTED, (), reason="no passage was found")
    current = current_chunks(reader.connection, chunks, evidence, end_of_day(claim))
    was_stated = bool(current.restates) and bool(_stated(claim.text, chunks)[0])
    chunks = list(current.chunks)
    agreeing, against = _stated(claim.text, chunks)
    entries = agreeing[:1] or _places(claim.text, chunks)
    codes = _doubts(claim.text, entries, evidence) if entries else ("NO_CITATION",)
    if not codes:
        return Checked(claim.text, Standing.SUPPORTED, _resolved(reader, entries, evidence))
    if against:
        reason = "an earlier document states it, and a newer one restates the figure" if was_stated else ""
        return Checked(claim.text, Standing.CONTRADICTED, _resolved(reader, against[:SHOWN], evidence), codes, reason)
    return Checked(claim.text, Standing.UNSUPPORTED, (), codes, "no passage states it")


def _doubts(claim: str, entries: Sequence[SourceEntry], evidence: StoredEvidence) -> tuple[str, ...]:
    """The gate's hard codes, and its warnings that a label, period or currency could not be verified.

    On a page a writer has chosen the citation; here it was searched for, so that a number which merely occurs
    somewhere must not count.
    """
    found = support_findings(claim, entries, evidence)
    return tuple(sorted({f.code for f in found if f.severity is Severity.HARD or f.code.endswith("_UNVERIFIED")}))


def _places(claim: str, chunks: Sequence[CitedChunk]) -> list[SourceEntry]:
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    found = [p for p in locate_claim(claim, chunks) if p.locator is not None]
    entries = [source_entry(by_id[p.chunk_id], p.locator, p.excerpt) for p in found if p.locator is not None]
    return list({entry.id: entry for entry in entries}.values())


def _stated(claim: str, chunks: Sequence[CitedChunk]) -> tuple[list[SourceEntry], list[SourceEntry]]:
    """Cells that state what the claim states: with a value that agrees with it, and with another."""
    asked = Asked(claim, chunks[0].fiscal_year_end)
    figures = [q for q in read_quantities(claim) if q.role is Role.FIGURE]
    agreeing: list[SourceEntry] = []
    against: list[SourceEntry] = []
    if not figures or len(asked.metrics) != 1 or not asked.periods or asked.wants_change or asked.part:
        return agreeing, against
    for chunk in chunks:
        for evidence in chunk.evidence:
            locator = locator_of(evidence, ChunkReading(chunk)) if _states_the_same(asked, evidence) else None
            if locator is not None:
                agrees = any(_agrees(figure, evidence) for figure in figures)
                (agreeing if agrees else against).append(source_entry(chunk, locator, evidence.printed))
    return agreeing, against


def _states_the_same(asked: Asked, evidence: Evidence) -> bool:
    if not evidence.row_path or evidence.unit is Unit.PERCENT:
        return False
    return metric_of(evidence.row_path[-1]) == asked.metrics[0] and asked.fits_period(evidence.period) > 0


def _agrees(figure: Quantity, evidence: Evidence) -> bool:
    return abs(figure.value - evidence.value) <= max(figure.quantum, evidence.quantum) / 2


def _resolved(reader: Reader, entries: Sequence[SourceEntry], evidence: StoredEvidence) -> tuple[Source, ...]:
    found = resolve_sources(reader.connection, [(entry, "") for entry in entries], evidence)
    for source in found:
        reader.show(source.where.namespace, source.where.uri)
    return found
