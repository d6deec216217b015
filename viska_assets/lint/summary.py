"""What lint needs to know of one page, read once and kept while the page's text stays the same."""

import hashlib
from dataclasses import dataclass

from viska_assets.model.page import Frontmatter
from viska_assets.okf.blocks import Part
from viska_assets.okf.citations import FOOT_TITLE
from viska_assets.okf.claims import EXEMPT_CALLOUTS
from viska_assets.okf.errors import OkfError
from viska_assets.okf.form import page_issues
from viska_assets.okf.issue import Issue
from viska_assets.okf.links import Reach, page_links, source_targets
from viska_assets.okf.page import ParsedPage, parse_page


@dataclass(frozen=True, slots=True)
class LinkPlace:
    """A link into the bundle: as written, the path it leads to, the concept it names, and where it stands."""

    written: str
    path: str
    concept_id: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class MarkPlace:
    """A citation mark and where it stands."""

    source_id: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class PageSummary:
    """A page as lint sees it; ``head`` is None and ``error`` says why where the page cannot be read.

    ``prose`` holds the visible text of each block of the body with its line.
    """

    path: str
    sha256: str
    head: Frontmatter | None = None
    error: Issue | None = None
    links: tuple[LinkPlace, ...] = ()
    cited: tuple[LinkPlace, ...] = ()
    marks: tuple[MarkPlace, ...] = ()
    source_lines: tuple[int, ...] = ()
    key_lines: tuple[tuple[str, int], ...] = ()
    issues: tuple[Issue, ...] = ()
    prose: tuple[tuple[str, int], ...] = ()

    @property
    def concept_id(self) -> str:
        """The concept that the page describes."""
        return self.path.removesuffix(".md")

    def key_line(self, key: str) -> int:
        """The line of a frontmatter key, or 1."""
        return dict(self.key_lines).get(key, 1)


def text_hash(text: str) -> str:
    """The hash by which a page's text is known to be unchanged."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_page(path: str, text: str) -> ParsedPage | OkfError:
    """The parsed page, or why it cannot be read."""
    try:
        return parse_page(text, path)
    except OkfError as error:
        return error


def summarise(path: str, text: str, parsed: ParsedPage | OkfError | None = None) -> PageSummary:
    """What lint needs of a page; a page that cannot be read yields a summary with its error."""
    sha256 = text_hash(text)
    parsed = read_page(path, text) if parsed is None else parsed
    if isinstance(parsed, OkfError):
        issue = Issue(path, parsed.line or 1, 1, "UNREADABLE_PAGE", parsed.message, hint=parsed.mend)
        return PageSummary(path, sha256, error=issue)
    head = parsed.page.head
    top_level = tuple((key, line) for key, line in parsed.key_lines.items() if "." not in key)
    return PageSummary(
        path,
        sha256,
        head=head,
        links=tuple(_links(parsed)),
        cited=tuple(_cited(parsed)),
        marks=tuple(_marks(parsed)),
        source_lines=tuple(parsed.key_line("sources", position) for position in range(len(head.sources))),
        key_lines=top_level,
        issues=page_issues(parsed),
        prose=tuple(
            (inline.text, parsed.lines.place(block.span.start)[0]) for block, inline in parsed.texts if inline.text
        ),
    )


def _links(parsed: ParsedPage) -> list[LinkPlace]:
    found = []
    for link in page_links(parsed):
        if link.target.reach is Reach.BUNDLE:
            line, column = parsed.lines.place(link.span.start)
            found.append(LinkPlace(link.written, link.target.path, link.target.concept_id, line, column))
    return found


def _cited(parsed: ParsedPage) -> list[LinkPlace]:
    found = []
    for position, target in source_targets(parsed):
        if target.reach is Reach.BUNDLE:
            line = parsed.key_line("sources", position, "resource")
            written = parsed.page.head.sources[position].resource
            found.append(LinkPlace(written, target.path, target.concept_id, line, 1))
    return found


def _marks(parsed: ParsedPage) -> list[MarkPlace]:
    found = []
    in_foot = False
    for block, inline in parsed.texts:
        if block.part is Part.HEADING:
            in_foot = block.level == 1 and inline.text.strip() == FOOT_TITLE
        if in_foot or block.label or block.callout in EXEMPT_CALLOUTS:
            continue
        for mark in inline.marks:
            line, column = parsed.lines.place(block.offsets.to_source(mark.start))
            found.append(MarkPlace(mark.label, line, column))
    return found
