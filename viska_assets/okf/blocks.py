"""The blocks of a markdown body on markdown-it's token tree, each with its place in the page file.

markdown-it gives block tokens a line range and inline tokens no column, so the columns are found here: the
content of a block is sought in its lines, after list markers, quote marks and table bars.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from viska_assets.model.span import OffsetMap, Span
from viska_assets.okf.plain_blocks import read_plain_blocks
from viska_assets.okf.positions import LineTable
from viska_assets.okf.text_block import Part, TextBlock

__all__ = ["MarkdownBody", "Part", "TextBlock", "read_body", "read_tree"]

_CALLOUT = re.compile(r"\[!([A-Za-z_]+)\][ \t]*(?:\n|$)")


@dataclass(frozen=True, slots=True)
class MarkdownBody:
    """A body's leaf blocks in reading order and the targets of its reference definitions by label."""

    blocks: tuple[TextBlock, ...]
    references: dict[str, dict[str, Any]] = field(default_factory=dict)


def _block_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table").use(footnote_plugin)
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


_PARSER = _block_parser()


def read_body(text: str, body_start: int, body_end: int, lines: LineTable) -> MarkdownBody:
    """Read the blocks of a page's body.

    Args:
        text: The whole page file.
        body_start: Where its body begins.
        body_end: Where it ends.
        lines: The line table of ``text``.
    """
    plain = read_plain_blocks(text, body_start, body_end)
    return MarkdownBody(plain) if plain is not None else read_tree(text, body_start, body_end, lines)


def read_tree(text: str, body_start: int, body_end: int, lines: LineTable) -> MarkdownBody:
    """Read the blocks of any body through markdown-it's token tree."""
    env: dict[str, Any] = {}
    tokens = _PARSER.parse(text[body_start:body_end], env)
    walker = _Walker(text, lines, lines.place(body_start)[0] - 1)
    return MarkdownBody(walker.walk(tokens), env.get("references", {}))


