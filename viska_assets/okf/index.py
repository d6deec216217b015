"""``index.md``: rendering a folder's catalogue from its pages, and reading one back with what is wrong in it."""

import posixpath
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from viska_assets.model.page import Page
from viska_assets.okf.blocks import Part, read_body
from viska_assets.okf.citations import escape_markdown
from viska_assets.okf.errors import OkfError
from viska_assets.okf.frontmatter import find_head, read_mapping
from viska_assets.okf.inline import read_inline
from viska_assets.okf.issue import Issue, Level
from viska_assets.okf.links import Target, resolve
from viska_assets.okf.positions import LineTable

OKF_VERSION = "0.2"
SUBDIRECTORIES = "Subdirectories"
FOLDER_DESCRIPTIONS: Mapping[str, str] = {
    "issuers": "Companies whose securities are held or followed.",
    "holdings": "Positions of the portfolio.",
    "theses": "Views of analysts and brokers with their arguments.",
    "metrics": "Definitions of the figures that pages use.",
    "events": "Filings, results and other dated occurrences.",
    "sources": "Documents that the pages cite.",
}


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One bullet of an index: ``target`` as it is written; ``line`` is 0 for an entry that was not read."""

    title: str
    target: str
    description: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class IndexSection:
    """A heading of an index and its entries."""

    heading: str
    entries: tuple[IndexEntry, ...]


def render_index(sections: Iterable[IndexSection], *, root: bool = False) -> str:
    """Write an index; the root one carries ``okf_version`` and nothing else in its frontmatter."""
    blocks = []
    for section in sections:
        bullets = [f"* [{escape_markdown(e.title)}]({e.target}){_dash(e.description)}" for e in section.entries]
        blocks.append(f"# {escape_markdown(section.heading)}\n\n" + "\n".join(bullets) + "\n")
    front = f'---\nokf_version: "{OKF_VERSION}"\n---\n' if root else ""
    return front + "\n".join(blocks)


def _dash(description: str) -> str:
    return f" - {escape_markdown(description)}" if description else ""


def render_indexes(pages: Iterable[Page]) -> dict[str, str]:
    """Every index of a bundle by path: one a folder, grouped by type and sorted by title, and the root's.

    The same set of pages gives the same bytes, in whatever order they come.
    """
    by_folder: dict[str, list[Page]] = {}
    for page in pages:
        by_folder.setdefault(posixpath.dirname(page.path), []).append(page)
    for folder in list(by_folder):
        while folder:
            folder = posixpath.dirname(folder)
            by_folder.setdefault(folder, [])
    by_folder.setdefault("", [])
    indexes: dict[str, str] = {}
    for folder in sorted(by_folder):
        inner = sorted(name for name in by_folder if name and posixpath.dirname(name) == folder)
        sections = [*_page_sections(by_folder[folder]), *_folder_section(inner)]
        if sections or not folder:
            indexes[posixpath.join(folder, "index.md")] = render_index(sections, root=not folder)
    return indexes


def _page_sections(pages: list[Page]) -> list[IndexSection]:
    ordered = sorted(pages, key=lambda p: (p.head.type.value, p.head.title.casefold(), p.head.title, p.concept_id))
    return [
        IndexSection(
            kind, tuple(IndexEntry(p.head.title, posixpath.basename(p.path), p.head.description) for p in members)
        )
        for kind, members in groupby(ordered, key=lambda p: p.head.type.value)
    ]


def _folder_section(folders: list[str]) -> list[IndexSection]:
    entries = [
        IndexEntry(posixpath.basename(f), f"{posixpath.basename(f)}/", FOLDER_DESCRIPTIONS.get(f, "")) for f in folders
    ]
    return [IndexSection(SUBDIRECTORIES, tuple(entries))] if entries else []


@dataclass(frozen=True, slots=True)
class ReadIndex:
    """An index as read: its sections, and what breaks or bends OKF v0.2 §8."""

    sections: tuple[IndexSection, ...]
    issues: tuple[Issue, ...]

    def entries(self) -> list[IndexEntry]:
        """All entries in order."""
        return [entry for section in self.sections for entry in section.entries]


def read_index(text: str, path: str) -> ReadIndex:
    """Read an index and check its structure."""
    issues: list[Issue] = []
    head = find_head(text)
    if head is not None:
        issues.extend(_head_issues(text, path))
    lines = LineTable.of(text)
    body = read_body(text, head.body_start if head else 0, len(text), lines)
    sections: list[tuple[str, list[IndexEntry]]] = []
    for block in body.blocks:
        inline = read_inline(block.content, (), body.references)
        line = lines.place(block.span.start)[0]
        if block.part is Part.HEADING:
            sections.append((inline.text.strip(), []))
        elif block.part is Part.LIST_ITEM and inline.links and inline.links[0].at == 0:
            if not sections:
                issues.append(Issue(path, line, 1, "INDEX_NO_HEADING", "an entry stands before any heading", _WARNING))
                sections.append(("", []))
            link = inline.links[0]
            rest = inline.text[link.until :].strip()
            description = rest.lstrip("-–—: ").strip()
            sections[-1][1].append(IndexEntry(inline.text[link.at : link.until], link.target, description, line))
            if not description:
                issues.append(Issue(path, line, 1, "INDEX_NO_DESCRIPTION", "the entry has no description", _WARNING))
            if not text.startswith("*", lines.line_start(line - 1)):
                issues.append(Issue(path, line, 1, "INDEX_BULLET", "the bullet is not *", _WARNING))
    if not any(entries for _, entries in sections):
        hint = "list the folder's pages as * [Title](page.md) - description"
        issues.append(Issue(path, 1, 1, "INDEX_EMPTY", "the index lists nothing", Level.ERROR, hint))
    return ReadIndex(tuple(IndexSection(name, tuple(entries)) for name, entries in sections), tuple(sorted(issues)))


_WARNING = Level.WARNING


def _head_issues(text: str, path: str) -> list[Issue]:
    head = find_head(text)
    if head is None:
        return []
    if path != "index.md":
        hint = "only the bundle's root index may hold okf_version"
        return [Issue(path, 1, 1, "INDEX_FRONTMATTER", "an index has no frontmatter", Level.ERROR, hint)]
    try:
        mapping = read_mapping(head, path)
    except OkfError as error:
        return [Issue(path, error.line or 1, 1, "INDEX_FRONTMATTER", error.message, Level.ERROR, error.mend)]
    return [
        Issue(path, mapping.lines.get(key, 1), 1, "INDEX_FRONTMATTER", f"the root index may not hold {key!r}")
        for key in mapping.values
        if key != "okf_version"
    ]


def listed_paths(index: ReadIndex, path: str) -> dict[str, IndexEntry]:
    """The bundle paths that an index lists, folders as their ``index.md``."""
    listed: dict[str, IndexEntry] = {}
    for entry in index.entries():
        target: Target = resolve(entry.target, path)
        listed.setdefault(f"{target.path}index.md" if target.path.endswith("/") else target.path, entry)
    return listed


def coverage_issues(
    index: ReadIndex, path: str, files: Collection[str], descriptions: Mapping[str, str]
) -> list[Issue]:
    """Warnings about an index against its folder: entries that lead nowhere, pages not listed, other descriptions.

    Args:
        index: The index as read.
        path: Its path.
        files: Every file path of the bundle.
        descriptions: The description of each concept page by path.
    """
    listed = listed_paths(index, path)
    folder = posixpath.dirname(path)
    issues = []
    for target, entry in listed.items():
        if "://" in target:
            continue
        if target not in files and not any(file.startswith(f"{target.removesuffix('index.md')}") for file in files):
            message = f"the entry {entry.target} leads nowhere"
            issues.append(Issue(path, entry.line, 1, "INDEX_BROKEN_ENTRY", message, Level.WARNING))
        elif entry.description and descriptions.get(target) and not _same(entry.description, descriptions[target]):
            message = f"the entry's description differs from that of {target}"
            issues.append(Issue(path, entry.line, 1, "INDEX_DESCRIPTION", message, Level.WARNING))
    for page in sorted(descriptions):
        if posixpath.dirname(page) == folder and page not in listed:
            issues.append(Issue(path, 1, 1, "INDEX_MISSING_PAGE", f"{page} is not listed", Level.WARNING))
    return issues


def _same(left: str, right: str) -> bool:
    return " ".join(left.split()) == " ".join(right.split())
