"""Opening a reference of any source: what the desk holds, and a committed line in its file."""

import re

from viska_assets.hermes.repositories import Repository, RepositoryError, line_at
from viska_assets.hermes.sources import repositories_of
from viska_assets.model.span import Span
from viska_assets.query.errors import QueryError
from viska_assets.query.library import Reader
from viska_assets.query.opening import (
    WINDOW,
    Opened,
    OpenedKind,
    announced,
    open_reference,
    part_within,
    window_limit,
    window_start,
)

_LINE = re.compile(r"^git:(.+)@([0-9a-f]{7,40})#L([1-9]\d{0,8})$")


def open_anything(reader: Reader, reference: str, *, offset: int | None = None, limit: int = WINDOW) -> Opened:
    """As ``query.open_reference``, and for the places of repositories (``git:NAME/PATH@COMMIT#L12``).

    A line is shown highlighted in its file as it was committed.

    Raises:
        QueryError: as ``open_reference``; for a repository or a file that the reader may not see or that is not there;
            and for an address of the web, which is never fetched.
    """
    wanted = reference.strip()
    if wanted.startswith(("http://", "https://")):
        raise QueryError("pages of the web are not fetched", "read its snippet in the hit, or open it in a browser")
    if match := _LINE.match(wanted):
        place, commit, number = match[1], match[2], int(match[3])
        for repository in repositories_of(reader):
            if place.startswith(f"{repository.name}/"):
                path = place.removeprefix(f"{repository.name}/")
                return _line(reader, repository, path, commit, number, offset, window_limit(limit))
        raise QueryError("no such repository can be asked", "take the reference from a hit")
    return open_reference(reader, reference, offset=offset, limit=limit)


def _line(
    reader: Reader, repository: Repository, path: str, commit: str, number: int, offset: int | None, limit: int
) -> Opened:
    try:
        text, line = line_at(repository, path, number, commit)
    except RepositoryError as error:
        raise QueryError(str(error), "take the reference from a hit; the clone may have moved on") from error
    uri = f"git:{repository.name}/{path}@{commit}#L{number}"
    reader.show(repository.namespace, uri)
    at = len(text) - len(text.split("\n", number - 1)[-1])
    span = Span(at, at + len(line.text))
    start = window_start(span, offset, limit, len(text))
    shown = text[start : start + limit]
    window = Span(start, start + len(shown))
    said = f"line {number}; {line.author}, {line.changed_at.isoformat()}, commit {line.commit}"
    return Opened(
        uri,
        OpenedKind.FILE,
        f"{repository.name}: {path}",
        shown,
        window,
        len(text),
        part_within(span, window),
        announced(reader, repository.namespace, said),
    )
