"""Where a piece of text stands: half-open character spans and the map from cleaned text back to its source."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range ``[start, end)`` of characters in a document's cleaned text."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"span [{self.start}, {self.end}) is not a range of characters")

    def __reduce__(self) -> "tuple[type[Span], tuple[int, int]]":
        # A reading of a million numbers travels between processes; what dataclasses do by default takes twice as long.
        return Span, (self.start, self.end)

    def __len__(self) -> int:
        return self.end - self.start

    def covers(self, other: "Span") -> bool:
        """Whether ``other`` lies wholly inside this span."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: "Span") -> bool:
        """Whether the two spans share at least one character."""
        return self.start < other.end and other.start < self.end

    def shifted(self, offset: int) -> "Span":
        """The same range, ``offset`` characters further on."""
        return Span(self.start + offset, self.end + offset)

    def of(self, text: str) -> str:
        """The characters of ``text`` that this span names."""
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """Piecewise map from offsets of the cleaned text to offsets of the decoded source text.

    Each run ``(clean_start, source_start)`` says that from ``clean_start`` on, until the next run, a cleaned
    offset lies at ``source_start + (offset - clean_start)``. Runs are sorted and the first starts at 0.
    """

    runs: Sequence[tuple[int, int]] = ((0, 0),)

    def to_source(self, offset: int) -> int:
        """The source offset of a cleaned offset."""
        runs = self.runs
        clean_start, source_start = runs[0] if len(runs) == 1 else runs[bisect_right(runs, (offset, 1 << 62)) - 1]
        return source_start + (offset - clean_start)
