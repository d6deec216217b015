"""A page cut into claim units: sentences, list items, table cells and headings, each with its citation marks.

Default is that a unit needs a citation; ``exempt`` names the declared exemption where it does not:
``heading``, ``label`` (header cells and the first column, unless they state an amount), ``navigation`` (nothing but
links to pages, whose names state no amount),
``citations`` (a foot that differs from the generated one; the generated one yields no units), ``judgement`` and
``open_question`` (callouts). Exemptions concern P1 only.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from viska_assets.model.claim_unit import CitationMark, ClaimUnit, UnitKind
from viska_assets.model.span import OffsetMap, Span
from viska_assets.okf.amounts import has_amount
from viska_assets.okf.blocks import Part, TextBlock
from viska_assets.okf.citations import FOOT_TITLE
from viska_assets.okf.inline import InlineText
from viska_assets.okf.page import ParsedPage
from viska_assets.text.sentences import split_sentences

EXEMPT_CALLOUTS = frozenset({"judgement", "open_question"})

SentenceSplitter = Callable[[str], Iterable[Span]]

_CAPTION = re.compile(r"(?:Table|Exhibit|Figure)\b[^.:]{0,12}[.:]\s")
_SEPARATORS = frozenset(" \t\n,;:·|/–—-&()")


def claim_units(parsed: ParsedPage, split: SentenceSplitter = split_sentences) -> tuple[ClaimUnit, ...]:
    """Cut a page into the units that the gate judges.

    Args:
        parsed: The page.
        split: The sentence splitter.

    Returns:
        The units in reading order. Marks are taken out of the text; every place is one of the page file.
    """
    return tuple(_Cutter(parsed, split).units())


class _Read(NamedTuple):
    """A block with its inline text and the map from that text to the page file."""

    block: TextBlock
    inline: InlineText
    offsets: OffsetMap

    def marks(self) -> list[CitationMark]:
        if not self.inline.marks:
            return []
        to_file = self.block.offsets.to_source
        return [CitationMark(m.label, m.at, _file_span(to_file, m.start, m.end)) for m in self.inline.marks]


def _file_span(to_file: Callable[[int], int], start: int, end: int) -> Span:
    first = to_file(start)
    return Span(first, max(first, to_file(max(start, end - 1)) + 1)) if end > start else Span(first, first)


def compose(inner: Sequence[tuple[int, int]], outer: OffsetMap) -> OffsetMap:
    """The map from inline text to the page file, out of text → content and content → file."""
    if len(inner) == 1 and inner[0] == (0, 0):
        return outer
    if len(outer.runs) == 1 and len(inner) == 1:
        return OffsetMap(((0, outer.runs[0][1] + inner[0][1] - outer.runs[0][0]),))
    runs: list[tuple[int, int]] = []
    breaks = [content for content, _ in outer.runs]
    for number, (text_start, content_start) in enumerate(inner):
        runs.append((text_start, outer.to_source(content_start)))
        text_end = inner[number + 1][0] if number + 1 < len(inner) else None
        for content_break in breaks[bisect_right(breaks, content_start) :]:
            at = text_start + content_break - content_start
            if text_end is not None and at >= text_end:
                break
            runs.append((at, outer.to_source(content_break)))
    return OffsetMap(tuple(runs))


class _Cutter:
    """Walks the blocks of one page and yields its units."""

    def __init__(self, parsed: ParsedPage, split: SentenceSplitter) -> None:
        self._reads = [_Read(block, inline, compose(inline.runs, block.offsets)) for block, inline in parsed.texts]
        self._split = split
        self._section = ""
        self._in_citations = False

    def units(self) -> Iterator[ClaimUnit]:
        for table, group in groupby(enumerate(self._reads), key=lambda pair: pair[1].block.table):
            members = list(group)
            if table >= 0:
                yield from self._table([read for _, read in members], self._caption_marks(members))
                continue
            for place, read in members:
                yield from self._prose(read, self._is_caption(place))

    def _prose(self, read: _Read, caption: bool) -> Iterator[ClaimUnit]:
        block, text = read.block, read.inline.text
        if block.part is Part.HEADING:
            self._section = text.strip()
            self._in_citations = block.level == 1 and self._section == FOOT_TITLE
            yield self._unit(UnitKind.HEADING, read, Span(0, len(text)), read.marks(), "heading")
            return
        if self._in_citations or block.part is Part.DEFINITION:
            yield self._unit(UnitKind.SENTENCE, read, Span(0, len(text)), [], "citations")
            return
        kind = UnitKind.LIST_ITEM if block.part is Part.LIST_ITEM else UnitKind.SENTENCE
        kind = UnitKind.CAPTION if caption else kind
        exempt = self._exemption(block, read.inline)
        whole = Span(0, len(text))
        spans = [whole] if exempt == "navigation" else list(self._split(text)) or [whole]
        marks = read.marks()
        if len(spans) == 1:
            yield self._unit(kind, read, spans[0], marks, exempt)
            return
        starts = [span.start for span in spans]
        for number, span in enumerate(spans):
            own = [mark for mark in marks if _owner(starts, mark.at) == number]
            yield self._unit(kind, read, span, own, exempt)

    def _exemption(self, block: TextBlock, inline: InlineText) -> str:
        if block.callout in EXEMPT_CALLOUTS:
            return block.callout
        if block.part is Part.LIST_ITEM and is_navigation(inline):
            return "navigation"
        return ""

    def _table(self, reads: list[_Read], caption: list[CitationMark]) -> Iterator[ClaimUnit]:
        columns = {read.block.column: read.inline.text.strip() for read in reads if read.block.row < 0}
        for row, group in groupby(reads, key=lambda read: read.block.row):
            members = list(group)
            label = members[0].inline.text.strip() if row >= 0 else ""
            inherited = [] if row < 0 else self._row_marks(members) or caption
            for number, read in enumerate(members):
                is_label = row < 0 or number == 0
                labels = ("", "") if is_label else (label, columns.get(read.block.column, ""))
                unit = self._cell(read, inherited, is_label, labels)
                if unit is not None:
                    yield unit

    def _row_marks(self, members: list[_Read]) -> list[CitationMark]:
        last = members[-1]
        return last.marks() if not last.inline.text.strip() else []

    def _cell(
        self, read: _Read, inherited: list[CitationMark], is_label: bool, labels: tuple[str, str]
    ) -> ClaimUnit | None:
        text = read.inline.text
        if not text.strip():
            return None
        marks = read.marks() or ([] if is_label else [replace(mark, at=len(text)) for mark in inherited])
        exempt = "citations" if self._in_citations else "label" if is_label and not has_amount(text) else ""
        if not exempt and read.block.callout in EXEMPT_CALLOUTS:
            exempt = read.block.callout
        return self._unit(UnitKind.CELL, read, Span(0, len(text)), marks, exempt, labels)

    def _unit(
        self,
        kind: UnitKind,
        read: _Read,
        span: Span,
        marks: list[CitationMark],
        exempt: str,
        labels: tuple[str, str] = ("", ""),
    ) -> ClaimUnit:
        text, offsets = read.inline.text, read.offsets
        if span.start == 0 and span.end == len(text):
            moved = tuple(marks)
        else:
            text = span.of(text)
            inside = [(start - span.start, source) for start, source in offsets.runs if span.start < start < span.end]
            offsets = OffsetMap(((0, offsets.to_source(span.start)), *inside))
            moved = tuple(replace(mark, at=min(max(mark.at - span.start, 0), len(text))) for mark in marks)
        first = offsets.runs[0][1]
        last = offsets.to_source(len(text) - 1) + 1 if text else first
        place = Span(first, max(first, last))
        return ClaimUnit(kind, text, place, offsets, moved, *labels, self._section, exempt)

    def _is_caption(self, place: int) -> bool:
        block = self._reads[place].block
        if block.part is not Part.PARAGRAPH or not _CAPTION.match(block.content):
            return False
        neighbours = self._reads[max(0, place - 1) : place] + self._reads[place + 1 : place + 2]
        return any(neighbour.block.table >= 0 for neighbour in neighbours)

    def _caption_marks(self, members: list[tuple[int, _Read]]) -> list[CitationMark]:
        for place in (members[0][0] - 1, members[-1][0] + 1):
            if 0 <= place < len(self._reads) and self._is_caption(place):
                return self._reads[place].marks()
        return []


def _owner(starts: Sequence[int], at: int) -> int:
    """The sentence a mark belongs to: the one it stands in or directly after, never the one it stands before."""
    number = bisect_right(starts, at - 1) - 1
    return max(0, number)


def is_navigation(inline: InlineText) -> bool:
    """Whether a list item holds nothing but links to pages of the bundle, and no amount in their names."""
    if not inline.links or inline.marks:
        return False
    covered = 0
    for link in inline.links:
        if link.image or "://" in link.target or link.target.startswith(("mailto:", "//")):
            return False
        if not set(inline.text[covered : link.at]) <= _SEPARATORS:
            return False
        covered = link.until
    return set(inline.text[covered:]) <= _SEPARATORS and not has_amount(inline.text)
