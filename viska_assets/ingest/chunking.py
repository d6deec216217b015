"""Cutting a document into chunks: along its structure, never through a table row, nothing lost.

Chunks are slices of the cleaned text. What a reader needs beside the slice (title, headings, and for a split table
its caption, header and scale line) stands in the prefix.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from viska_assets.ingest.context import caption_blocks, document_line
from viska_assets.ingest.scale_notes import ScaleNotes
from viska_assets.model.document import Block, BlockKind, Chunk, ParsedDocument, Table
from viska_assets.model.span import Span
from viska_assets.text.sentences import split_sentences

CountTokens = Callable[[str], int]
_MAX_CAPTION = 400
_PREFIX_SHARE = 0.4


def chunk_document(
    document: ParsedDocument, count_tokens: CountTokens, *, target: int = 220, ceiling: int = 480
) -> tuple[Chunk, ...]:
    """All chunks of a document; see ``cut_chunks``."""
    return tuple(cut_chunks(document, count_tokens, target=target, ceiling=ceiling))


def cut_chunks(
    document: ParsedDocument, count_tokens: CountTokens, *, target: int = 220, ceiling: int = 480
) -> Iterator[Chunk]:
    """Cut a document into chunks of about ``target`` and at most ``ceiling`` tokens (prefix not counted), one by one.

    Only a single table row or an unbroken run of characters may exceed the ceiling. Every character of the text
    that is not white space lies in exactly one chunk.
    """
    return _Chunker(document, count_tokens, target, ceiling).chunks()


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch that stays whole: a block, a sentence group of a long paragraph, or rows of a long table."""

    span: Span
    kind: BlockKind
    tokens: int
    headings: tuple[str, ...]
    page: int | None
    level: int = 0
    repeated: str = ""


