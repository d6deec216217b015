"""Repositories: local git clones searched offline by words or pattern; each line with commit, date and author."""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

MOST_LINES = 400
MOST_FILES = 40
LONGEST_LINE = 1_000
TIMEOUT_SECONDS = 20.0
DOCUMENT_ENDINGS = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc", ".org"})


class RepositoryError(ValueError):
    """A repository cannot be searched; the message names it and the mend."""


@dataclass(frozen=True)
class Repository:
    """A configured clone: its name, its folder, how much its word counts (0 to 1), and whom it belongs to.

    ``namespace`` is the namespace whose readers may search it.
    """

    name: str
    path: Path
    authority: float = 0.8
    namespace: str = "default"

    def __post_init__(self) -> None:
        if not 0 <= self.authority <= 1:
            raise RepositoryError(f"the authority of {self.name} is {self.authority}: write a number from 0 to 1")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a committed file, with the commit that last changed it; ``number`` counts from 1."""

    repository: str
    path: str
    number: int
    text: str
    head: str
    commit: str
    changed_at: datetime
    author: str

    @property
    def is_document(self) -> bool:
        """Whether the file is prose rather than code."""
        return PurePosixPath(self.path).suffix.lower() in DOCUMENT_ENDINGS


@dataclass(frozen=True, slots=True)
class FoundLines:
    """The lines that match, by path and number; ``left_out`` of them were not read further."""

    lines: tuple[Line, ...]
    left_out: int = 0


def find_lines(
    repository: Repository,
    words: Sequence[str],
    *,
    pattern: str | None = None,
    any_word: bool = False,
    limit: int = MOST_LINES,
) -> FoundLines:
    """The lines of the committed state of a repository (``HEAD``) that hold all words, or match a pattern.

    Nothing is written, no hook or configured program of the repository runs, and no network is used.

    Args:
        repository: which.
        words: literal words; a line must hold each of them, in any case.
        pattern: a POSIX extended regular expression instead of words, in its own case.
        any_word: whether one of the words is enough; lines with more of them come first.
        limit: how many lines at most.

    Raises:
        RepositoryError: for a folder that is no clone, an empty one, a pattern that git refuses, or a time-out.
    """
    head = head_of(repository)
    if pattern is None and not any(word.strip() for word in words):
        return FoundLines(())
    places = list(_grep(repository, head, words, pattern, any_word=any_word))
    if any_word:
        lowered = [word.lower() for word in words]
        places.sort(key=lambda place: -sum(word in place[2].lower() for word in lowered))
    kept = _spread(places, limit)
    lines: list[Line] = []
    for path in dict.fromkeys(path for path, _, _ in kept):
        numbers = [number for own, number, _ in kept if own == path]
        changes = _blame(repository, head, path, numbers)
        texts = {number: text for own, number, text in kept if own == path}
        lines += [
            Line(repository.name, path, number, texts[number], head, *changes[number])
            for number in numbers
            if number in changes
        ]
    return FoundLines(tuple(lines), len(places) - len(lines))


def head_of(repository: Repository) -> str:
    """The commit that is checked out.

    Raises:
        RepositoryError: where there is none.
    """
    if not repository.path.is_dir():
        raise RepositoryError(f"{repository.name}: there is no folder {repository.path.name}; clone it, or take it out")
    try:
        return _git(repository, "rev-parse", "--verify", "HEAD^{commit}").decode().strip()
    except RepositoryError as error:
        raise RepositoryError(f"{repository.name}: this is no git clone with a commit ({error})") from error


def read_file(repository: Repository, path: str, commit: str) -> str:
    """A committed file's text.

    Raises:
        RepositoryError: where the commit has no such file.
    """
    if not re.fullmatch(r"[0-9a-f]{4,40}", commit) or path.startswith("/") or ".." in PurePosixPath(path).parts:
        raise RepositoryError(f"{repository.name}: {path!r} at {commit!r} is no committed file")
    return _git(repository, "show", "--no-textconv", "--no-ext-diff", f"{commit}:{path}").decode("utf-8", "replace")


def line_at(repository: Repository, path: str, number: int, commit: str) -> tuple[str, Line]:
    """A committed file's text, and one line of it with the commit that last changed it.

    Raises:
        RepositoryError: where the commit has no such file, or the file no such line.
    """
    text = read_file(repository, path, commit)
    lines = text.split("\n")
    if not 1 <= number <= len(lines):
        raise RepositoryError(f"{repository.name}: {path} has {len(lines)} lines at {commit[:12]}, not {number}")
    changed = _blame(repository, commit, path, [number])
    return text, Line(repository.name, path, number, lines[number - 1], commit, *changed[number])


def _grep(
    repository: Repository, head: str, words: Sequence[str], pattern: str | None, *, any_word: bool
) -> Iterator[tuple[str, int, str]]:
    if pattern is None:
        asked = ["--ignore-case", "--fixed-strings"]
        for at, word in enumerate(word for word in words if word.strip()):
            asked += [*(["--and"] if at and not any_word else []), "-e", word]
    else:
        asked = ["--extended-regexp", "-e", pattern]
    # -z ends names by NUL, so that a name with a colon in it stays whole; -I passes binary files over.
    answer = _git(
        repository,
        "grep",
        "-n",
        "-z",
        "-I",
        "--no-textconv",
        "--no-color",
        "--full-name",
        *asked,
        head,
        "--",
        found_none_is_fine=True,
    )
    for row in answer.split(b"\n"):
        name, _, rest = row.partition(b"\0")
        number, _, text = rest.partition(b"\0")
        if number.isdigit():
            path = name.decode("utf-8", "replace").partition(":")[2]
            yield path, int(number), text.decode("utf-8", "replace")[:LONGEST_LINE]


def _spread(places: Sequence[tuple[str, int, str]], limit: int) -> list[tuple[str, int, str]]:
    """So many places, a few of each file before more of any."""
    by_path: dict[str, list[tuple[str, int, str]]] = {}
    for place in places:
        by_path.setdefault(place[0], []).append(place)
    kept: list[tuple[str, int, str]] = []
    files = list(by_path.values())[:MOST_FILES]
    for rank in range(max(map(len, files), default=0)):
        for found in files:
            if rank < len(found) and len(kept) < limit:
                kept.append(found[rank])
    return sorted(kept)


def _blame(
    repository: Repository, head: str, path: str, numbers: Sequence[int]
) -> dict[int, tuple[str, datetime, str]]:
    """By line the commit that last changed it, when, and by whom."""
    ranges = [argument for number in numbers for argument in ("-L", f"{number},{number}")]
    answer = _git(repository, "blame", "--no-textconv", "--line-porcelain", *ranges, head, "--", path).decode(
        "utf-8", "replace"
    )
    found: dict[int, tuple[str, datetime, str]] = {}
    commit, number = "", 0
    facts: dict[str, str] = {}
    for row in answer.split("\n"):
        if row.startswith("\t"):
            at = datetime.fromtimestamp(int(facts.get("author-time", 0)), tz=UTC)
            found[number] = (commit, at, facts.get("author", "unknown"))
        elif match := re.match(r"([0-9a-f]{40}) \d+ (\d+)", row):
            commit, number, facts = match[1], int(match[2]), {}
        else:
            key, _, value = row.partition(" ")
            facts[key] = value
    return found


def _git(repository: Repository, *arguments: str, found_none_is_fine: bool = False) -> bytes:
    """Runs git without anything of the repository's or the user's configuration that could run a program."""
    command = [
        "git",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.pager=cat",
        "-c",
        "diff.external=",
        "--no-replace-objects",
    ]
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_CEILING_DIRECTORIES": str(repository.path.parent.resolve()),
        "LC_ALL": "C.UTF-8",
        "HOME": os.devnull,
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": str(repository.path.resolve()),
    }
    try:
        done = subprocess.run(
            [*command, *arguments],
            cwd=repository.path,
            env=environment,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise RepositoryError(f"{repository.name}: git did not answer within {TIMEOUT_SECONDS:.0f} s") from error
    except FileNotFoundError as error:
        raise RepositoryError("git is not installed: repositories cannot be searched") from error
    if done.returncode == 1 and found_none_is_fine and not done.stderr:
        return b""
    if done.returncode:
        raise RepositoryError(f"{repository.name}: {done.stderr.decode('utf-8', 'replace').strip()[:300]}")
    return done.stdout
