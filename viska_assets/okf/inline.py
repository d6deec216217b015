"""The visible text of a block's inline markdown, with citation marks and links taken out and every place kept.

Two readers give the same answer: a regular-expression reader for the plain markdown that pages mostly hold, and
markdown-it's inline tokens, aligned with their source, for everything else. A test holds the two together.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from viska_assets.okf.blocks import MarkdownBody, Part, TextBlock
from viska_assets.okf.link_syntax import link_tail_end

_LABEL = re.compile(r"\[\^([^\]\s]+)\]")
# what a writer may mean as a citation without the caret: a number, c1, or an id as the maintainer makes them
_POSITIONAL = re.compile(r"\d{1,3}|[a-z]\d{1,4}|[cd][0-9a-f]{9}")
_BARE_MARK = re.compile(r"\[([A-Za-z0-9_-]{1,40})\]")
_PLAIN_PIECE = re.compile(
    r"\[\^(?P<mark>[^\]\[\s\\`*_<&!^]+)\](?!\()"
    r"|\[(?P<text>[^\[\]\\`*_<&!^\n]+)\]\((?P<target>(?:/|\./|\.\./|#|https?://)?[A-Za-z0-9][A-Za-z0-9_./#?=%-]*)\)"
)
_TEXT_THEN_MARKS = re.compile(r"([^\[\]\\`*_<&^\n]*[^\[\]\\`*_<&^\n!])(?:\[\^[^\]\[\s\\`*_<&!^]+\])+")
_NEEDS_PARSER = re.compile(r"[\\`*_<&\[\]^]|\n[ \t]|[ \t]\n|!$")


class Mark(NamedTuple):
    """A citation mark: ``at`` in the visible text, ``start`` and ``end`` in the block's content."""

    label: str
    at: int
    start: int
    end: int


class InlineLink(NamedTuple):
    """A link or image: its visible text ``[at, until)`` and its source ``[start, end)`` in the content."""

    target: str
    title: str
    at: int
    until: int
    start: int
    end: int
    image: bool = False


@dataclass(slots=True)
class InlineText:
    """The visible text of a block and what was taken out of it.

    ``runs`` maps the text to the block's content: ``(place in text, place in content)``, sorted. ``html`` holds
    the content spans of raw inline HTML.
    """

    text: str = ""
    runs: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])
    marks: list[Mark] = field(default_factory=list)
    links: list[InlineLink] = field(default_factory=list)
    html: list[tuple[int, int]] = field(default_factory=list)

    def to_content(self, at: int) -> int:
        """The place in the block's content of a place in the text."""
        start, source = self.runs[bisect_right(self.runs, (at, 1 << 62)) - 1]
        return source + at - start

    def append(self, visible: str, source: int) -> None:
        """Add visible text that stands at ``source`` in the content."""
        if not visible:
            return
        at = len(self.text)
        start, before = self.runs[-1]
        if source != before + at - start:
            if start == at:
                self.runs.pop()
            self.runs.append((at, source))
        self.text += visible


def read_texts(body: MarkdownBody, source_ids: Collection[str] = ()) -> Iterator[tuple[TextBlock, InlineText]]:
    """The blocks of a body that hold text, with their visible text; code and HTML blocks are left out."""
    for block in body.blocks:
        if block.part is not Part.CODE and block.part is not Part.HTML:
            yield block, read_inline(block.content, source_ids, body.references)


def read_inline(content: str, source_ids: Collection[str], references: dict[str, dict[str, Any]]) -> InlineText:
    """Read a block's inline markdown.

    Args:
        content: The block's markdown.
        source_ids: The ids of the page's sources: ``[c1]`` counts as a citation where ``c1`` is one of them.
        references: The body's link reference definitions, as markdown-it collects them.
    """
    plain = None if references else read_plain(content)
    return plain if plain is not None else read_with_parser(content, source_ids, references)


def read_plain(content: str) -> InlineText | None:
    """Read content that holds only text, ``[^id]`` marks and simple links; None where it holds anything else."""
    if "[" not in content:
        if _NEEDS_PARSER.search(content):
            return None
        return InlineText(content.replace("\n", " ") if "\n" in content else content)
    if content[0] == "[":
        only = _PLAIN_PIECE.fullmatch(content)
        name = only["text"] if only else None
        if only and name and _POSITIONAL.fullmatch(name) is None:
            return InlineText(name, [(0, 1)], links=[InlineLink(only["target"], "", 0, len(name), 0, len(content))])
    marked = _TEXT_THEN_MARKS.fullmatch(content)
    if marked is not None:
        text = marked[1]
        marks = [Mark(mark[1], len(text), mark.start(), mark.end()) for mark in _LABEL.finditer(content, len(text))]
        return InlineText(text, marks=marks)
    inline = InlineText()
    cursor = 0
    for piece in _PLAIN_PIECE.finditer(content):
        if not _append_plain(inline, content, cursor, piece.start()):
            return None
        cursor = piece.end()
        label = piece["mark"]
        at = len(inline.text)
        if label is not None:
            inline.marks.append(Mark(label, at, piece.start(), piece.end()))
        elif _POSITIONAL.fullmatch(piece["text"]) or content[piece.start() - 1 : piece.start()] in {"!", "^"}:
            return None
        else:
            inline.append(piece["text"], piece.start("text"))
            link = InlineLink(piece["target"], "", at, len(inline.text), piece.start(), piece.end())
            inline.links.append(link)
    return inline if _append_plain(inline, content, cursor, len(content)) else None


