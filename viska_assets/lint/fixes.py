"""What lint mends by itself: indexes rendered again, and feet of pages rewritten from their sources."""

import posixpath
from collections.abc import Mapping

from viska_assets.model.page import Page
from viska_assets.okf.errors import OkfError
from viska_assets.okf.index import render_indexes
from viska_assets.okf.page import ParsedPage, parse_page, render_page
from viska_assets.okf.slugs import RESERVED_NAMES


def mechanical_fixes(files: Mapping[str, str]) -> dict[str, str | None]:
    """The files that lint would change: new text by path, or None for a file to remove.

    Only what follows from the pages themselves is touched: ``# Citations`` and footnotes that differ from a page's
    sources, and ``index.md`` files that differ from their folders. No claim, figure or citation is ever changed.

    Args:
        files: The text of every ``.md`` file by path.
    """
    changed: dict[str, str | None] = {}
    pages: list[Page] = []
    for path in sorted(files):
        if posixpath.basename(path) in RESERVED_NAMES:
            continue
        try:
            parsed = parse_page(files[path], path)
        except OkfError:
            continue
        pages.append(parsed.page)
        mended = _with_own_foot(parsed)
        if mended is not None:
            changed[path] = mended
    expected = render_indexes(pages) if pages else {}
    actual = {path for path in files if posixpath.basename(path) == "index.md"}
    for path in sorted({*expected, *actual}):
        if expected.get(path) != files.get(path):
            changed[path] = expected.get(path)
    return changed


def _with_own_foot(parsed: ParsedPage) -> str | None:
    """The page with its foot written again, or None where the foot is already its own."""
    if not parsed.page.head.sources or parsed.foot_start < len(parsed.text):
        return None
    try:
        return render_page(parsed.page)
    except OkfError:
        return None
