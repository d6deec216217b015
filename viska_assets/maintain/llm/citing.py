"""From a model's citation to a real one: only a place of this document's chunks, or a fault that says what is wrong."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from viska_assets.guardrail.binding import distinct_values, locate_cells
from viska_assets.guardrail.codes import Code
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.maintain.extractive.citing import LONGEST_QUOTE, SHORTEST_QUOTE, cite, cite_quote
from viska_assets.maintain.extractive.figures import PAGE_LABELS
from viska_assets.maintain.llm.schema import AnswerCitation
from viska_assets.model.delta import Citation
from viska_assets.model.evidence import Evidence
from viska_assets.model.page import CellLocator, RowLocator
from viska_assets.model.views import CitedChunk
from viska_assets.text.metrics import metric_of


class Unciteable(ValueError):
    """A citation that names no one place of the document: the gate's code for it, what is wrong, and the mend."""

    def __init__(self, code: Code, message: str, hint: str) -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


@dataclass(frozen=True)
class Cited:
    """A citation and what its place says: the quote, or the labels of a cell and the name of its metric.

    ``metrics`` are those that a cell's own row or tag names; a heading above the row is not its name.
    """

    citation: Citation
    says: tuple[str, ...]
    metrics: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Citer:
    """Makes citations into one document.

    Args:
        chunks: all chunks of the document by id.
        title: how pages call the document.
        unmarked: gives spaces back to a text that was copied from the marked document.
        names: of the issuer, which a sentence may use wherever it cites.
    """

    chunks: Mapping[str, CitedChunk]
    title: str
    unmarked: Callable[[str], str]
    names: tuple[str, ...] = ()

    def cite(self, given: AnswerCitation) -> Cited:
        """The citation of a place.

        Raises:
            Unciteable: where there is no such place, or several.
        """
        chunk = self.chunks.get(given.chunk.strip())
        if chunk is None:
            raise Unciteable(
                Code.DANGLING_CITATION,
                f"{given.chunk!r} is no chunk of this document",
                "cite a chunk id as it is printed in the document",
            )
        if given.quote is not None and given.row is None and given.column is None:
            return self._quote(chunk, self.unmarked(given.quote).strip())
        if given.row is not None and given.quote is None:
            column = None if given.column is None else self.unmarked(given.column).strip()
            return self._cell(chunk, self.unmarked(given.row).strip(), column)
        raise Unciteable(
            Code.LOCATOR_NOT_FOUND,
            "the citation gives neither a quote alone nor a row with its column",
            "give a quote of running text, or the row and column of a table, and null for the rest",
        )

    def _quote(self, chunk: CitedChunk, quote: str) -> Cited:
        place = ChunkReading(chunk).find_quote(quote)
        if place is None:
            raise Unciteable(
                Code.QUOTE_NOT_FOUND,
                f"the quote “{quote[:80]}” does not stand in its chunk",
                "copy the words from one line of the chunk, verbatim",
            )
        exact = place.of(chunk.text)
        if not SHORTEST_QUOTE <= len(exact) <= LONGEST_QUOTE:
            raise Unciteable(
                Code.QUOTE_LENGTH,
                f"the quote has {len(exact)} characters",
                f"quote {SHORTEST_QUOTE} to {LONGEST_QUOTE} characters",
            )
        citation = cite_quote(chunk, exact, self.title)
        if citation is None:
            raise Unciteable(
                Code.AMBIGUOUS_EVIDENCE,
                f"the quote “{quote[:80]}” stands in its chunk more than once",
                "quote more of the line, so that it is found there once",
            )
        return Cited(citation, (exact,))

    def _cell(self, chunk: CitedChunk, row: str, column: str | None) -> Cited:
        locator = RowLocator(row=row) if column is None else CellLocator(row=row, column=column)
        found = locate_cells(ChunkReading(chunk), locator)
        named = f"row {row!r}" + ("" if column is None else f", column {column!r}")
        if not found:
            raise Unciteable(
                Code.LOCATOR_NOT_FOUND, f"the chunk has no {named}", 'copy the labels listed under "cells" of the chunk'
            )
        if distinct_values(found) > 1:
            raise Unciteable(
                Code.AMBIGUOUS_EVIDENCE,
                f"{named} holds several different numbers",
                "name the column too, or give whole paths of nested labels; leave the figure out where they are alike",
            )
        citation = cite(chunk, found[0], self.title)
        if citation is None:
            raise Unciteable(
                Code.AMBIGUOUS_EVIDENCE, f"{named} cannot be told apart from others", "leave the figure out"
            )
        return Cited(citation, tuple(_said_by(found[0])), _metrics_of(found[0]))


def _metrics_of(evidence: Evidence) -> frozenset[str]:
    names = [*evidence.row_path[-1:], *([evidence.xbrl.concept] if evidence.xbrl else [])]
    return frozenset(metric for name in names if (metric := metric_of(name)))


def _said_by(evidence: Evidence) -> Iterator[str]:
    """The labels of a cell, and how pages call the metric that its label or its tag names."""
    yield from (*evidence.row_path, *evidence.column_path)
    yield from (PAGE_LABELS[metric] for metric in sorted(_metrics_of(evidence)) if metric in PAGE_LABELS)