def _append_plain(inline: InlineText, content: str, start: int, end: int) -> bool:
    between = content[start:end]
    if _NEEDS_PARSER.search(between):
        return False
    inline.append(between.replace("\n", " "), start)
    return True


def _inline_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").use(footnote_plugin)
    parser.inline.ruler.disable("footnote_inline")
    return parser


_PARSER = _inline_parser()


def read_with_parser(content: str, source_ids: Collection[str], references: dict[str, dict[str, Any]]) -> InlineText:
    """Read any inline markdown through markdown-it's tokens, aligned with their source."""
    labels = {f":{label}": -1 for label in _LABEL.findall(content)}
    env: dict[str, Any] = {"references": references, "footnotes": {"refs": labels}}
    tokens: list[Token] = []
    _PARSER.inline.parse(content, _PARSER, env, tokens)
    aligner = _Aligner(content, source_ids)
    for token in tokens:
        aligner.take(token)
    return aligner.inline


class _Aligner:
    """Finds each inline token in the source, going forward only."""

    def __init__(self, content: str, source_ids: Collection[str]) -> None:
        self.inline = InlineText()
        self._content = content
        self._ids = source_ids
        self._cursor = 0
        self._open: list[tuple[Token, int, int]] = []

    def take(self, token: Token) -> None:
        kind = token.type
        if kind == "text":
            self._text(token.content)
        elif kind == "text_special":
            self.inline.append(token.content, self._skip(token.markup))
        elif kind == "code_inline":
            self._code(token)
        elif kind in {"softbreak", "hardbreak"}:
            self.inline.append(" ", self._skip("\n"))
        elif kind == "link_open":
            self._open.append((token, self._skip("<" if token.markup == "autolink" else "["), len(self.inline.text)))
        elif kind == "link_close":
            self._close_link(token)
        elif kind == "image":
            self._image(token)
        elif kind == "html_inline":
            start = self._skip(token.content)
            self.inline.html.append((start, self._cursor))
        elif kind == "footnote_ref":
            source = f"[^{token.meta['label']}]"
            start = self._skip(source)
            self.inline.marks.append(Mark(str(token.meta["label"]), len(self.inline.text), start, self._cursor))
        else:
            self._skip(token.markup)

    def _skip(self, wanted: str) -> int:
        at = self._content.find(wanted, self._cursor)
        at = self._cursor if at < 0 else at
        self._cursor = min(len(self._content), at + len(wanted))
        return at

    def _text(self, visible: str) -> None:
        start = self._skip(visible)
        done = 0
        for mark in _BARE_MARK.finditer(visible) if "[" in visible else ():
            if mark[1] not in self._ids and _POSITIONAL.fullmatch(mark[1]) is None:
                continue
            self.inline.append(visible[done : mark.start()], start + done)
            place = len(self.inline.text)
            self.inline.marks.append(Mark(mark[1], place, start + mark.start(), start + mark.end()))
            done = mark.end()
        self.inline.append(visible[done:], start + done)

    def _code(self, token: Token) -> None:
        start = self._skip(token.markup) + len(token.markup)
        end = self._content.find(token.markup, start)
        inner = self._content[start : end if end >= 0 else len(self._content)].replace("\n", " ")
        self.inline.append(token.content, start + max(0, inner.find(token.content)))
        self._cursor = start + len(inner) + len(token.markup)

    def _close_link(self, token: Token) -> None:
        opened, start, at = self._open.pop()
        if token.markup == "autolink":
            self._skip(">")
        else:
            self._cursor = link_tail_end(self._content, self._skip("]"))
        text = self.inline.text[at:].removeprefix("^")
        target, title = str(opened.attrs.get("href", "")), str(opened.attrs.get("title", ""))
        if text in self._ids or _POSITIONAL.fullmatch(text):
            self.inline.text = self.inline.text[:at]
            self.inline.runs = [run for run in self.inline.runs if run[0] < at] or [(0, 0)]
            self.inline.marks.append(Mark(text, at, start, self._cursor))
        link = InlineLink(target, title, at, len(self.inline.text), start, self._cursor)
        self.inline.links.append(link)

    def _image(self, token: Token) -> None:
        start = self._skip("![")
        close = _closing_bracket(self._content, start + 1)
        self._cursor = link_tail_end(self._content, close)
        at = len(self.inline.text)
        self.inline.append(token.content, start + 2)
        target, title = str(token.attrs.get("src", "")), str(token.attrs.get("title", ""))
        self.inline.links.append(InlineLink(target, title, at, len(self.inline.text), start, self._cursor, image=True))


def _closing_bracket(content: str, opening: int) -> int:
    depth = 0
    at = opening
    while at < len(content):
        character = content[at]
        if character == "\\":
            at += 1
        elif character == "[":
            depth += 1
        elif character == "]":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return len(content) - 1
