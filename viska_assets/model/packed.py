"""Offset runs and table cells in flat arrays, for documents that hold millions of them; objects are made on asking."""

from array import array
from collections.abc import Iterator, Sequence
from typing import overload

from viska_assets.model.document import Cell
from viska_assets.model.span import Span

# Start and end in the cells' text, row, column, row span, column span.
_CELL_FIELDS = 6


class PackedRuns(Sequence[tuple[int, int]]):
    """Offset runs ``(clean_start, source_start)`` of one document, eight bytes each; equal to a tuple of the same."""

    __slots__ = ("_clean", "_source")

    def __init__(self, runs: Sequence[tuple[int, int]] = ()) -> None:
        self._clean = array("I", (clean for clean, _ in runs))
        self._source = array("I", (source for _, source in runs))

    def add(self, clean: int, source: int) -> None:
        """Appends a run: dropped where it goes on with the last one, in the last one's place where it starts there."""
        if self._clean:
            last_clean, last_source = self._clean[-1], self._source[-1]
            if source - last_source == clean - last_clean:
                return
            if last_clean == clean:
                self._clean.pop()
                self._source.pop()
        self._clean.append(clean)
        self._source.append(source)

    def shorten(self, length: int) -> None:
        """Drops all runs but the first ``length``."""
        del self._clean[length:], self._source[length:]

    def from_start(self) -> "PackedRuns":
        """A copy whose first run starts at 0, as an offset map asks."""
        runs = PackedRuns(() if self._clean and self._clean[0] == 0 else ((0, 0),))
        runs._clean.extend(self._clean)
        runs._source.extend(self._source)
        return runs

    @overload
    def __getitem__(self, index: int) -> tuple[int, int]: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[tuple[int, int], ...]: ...

    def __getitem__(self, index: int | slice) -> tuple[int, int] | tuple[tuple[int, int], ...]:
        if isinstance(index, slice):
            return tuple(zip(self._clean[index], self._source[index], strict=True))
        return self._clean[index], self._source[index]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self._clean, self._source, strict=True)

    def __len__(self) -> int:
        return len(self._clean)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PackedRuns):
            return self._clean == other._clean and self._source == other._source
        return tuple(self) == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


class PackedCells(Sequence[Cell]):
    """The cells of one table: its text and six numbers a cell; equal to a tuple of the same cells.

    Args:
        text: the stretch of the document's cleaned text that holds all cells.
        start: where ``text`` begins in the document.
        places: for each cell start and end in ``text``, row, column, row span and column span.
    """

    __slots__ = ("_places", "_start", "_text")

    def __init__(self, text: str, start: int, places: "array[int]") -> None:
        self._text = text
        self._start = start
        self._places = places

    def shifted(self, offset: int) -> "PackedCells":
        """The same cells, ``offset`` characters further on."""
        return PackedCells(self._text, self._start + offset, self._places)

    @overload
    def __getitem__(self, index: int) -> Cell: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Cell, ...]: ...

    def __getitem__(self, index: int | slice) -> Cell | tuple[Cell, ...]:
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        first = range(len(self))[index] * _CELL_FIELDS
        return self._cell(*self._places[first : first + _CELL_FIELDS])

    def __iter__(self) -> Iterator[Cell]:
        numbers = iter(self._places)
        for place in zip(*(numbers,) * _CELL_FIELDS, strict=True):
            yield self._cell(*place)

    def _cell(self, start: int, end: int, row: int, column: int, row_span: int, column_span: int) -> Cell:
        span = Span(self._start + start, self._start + end)
        return Cell(self._text[start:end], span, row, column, row_span, column_span)

    def __len__(self) -> int:
        return len(self._places) // _CELL_FIELDS

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, PackedCells | tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))