class _Chunker:
    def __init__(self, document: ParsedDocument, count_tokens: CountTokens, target: int, ceiling: int) -> None:
        self._document = document
        self._count = count_tokens
        self._target = target
        self._ceiling = ceiling
        self._notes = ScaleNotes(document)
        self._title = document_line(document.cover)

    def chunks(self) -> Iterator[Chunk]:
        for ordinal, parts in enumerate(self._groups()):
            yield self._chunk(ordinal, parts)

    def _chunk(self, ordinal: int, parts: list[_Part]) -> Chunk:
        body = next((part for part in parts if part.kind is not BlockKind.HEADING), parts[0])
        span = Span(parts[0].span.start, parts[-1].span.end)
        text = span.of(self._document.text)
        lines = [self._title, " > ".join(parts[0].headings), body.repeated]
        return Chunk(
            chunk_id=chunk_id_of(self._document.document_id, text, span),
            document_id=self._document.document_id,
            ordinal=ordinal,
            kind=body.kind,
            span=span,
            text=text,
            prefix="\n".join(line for line in lines if line),
            headings=parts[0].headings,
            page=parts[0].page,
            tokens=sum(part.tokens for part in parts),
        )

    def _groups(self) -> Iterator[list[_Part]]:
        """Parts packed up to the target; a heading opens a chunk and stays with what follows it."""
        group: list[_Part] = []
        size = 0
        for part in self._parts():
            heads_only = all(held.kind is BlockKind.HEADING for held in group)
            opens = part.kind is BlockKind.HEADING and not heads_only and (part.level <= 3 or size * 2 > self._target)
            full = not heads_only and size + part.tokens > self._target
            over = size + part.tokens > self._ceiling
            is_table = BlockKind.TABLE in (part.kind, group[-1].kind if group else part.kind)
            if group and (opens or full or over or (is_table and not heads_only)):
                yield group
                group, size = [], 0
            group.append(part)
            size += part.tokens
        if group:
            yield group

    def _parts(self) -> Iterator[_Part]:
        path: list[tuple[int, str]] = []
        blocks = self._document.blocks
        for index, block in enumerate(blocks):
            text = block.span.of(self._document.text)
            if block.kind is BlockKind.HEADING:
                path = [(level, title) for level, title in path if level < block.level]
                headings = tuple(title for _, title in path)
                path.append((block.level, text[:160]))
            else:
                headings = tuple(title for _, title in path)
            tokens = self._count(text)
            if block.table is not None:
                yield from self._table_parts(index, block, block.table, tokens, headings)
            elif tokens <= self._ceiling:
                yield _Part(block.span, block.kind, tokens, headings, block.page, block.level)
            else:
                yield from self._text_parts(block, headings)

    def _table_parts(
        self, index: int, block: Block, table: Table, tokens: int, headings: tuple[str, ...]
    ) -> Iterator[_Part]:
        lines = [held.span.of(self._document.text)[-_MAX_CAPTION:] for held in caption_blocks(self._document, index)]
        scale_line = self._notes.line(index)
        if scale_line and not any(scale_line in line for line in lines):
            lines.insert(0, scale_line)
        caption = "\n".join(lines)
        if tokens <= self._ceiling:
            yield _Part(block.span, block.kind, tokens, headings, block.page, 0, caption)
            return
        text = self._document.text
        printed = list(_lines(text, block.span))
        rows = _row_groups(table, printed)
        header_end = _header_end(table, printed)
        header = text[block.span.start : header_end].strip()[: self._target * 8]
        repeated = "\n".join(line for line in (caption, header) if line)
        start: Span | None = None
        size = 0
        for row in rows:
            count = self._count(row.of(text))
            if start is not None and size + count > self._target:
                yield self._rows(start, size, block, headings, caption, repeated)
                start, size = None, 0
            start = row if start is None else Span(start.start, row.end)
            size += count
        if start is not None:
            yield self._rows(start, size, block, headings, caption, repeated)

    def _rows(
        self, span: Span, size: int, block: Block, headings: tuple[str, ...], caption: str, repeated: str
    ) -> _Part:
        is_first = span.start == block.span.start
        return _Part(span, block.kind, size, headings, block.page, 0, caption if is_first else repeated)

    def _text_parts(self, block: Block, headings: tuple[str, ...]) -> Iterator[_Part]:
        text = self._document.text
        start = block.span.start
        size = 0
        end = start
        for piece in self._pieces(block.span):
            count = self._count(piece.of(text))
            if size and size + count > self._target:
                yield _Part(Span(start, end), block.kind, size, headings, block.page, block.level)
                start, size = piece.start, 0
            end = piece.end
            size += count
        yield _Part(Span(start, block.span.end), block.kind, size, headings, block.page, block.level)

    def _pieces(self, span: Span) -> Iterator[Span]:
        """Sentences of a long block; a sentence beyond the ceiling is cut at spaces, at worst between characters."""
        text = self._document.text
        for sentence in split_sentences(span.of(text)):
            whole = sentence.shifted(span.start)
            if self._count(whole.of(text)) <= self._ceiling:
                yield whole
                continue
            width = max(40, len(whole) * self._target // max(1, self._count(whole.of(text))))
            start = whole.start
            while start < whole.end:
                end = min(start + width, whole.end)
                if end < whole.end:
                    space = max(text.rfind(" ", start + width // 2, end), text.rfind("\n", start + width // 2, end))
                    end = space + 1 if space > 0 else end
                yield Span(start, end)
                start = end


def chunk_id_of(document_id: str, text: str, span: Span) -> str:
    """The stable name of a chunk: 16 hex digits over its document, text and place."""
    text_hash = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return hashlib.sha256(f"{document_id}:{text_hash}:{span.start}:{span.end}".encode()).hexdigest()[:16]


def _lines(text: str, span: Span) -> Iterator[Span]:
    start = span.start
    while start < span.end:
        end = text.find("\n", start, span.end)
        end = span.end if end < 0 else end
        yield Span(start, end)
        start = end + 1


def _row_groups(table: Table, lines: list[Span]) -> Iterator[Span]:
    """Rows, those tied by a row span together."""
    tied = [0] * len(lines)
    for cell in table.cells:
        for row in range(cell.row, min(cell.row + cell.row_span - 1, len(lines) - 1)):
            tied[row] = 1
    start: int | None = None
    for row, line in enumerate(lines):
        start = line.start if start is None else start
        if not tied[row] or row == len(lines) - 1:
            yield Span(start, line.end)
            start = None


def _header_end(table: Table, lines: list[Span]) -> int:
    last = min(table.header_rows, len(lines)) - 1
    return lines[last].end if last >= 0 else (lines[0].start if lines else 0)
