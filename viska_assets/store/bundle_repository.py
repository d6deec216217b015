"""The live bundle's git repository: one commit a batch, nobody's edits lost."""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from git import Actor, InvalidGitRepositoryError, Repo

WRITER = Actor("Viska", "viska@localhost")
ANNOUNCEMENT = "viska-writing.json"


@dataclass(frozen=True)
class Committed:
    """What a write left behind: the head, whether it is new, and where overwritten edits were saved."""

    commit: str
    changed: tuple[str, ...]
    saved_edits: str | None


class BundleRepository:
    """A bundle under git. Callers hold the writer's lock; readers need none, files are replaced as a whole.

    Args:
        path: the working tree; made, with an empty repository, where it does not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        try:
            self._repo = Repo(path)
            if Path(self._repo.working_dir).resolve() != path.resolve():
                raise InvalidGitRepositoryError(path)
        except InvalidGitRepositoryError:
            self._repo = Repo.init(path, initial_branch="main")
        with self._repo.config_writer() as config:
            config.set_value("core", "autocrlf", "false")
            config.set_value("user", "name", WRITER.name or "")
            config.set_value("user", "email", WRITER.email or "")
            config.set_value("commit", "gpgsign", "false")

    def head(self) -> str:
        """The commit at the head, or an empty string before the first."""
        return self._repo.head.commit.hexsha if self._repo.head.is_valid() else ""

    def uncommitted(self) -> dict[str, str]:
        """Files of the working tree that differ from the head: path to what git calls the difference."""
        said = {"M": "edited", "D": "deleted", "?": "added", "A": "added"}
        lines = self._repo.git.status("--porcelain", "--untracked-files=all", "-z").split("\0")
        return {line[3:]: said.get(line[:2].strip()[:1], "changed") for line in lines if len(line) > 3}

    def files(self) -> dict[str, str]:
        """The markdown files of the head commit by path."""
        if not self._repo.head.is_valid():
            return {}
        blobs = (item for item in self._repo.head.commit.tree.traverse() if getattr(item, "type", "") == "blob")
        return {
            str(blob.path): blob.data_stream.read().decode()  # type: ignore[union-attr]
            for blob in blobs
            if str(blob.path).endswith(".md")  # type: ignore[union-attr]
        }

    def edited_by_people(self, live: Mapping[str, str]) -> dict[str, tuple[str, str]]:
        """The files that say something else than Viska last wrote, because a person changed them.

        Args:
            live: path to text, as Viska last wrote it.

        Returns:
            By path the file's text, and the author's name (``editor`` for a change that is not committed). What an
            interrupted write of Viska itself left behind is no person's edit.
        """
        found = {}
        uncommitted = self.uncommitted()
        announced = self._announced()
        for path, text in sorted(live.items()):
            file = self.path / path
            if not file.is_file() or file.read_bytes() == text.encode():
                continue
            now = file.read_text(encoding="utf-8", errors="replace")
            if path in uncommitted:
                if announced.get(path) != _digest(now):
                    found[path] = (now, "editor")
            elif (author := str(self._repo.git.log("-1", "--format=%an", "--", path))) != WRITER.name:
                found[path] = (now, author)
        return found

    def _announced(self) -> dict[str, str]:
        """What a write that may have been interrupted was about to write: path to sha256."""
        file = Path(self._repo.git_dir) / ANNOUNCEMENT
        return dict(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else {}

    def _announce(self, files: Mapping[str, str]) -> None:
        file = Path(self._repo.git_dir) / ANNOUNCEMENT
        scratch = file.with_suffix(".partial")
        scratch.write_text(json.dumps({path: _digest(text) for path, text in files.items()}), encoding="utf-8")
        scratch.replace(file)

    def write(
        self,
        files: Mapping[str, str],
        removed: Collection[str],
        subject: str,
        trailers: Collection[tuple[str, str]],
        when: datetime,
        *,
        taken: Collection[str] = (),
    ) -> Committed:
        """Brings the files to the given texts in one commit; without any change there is no commit.

        Args:
            files: path in the bundle to text.
            removed: paths that shall not exist any more.
            subject: first line of the commit message.
            trailers: (key, value) pairs, e.g. the ids of the documents.
            when: author and committer time, so that the same batch gives the same commit.
            taken: paths whose edits the given texts hold already.
        """
        saved = self._save_edits({path: text for path, text in files.items() if path not in taken})
        self._announce(files)
        for path, text in files.items():
            self._replace(path, text)
        for path in removed:
            (self.path / path).unlink(missing_ok=True)
        self._repo.git.add("--all", "--", *sorted(files), *sorted(p for p in removed if self._is_tracked(p)))
        changed = self._repo.git.diff("--cached", "--name-only", "-z").split("\0")
        changed = tuple(sorted(path for path in changed if path))
        if changed:
            stamp = f"{int(when.timestamp())} +0000"
            message = "\n".join([subject, "", *(f"{key}: {value}" for key, value in trailers)])
            self._repo.index.commit(
                message, author=WRITER, committer=WRITER, author_date=stamp, commit_date=stamp, skip_hooks=True
            )
        return Committed(self.head(), changed, saved)

    def _replace(self, path: str, text: str) -> None:
        target = self.path / path
        data = text.encode()
        if target.exists() and target.read_bytes() == data:
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = target.with_name(f".{target.name}.partial")
        scratch.write_bytes(data)
        scratch.replace(target)

    def _is_tracked(self, path: str) -> bool:
        return bool(self._repo.git.ls_files("--", path))

    def _save_edits(self, files: Mapping[str, str]) -> str | None:
        """Keeps edits of the working tree that this write would overwrite, as a commit under ``refs/viska/edits``."""
        if not self._repo.head.is_valid():
            return None
        edited = self._repo.git.diff("HEAD", "--name-only", "-z").split("\0")
        lost = [p for p in edited if p in files and (self.path / p).exists() and self._differs(p, files[p])]
        if not lost:
            return None
        commit = self._repo.git.stash("create", "edits before a batch")
        if not commit:
            return None
        reference = f"refs/viska/edits/{commit[:12]}"
        self._repo.git.update_ref(reference, commit)
        return reference

    def _differs(self, path: str, text: str) -> bool:
        return (self.path / path).read_bytes() != text.encode()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
