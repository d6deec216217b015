"""The links of a page and where they lead: bundle-absolute, relative, external, or out of the bundle."""

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from viska_assets.model.span import Span
from viska_assets.okf.blocks import MarkdownBody, TextBlock
from viska_assets.okf.inline import InlineText, read_texts

if TYPE_CHECKING:
    from viska_assets.okf.page import ParsedPage

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
# a bundle-absolute page address without escapes, dot segments, query or fragment: it is its own normal form
_PLAIN_PAGE = re.compile(r"/([A-Za-z0-9_-]+(?:/[A-Za-z0-9_-]+)*\.md)")
_PATH_VALUE = re.compile(r"^\.{0,2}/|\.md(?:#|$)|^\.\.")


class Reach(StrEnum):
    """Where a link target lies."""

    BUNDLE = "bundle"
    FRAGMENT = "fragment"
    EXTERNAL = "external"
    OUTSIDE = "outside"


class Target(NamedTuple):
    """A resolved target: ``path`` is relative to the bundle's root and ends in ``/`` for a folder."""

    reach: Reach
    path: str = ""
    fragment: str = ""

    @property
    def concept_id(self) -> str:
        """The concept a path names; empty for anything but a page."""
        is_page = self.path.endswith(".md") and posixpath.basename(self.path) not in {"index.md", "log.md"}
        return self.path.removesuffix(".md") if is_page else ""


class PageLink(NamedTuple):
    """A link or image of a page, as written and as resolved; ``span`` is its place in the page file."""

    text: str
    written: str
    title: str
    target: Target
    span: Span
    image: bool = False


def resolve(written: str, page_path: str) -> Target:
    """Resolve a link target as OKF v0.2 §6 has it.

    Args:
        written: The target as it stands in the page; percent escapes, ``#fragment`` and ``?query`` are understood.
        page_path: The path of the page that holds it, relative to the bundle's root.
    """
    plain = _PLAIN_PAGE.fullmatch(written)
    if plain is not None:
        return Target(Reach.BUNDLE, plain[1])
    if _SCHEME.match(written) or written.startswith("//"):
        return Target(Reach.EXTERNAL, written)
    address, _, fragment = written.partition("#")
    address = unquote(address.partition("?")[0]).replace("\\", "/")
    if not address:
        return Target(Reach.FRAGMENT, page_path, fragment)
    folder = "" if address.startswith("/") else posixpath.dirname(page_path)
    path = posixpath.normpath(posixpath.join(folder, address.lstrip("/")))
    if path == ".." or path.startswith("../"):
        return Target(Reach.OUTSIDE, path, fragment)
    is_folder = address.endswith("/") or posixpath.basename(address) in {".", ".."}
    path = "" if path == "." else path
    return Target(Reach.BUNDLE, f"{path}/" if is_folder and path else path, fragment)


def page_links(parsed: "ParsedPage") -> tuple[PageLink, ...]:
    """The links and images of a page's body in reading order; links in code are none."""
    return parsed.links


def body_links(body: MarkdownBody, page_path: str, source_ids: Collection[str] = ()) -> Iterator[PageLink]:
    """The links and images of any markdown body."""
    return links_of(read_texts(body, source_ids), page_path)


def links_of(texts: Iterable[tuple[TextBlock, InlineText]], page_path: str) -> Iterator[PageLink]:
    """The links and images of blocks whose text was read."""
    for block, inline in texts:
        for link in inline.links:
            to_file = block.offsets.to_source
            start = to_file(link.start)
            span = Span(start, max(start, to_file(link.end - 1) + 1))
            text = inline.text[link.at : link.until]
            yield PageLink(text, link.target, link.title, resolve(link.target, page_path), span, link.image)


def source_targets(parsed: "ParsedPage") -> Iterator[tuple[int, Target]]:
    """Where the ``resource`` of each source entry leads, with its position; free text and URLs are left out."""
    for position, source in enumerate(parsed.page.head.sources):
        target = resource_target(source.resource, parsed.path)
        if target is not None:
            yield position, target


def resource_target(resource: str, page_path: str) -> Target | None:
    """Where a path-valued field leads, or None for a URL or a free-text description (OKF v0.2 §5.1)."""
    if _SCHEME.match(resource) or not _PATH_VALUE.search(resource) or " " in resource:
        return None
    return resolve(resource, page_path)
