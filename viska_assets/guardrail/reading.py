"""One cited chunk read for judging: its evidence by label, its sentences, periods, names and directions.

Numbers come from the stored evidence only; the text serves for quotes, direction words, dates and names.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from viska_assets.model.claim import ClaimKey
from viska_assets.model.evidence import Evidence
from viska_assets.model.span import Span
from viska_assets.model.views import CitedChunk, EvidenceView
from viska_assets.text.metrics import MetricMention, metrics_in, normal_label
from viska_assets.text.periods import PeriodMention, find_periods
from viska_assets.text.quantities import Quantity, Role, read_quantities
from viska_assets.text.sentences import split_sentences

_SPACE = re.compile(r"\s+")
PATH_JOIN = " / "


def loose(text: str) -> str:
    """Text with white space as single spaces, for comparing quotes."""
    return _SPACE.sub(" ", text).strip()


class KeyedEvidence(NamedTuple):
    """Evidence with the metric and segment that it states and the key it contradicts under, worked out once."""

    evidence: Evidence
    metric: str | None
    segment: str
    key: ClaimKey | None


@dataclass
class ChunkReading:
    """A chunk with what the gate asks of it, each part read once and on demand."""

    chunk: CitedChunk
    keys: dict[int, KeyedEvidence] = field(default_factory=dict)
    _sentences: dict[int, "SourceSentence"] = field(default_factory=dict)

    def local(self, span: Span) -> Span:
        """A span of the document as a span of the chunk's text."""
        offset = self.chunk.span.start
        return Span(max(0, span.start - offset), max(0, min(span.end - offset, len(self.chunk.text))))

    def is_prose(self, evidence: Evidence) -> bool:
        """Whether evidence stands in running text rather than in a table."""
        return not evidence.row_path and evidence.cell is None

    @cached_property
    def sentence_spans(self) -> tuple[Span, ...]:
        """The sentences of the chunk's text."""
        return split_sentences(self.chunk.text)

    def sentence_at(self, place: int) -> "SourceSentence":
        """The sentence that holds a place of the chunk's text."""
        spans = self.sentence_spans
        low, high = 0, len(spans) - 1
        while low < high:
            middle = (low + high) // 2
            if spans[middle].end <= place:
                low = middle + 1
            else:
                high = middle
        if low not in self._sentences:
            span = spans[low] if spans else Span(0, len(self.chunk.text))
            self._sentences[low] = SourceSentence(span, span.of(self.chunk.text), self.chunk)
        return self._sentences[low]

    @cached_property
    def periods(self) -> tuple[PeriodMention, ...]:
        """All time expressions of the chunk's text."""
        return tuple(find_periods(self.chunk.text, self.chunk.fiscal_year_end, locale=self.chunk.locale))

    @cached_property
    def lower(self) -> str:
        """The chunk's text in lower case with single spaces."""
        return loose(self.chunk.text).lower()

    @cached_property
    def rows(self) -> dict[str, list[Evidence]]:
        """Evidence by normalised row label, innermost and full path."""
        return _by_label(self.chunk.evidence, "row")

    @cached_property
    def columns(self) -> dict[str, list[Evidence]]:
        """Evidence by normalised column label, innermost and full path."""
        return _by_label(self.chunk.evidence, "column")

    @cached_property
    def row_labels(self) -> dict[str, str]:
        """The innermost row labels that are no periods, by normalised label."""
        return _labels(e.row_path for e in self.chunk.evidence)

    @cached_property
    def column_labels(self) -> dict[str, str]:
        """The innermost column labels that are no periods, by normalised label."""
        return _labels(e.column_path for e in self.chunk.evidence)

    def find_quote(self, quote: str) -> Span | None:
        """Where a quote stands in the chunk's text, white space aside; None where it does not."""
        at = self.chunk.text.find(quote)
        if at >= 0:
            return Span(at, at + len(quote))
        words = quote.split()
        if not words:
            return None
        match = re.search(r"\s+".join(re.escape(word) for word in words), self.chunk.text)
        return Span(match.start(), match.end()) if match else None


@dataclass
class SourceSentence:
    """One sentence of a source and the quantities read in it, for directions, nouns and metrics."""

    span: Span
    text: str
    chunk: CitedChunk

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """The numbers of the sentence."""
        return read_quantities(
            self.text,
            locale=self.chunk.locale,
            currency=self.chunk.currency,
            fiscal_year_end=self.chunk.fiscal_year_end,
        )

    @cached_property
    def metrics(self) -> tuple[MetricMention, ...]:
        """The metrics that the sentence names."""
        return metrics_in(self.text)

    def quantity_at(self, local: Span) -> Quantity | None:
        """The figure printed at a span of the chunk's text."""
        start, end = local.start - self.span.start, local.end - self.span.start
        for quantity in self.quantities:
            if quantity.role is Role.FIGURE and quantity.span.start < end and start < quantity.span.end:
                return quantity
        return None

    def metric_near(self, local: Span) -> str | None:
        """The metric a figure belongs to: the last one named before it in its clause, else the first after it."""
        start = local.start - self.span.start
        before = [
            m for m in self.metrics if m.span.end <= start and not re.search(r"[;|]", self.text[m.span.end : start])
        ]
        if before:
            return before[-1].metric_id
        after = [m for m in self.metrics if m.span.start >= start]
        return after[0].metric_id if after else None


def label_key(label: str) -> str:
    """The form in which labels are compared."""
    return normal_label(label)


@lru_cache(maxsize=16384)
def is_period_label(label: str) -> bool:
    """Whether a label names a time or holds no letter at all."""
    return not any(char.isalpha() for char in label) or bool(find_periods(label))


def _labels(paths: Iterable[tuple[str, ...]]) -> dict[str, str]:
    innermost = dict.fromkeys(path[-1] for path in paths if path)
    return {label_key(label): label for label in innermost if not is_period_label(label)}


def path_key(path: tuple[str, ...]) -> str:
    """The form in which whole label paths are compared."""
    return PATH_JOIN.join(label_key(label) for label in path)


def _by_label(evidence: tuple[Evidence, ...], which: str) -> dict[str, list[Evidence]]:
    found: dict[str, list[Evidence]] = {}
    for item in evidence:
        path = item.row_path if which == "row" else item.column_path
        if not path:
            continue
        for key in {label_key(path[-1]), path_key(path)}:
            found.setdefault(key, []).append(item)
    return found


class ChunkReader:
    """Reads each chunk of a view once."""

    def __init__(self, view: EvidenceView) -> None:
        self._view = view
        self._readings: dict[str, ChunkReading | None] = {}

    def read(self, chunk_id: str) -> ChunkReading | None:
        """The reading of a chunk, or None where no such chunk exists."""
        if chunk_id not in self._readings:
            chunk = self._view.chunk(chunk_id)
            self._readings[chunk_id] = ChunkReading(chunk) if chunk is not None else None
        return self._readings[chunk_id]