class _Walker:
    """Goes through the block tokens once and keeps what encloses the current one."""

    def __init__(self, text: str, lines: LineTable, first_row: int) -> None:
        self._text = text
        self._lines = lines
        self._first_row = first_row
        self._blocks: list[TextBlock] = []
        self._lists = 0
        self._quotes: list[str] = []
        self._label = ""
        self._heading = 0
        self._table = -1
        self._row = -1
        self._column = -1
        self._in_table = False
        self._in_header = False
        self._cursor = 0

    def walk(self, tokens: Sequence[Token]) -> tuple[TextBlock, ...]:
        for token in tokens:
            kind = token.type
            if kind == "inline":
                self._inline(token)
            elif kind in _OPENERS:
                getattr(self, _OPENERS[kind])(token)
            elif kind in {"fence", "code_block", "html_block"}:
                self._verbatim(token)
            elif kind in _CLOSERS:
                getattr(self, _CLOSERS[kind])()
        return tuple(self._blocks)

    def _open_heading(self, token: Token) -> None:
        self._heading = int(token.tag[1])

    def _close_heading(self) -> None:
        self._heading = 0

    def _open_list(self, _: Token) -> None:
        self._lists += 1

    def _close_list(self) -> None:
        self._lists -= 1

    def _open_quote(self, _: Token) -> None:
        self._quotes.append("")

    def _close_quote(self) -> None:
        self._quotes.pop()

    def _open_definition(self, token: Token) -> None:
        self._label = str(token.meta.get("label", ""))

    def _close_definition(self) -> None:
        self._label = ""

    def _open_table(self, _: Token) -> None:
        self._table += 1
        self._row = -1
        self._in_table = True

    def _close_table(self) -> None:
        self._in_table = False

    def _open_header(self, _: Token) -> None:
        self._in_header = True

    def _close_header(self) -> None:
        self._in_header = False

    def _open_row(self, token: Token) -> None:
        self._column = -1
        self._cursor = self._line_start(token.map[0] if token.map else 0)
        if not self._in_header:
            self._row += 1

    def _inline(self, token: Token) -> None:
        first_row = token.map[0] if token.map else 0
        if self._in_table:
            self._cell(token.content, first_row)
            return
        content, runs = token.content, self._runs(token.content, first_row)
        callout = _CALLOUT.match(content) if self._quotes and not self._quotes[-1] else None
        if callout:
            self._quotes[-1] = callout[1].lower()
            content, runs = content[callout.end() :], _shift(runs, callout.end())
            if not content:
                return
        part = Part.LIST_ITEM if self._lists else Part.PARAGRAPH
        if self._heading:
            part = Part.HEADING
        elif self._label:
            part = Part.DEFINITION
        self._add(part, content, runs, level=self._heading)

    def _add(self, part: Part, content: str, runs: list[tuple[int, int]], **extra: int) -> None:
        offsets = OffsetMap(tuple(runs))
        last_start, last_source = runs[-1]
        span = Span(runs[0][1], max(runs[0][1], last_source + len(content) - last_start))
        callout = next((name for name in reversed(self._quotes) if name), "")
        block = TextBlock(part, content, offsets, span, callout=callout, label=self._label, **extra)
        self._blocks.append(block)

    def _cell(self, content: str, row: int) -> None:
        self._column += 1
        escaped = content.replace("|", "\\|")
        at = self._text.find(escaped, self._cursor, self._line_start(row + 1))
        at = self._cursor if at < 0 else at
        self._cursor = at + len(escaped)
        runs = [(0, at)]
        bars = [place for place, character in enumerate(content) if character == "|"]
        runs.extend((place, at + place + count) for count, place in enumerate(bars, start=1))
        part = Part.HEADER_CELL if self._in_header else Part.CELL
        runs = runs[1:] if len(runs) > 1 and runs[1][0] == 0 else runs
        self._add(part, content, runs, table=self._table, row=-1 if self._in_header else self._row, column=self._column)

    def _verbatim(self, token: Token) -> None:
        first, last = token.map or [0, 0]
        start, end = self._line_start(first), self._line_start(last)
        part = Part.HTML if token.type == "html_block" else Part.CODE
        callout = next((name for name in reversed(self._quotes) if name), "")
        block = TextBlock(part, token.content, OffsetMap(((0, start),)), Span(start, max(start, end)), callout=callout)
        self._blocks.append(block)

    def _runs(self, content: str, first_row: int) -> list[tuple[int, int]]:
        runs: list[tuple[int, int]] = []
        place = 0
        for row, piece in enumerate(content.split("\n"), start=first_row):
            start = self._line_start(row)
            line = self._text[start : self._line_start(row + 1)].rstrip()
            wanted = piece.rstrip()
            at = len(line) - len(wanted) if line.endswith(wanted) else max(0, line.find(wanted))
            runs.append((place, start + at))
            place += len(piece) + 1
        return runs

    def _line_start(self, row: int) -> int:
        return self._lines.line_start(self._first_row + row)


def _shift(runs: list[tuple[int, int]], by: int) -> list[tuple[int, int]]:
    kept = [(start - by, source) for start, source in runs if start >= by]
    if kept and kept[0][0] == 0:
        return kept
    start, source = next(run for run in reversed(runs) if run[0] <= by)
    return [(0, source + by - start), *kept]


_OPENERS = {
    "heading_open": "_open_heading",
    "bullet_list_open": "_open_list",
    "ordered_list_open": "_open_list",
    "blockquote_open": "_open_quote",
    "footnote_reference_open": "_open_definition",
    "table_open": "_open_table",
    "thead_open": "_open_header",
    "tr_open": "_open_row",
}
_CLOSERS = {
    "heading_close": "_close_heading",
    "bullet_list_close": "_close_list",
    "ordered_list_close": "_close_list",
    "blockquote_close": "_close_quote",
    "footnote_reference_close": "_close_definition",
    "table_close": "_close_table",
    "thead_close": "_close_header",
}
