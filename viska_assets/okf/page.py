"""A page file read into a typed page, and a typed page written as a file: ``parse_page(render_page(p)).page == p``."""

from dataclasses import dataclass, field
from functools import cached_property

from viska_assets.model.page import Page
from viska_assets.okf.blocks import MarkdownBody, TextBlock, read_body
from viska_assets.okf.citations import generated_lines, has_open_fence, render_foot
from viska_assets.okf.errors import OkfError
from viska_assets.okf.frontmatter import Head, read_mapping, require_head
from viska_assets.okf.head_reader import HeadReader
from viska_assets.okf.head_writer import render_head
from viska_assets.okf.inline import InlineText, read_texts
from viska_assets.okf.issue import Issue
from viska_assets.okf.links import PageLink, links_of
from viska_assets.okf.positions import LineTable


@dataclass(frozen=True)
class ParsedPage:
    """A page with the places of its parts: ``text`` is the file, ``body_start`` where its body begins in it.

    ``key_lines`` gives the line of a frontmatter key or list element by dotted path (``sources.0``). ``foot_start``
    is where the generated foot begins, if the file ends in exactly the foot that the renderer writes, and the
    length of the file otherwise. ``remarks`` are warnings about values that were read as absent.
    """

    page: Page
    path: str
    text: str
    head: Head
    foot_start: int
    key_lines: dict[str, int] = field(default_factory=dict)
    remarks: tuple[Issue, ...] = ()

    @property
    def body_start(self) -> int:
        """The offset in ``text`` of the first character after the frontmatter."""
        return self.head.body_start

    @cached_property
    def lines(self) -> LineTable:
        """The line table of ``text``."""
        return LineTable.of(self.text)

    @cached_property
    def body(self) -> MarkdownBody:
        """The blocks of the body with places in ``text``, a foot that is not the renderer's own included."""
        return read_body(self.text, self.body_start, self.foot_start, self.lines)

    @cached_property
    def texts(self) -> tuple[tuple[TextBlock, InlineText], ...]:
        """The blocks of the body that hold text, each with its visible text; code and HTML blocks are left out."""
        ids = frozenset(source.id for source in self.page.head.sources)
        return tuple(read_texts(self.body, ids))

    @cached_property
    def links(self) -> tuple[PageLink, ...]:
        """The links and images of the body in reading order; links in code are none."""
        return tuple(links_of(self.texts, self.path))

    def key_line(self, *steps: str | int) -> int:
        """The line of a frontmatter key, or of its nearest enclosing one; 1 where none is known."""
        names = [str(step) for step in steps]
        while names:
            line = self.key_lines.get(".".join(names))
            if line is not None:
                return line
            names.pop()
        return 1


def parse_page(text: str, path: str) -> ParsedPage:
    """Read a page file.

    Args:
        text: The whole file, decoded.
        path: The file's path in the bundle, ``issuers/nvidia.md``; the concept id is this without ``.md``.

    Returns:
        The page and the places of its parts.

    Raises:
        OkfError: The frontmatter is missing, unterminated, not strict YAML, or does not fit the page model.
    """
    head = require_head(text, path)
    mapping = read_mapping(head, path)
    remarks: list[Issue] = []
    frontmatter = HeadReader(mapping, path, remarks).frontmatter()
    foot = render_foot(frontmatter.sources)
    foot_start = len(text) - len(foot) if text.endswith(f"\n{foot}") else len(text)
    body = _own_body(text[head.body_start : foot_start], {source.id for source in frontmatter.sources})
    page = Page(concept_id=path.removesuffix(".md"), head=frontmatter, body=body)
    return ParsedPage(page, path, text, head, foot_start, mapping.lines, tuple(remarks))


def _own_body(body: str, source_ids: set[str]) -> str:
    lines = body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    dropped = generated_lines(lines, source_ids)
    return _without_outer_blank_lines([line for number, line in enumerate(lines) if number not in dropped])


def _without_outer_blank_lines(lines: list[str]) -> str:
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return "\n".join(lines[start:end])


def render_page(page: Page) -> str:
    """Write a page file: frontmatter in fixed key order, the body, ``# Citations`` and the footnote definitions.

    Args:
        page: The page. Its body holds no generated part; outer blank lines of it are dropped.

    Returns:
        The file's text with LF line ends; the same page always gives the same text.

    Raises:
        OkfError: The body holds something that would not be read back: an open code fence, a ``# Citations``
            section of its own or a footnote definition of one of the page's sources.
    """
    body = page.body.replace("\r\n", "\n").replace("\r", "\n")
    lines = body.split("\n")
    if has_open_fence(lines):
        raise OkfError("the body leaves a code fence open", path=page.path, mend="close it with ```")
    if generated_lines(lines, {source.id for source in page.head.sources}):
        mend = "leave # Citations and footnote definitions to the renderer"
        raise OkfError("the body holds parts that the renderer writes", path=page.path, mend=mend)
    body = _without_outer_blank_lines(lines)
    parts = [f"---\n{render_head(page.head)}---\n", f"{body}\n" if body else "", render_foot(page.head.sources)]
    return parts[0] + "\n".join(part for part in parts[1:] if part)
