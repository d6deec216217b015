"""Where the head of the audit chain is kept outside the database: commits of the bundle under a ref of their own.

The commits hold no files and are no ancestors of the bundle's branch, so that pages, index and lint do not see them.
"""

import os
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from git import Repo

from viska_assets.store.bundle_repository import WRITER, BundleRepository
from viska_assets.store.supervised.audit_rows import Head

REF = "refs/viska/audit"
_TRAILERS = re.compile(r"^Viska-Audit-Seq: (\d+)\nViska-Audit-Hash: ([0-9a-f]{64})$", re.MULTILINE)


@dataclass(frozen=True)
class Anchor:
    """A link of the chain as somebody outside remembers it."""

    seq: int
    hash: str
    source: str


def anchor_in_bundle(bundle: BundleRepository, head: Head, when: datetime) -> str:
    """Commits the head beside the bundle, naming the bundle's own head; nothing new, no commit. Returns the commit."""
    repo = Repo(bundle.path)
    last = _last(repo)
    if head.seq == 0 or any(a.seq == head.seq and a.hash == head.hash for a in anchors_in_bundle(bundle, most=1)):
        return last
    said = (
        f"Audit chain at {head.seq}\n\nViska-Audit-Seq: {head.seq}\nViska-Audit-Hash: {head.hash}\n"
        f"Viska-Bundle: {bundle.head() or 'none'}\n"
    )
    stamp = f"{int(when.timestamp())} +0000"
    environment = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", WRITER.name or ""), ("EMAIL", WRITER.email or ""), ("DATE", stamp))
    }
    with repo.git.custom_environment(**environment):
        parent = ["-p", last] if last else []
        commit = str(repo.git.commit_tree(_empty_tree(repo), *parent, "-m", said))
    repo.git.update_ref(REF, commit, *([last] if last else []))
    return commit


def anchors_in_bundle(bundle: BundleRepository, *, most: int = 1000) -> list[Anchor]:
    """The heads that the bundle remembers, newest first."""
    repo = Repo(bundle.path)
    if not _last(repo):
        return []
    text = str(repo.git.log(REF, f"-{most}", "--format=%B"))
    return [Anchor(int(seq), hash_, "bundle") for seq, hash_ in _TRAILERS.findall(text)]


def _last(repo: Repo) -> str:
    return str(repo.git.for_each_ref(REF, "--format=%(objectname)"))


def _empty_tree(repo: Repo) -> str:
    with Path(os.devnull).open("rb") as nothing:
        return str(repo.git.mktree(istream=nothing))
