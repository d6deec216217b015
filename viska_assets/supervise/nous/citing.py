"""Figures of cleaned text as statements that the gate can ground: labels and printed figure, with the exact place."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from viska_assets.guardrail.locate import locator_of
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.model.evidence import Evidence
from viska_assets.model.span import Span
from viska_assets.model.views import CitedChunk
from viska_assets.store.chunks import text_hash
from viska_assets.store.supervised.nous_rows import ChunkRead, DocumentRead
from viska_assets.text.metrics import metric_of
from viska_assets.text.printing import print_figure


@dataclass(frozen=True)
class Figure:
    """One figure of a document with the chunk that it stands in."""

    evidence: Evidence
    reading: ChunkReading
    document: DocumentRead

    @cached_property
    def label(self) -> str:
        """The innermost row label, as printed."""
        return self.evidence.row_path[-1].strip() if self.evidence.row_path else ""

    @cached_property
    def metric(self) -> str | None:
        """The metric that the label or the tag names."""
        tag = self.evidence.xbrl.concept if self.evidence.xbrl else ""
        return metric_of(self.label) or (metric_of(tag) if tag else None)

    @property
    def statement(self) -> str:
        """The figure in words: its labels and what is printed."""
        labels = ", ".join((*self.evidence.row_path, *self.evidence.column_path))
        return f"{labels}: {print_figure(self.evidence)}".lstrip(": ")

    def citation(self) -> Mapping[str, Any] | None:
        """Where it stands, as ``{chunk_id, locator, content_sha256}``; None where no locator names it alone."""
        locator = locator_of(self.evidence, self.reading)
        if locator is None:
            return None
        return {
            "chunk_id": self.evidence.chunk_id,
            "locator": locator.model_dump(mode="json"),
            "content_sha256": self.reading.chunk.content_sha256,
        }


def figures_of(document: DocumentRead) -> Iterator[Figure]:
    """The figures of a document that stand in tables and have a period, in reading order."""
    for chunk in document.chunks:
        reading = ChunkReading(_cited(chunk, document))
        for evidence in chunk.figures:
            if evidence.row_path and evidence.period is not None:
                yield Figure(evidence, reading, document)


def _cited(chunk: ChunkRead, document: DocumentRead) -> CitedChunk:
    span = Span(chunk.start, chunk.start + len(chunk.text))
    return CitedChunk(
        chunk.chunk_id,
        document.document_id,
        chunk.text,
        text_hash(chunk.text),
        span,
        entity=document.entity,
        evidence=chunk.figures,
    )
