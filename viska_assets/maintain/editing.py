"""People's edits of pages, in git or an editor: merged into what is drafted, gated like everything, never lost."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from git import Git, GitCommandError

from viska_assets.model.page import Frontmatter, Generated, Page
from viska_assets.okf.errors import OkfError
from viska_assets.okf.page import parse_page
from viska_assets.store.edits import HumanEdit


def with_edits(page: Page, edits: Sequence[HumanEdit]) -> tuple[Page, tuple[HumanEdit, ...]]:
    """A drafted page with the edits that people made of its earlier versions, and the edits that do not fit any more.

    The body is merged line by line; of the head, a changed title, description, tags, aliases and added sources are
    taken. An edit does not fit where the lines that it changed have been drafted anew.
    """
    left_out = []
    for edit in edits:
        merged = _with_edit(page, edit)
        if merged is None:
            left_out.append(edit)
        page = merged or page
    return page, tuple(left_out)


def _with_edit(page: Page, edit: HumanEdit) -> Page | None:
    try:
        base, edited = (parse_page(text, page.path).page for text in (edit.base, edit.edited))
    except OkfError:
        return None
    body = merge_lines(page.body, base.body, edited.body)
    if body is None:
        return None
    return page.model_copy(update={"head": _head(page.head, base.head, edited.head, edit), "body": body})


def _head(head: Frontmatter, base: Frontmatter, edited: Frontmatter, edit: HumanEdit) -> Frontmatter:
    changed: dict[str, object] = {
        name: getattr(edited, name)
        for name in ("title", "description", "tags", "aliases")
        if getattr(edited, name) != getattr(base, name)
    }
    known = {entry.id for entry in head.sources}
    before = {entry.id for entry in base.sources}
    added = tuple(entry for entry in edited.sources if entry.id not in before | known)
    verified = Generated(by=f"human:{edit.author}", at=edit.at)
    return head.model_copy(
        update=changed | {"sources": (*head.sources, *added), "verified": (*head.verified, verified)}
    )


def merge_lines(ours: str, base: str, theirs: str) -> str | None:
    """What git makes of two versions of one text; None where both changed the same lines."""
    if theirs == base:
        return ours
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("ours", "base", "theirs")]
        for file, text in zip(files, (ours, base, theirs), strict=True):
            file.write_text(text, encoding="utf-8")
        try:
            return str(Git().execute(["git", "merge-file", "-p", *map(str, files)], strip_newline_in_stdout=False))
        except GitCommandError:
            return None
