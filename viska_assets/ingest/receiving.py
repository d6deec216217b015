"""Taking delivery: bytes to the blob store first, then the document's row. Nothing is read or judged here."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from viska_assets.store.blobs import BlobError, RawBlobs
from viska_assets.store.database import Database
from viska_assets.store.documents import add_document, add_incident


@dataclass(frozen=True)
class Refused:
    """A file that could not be taken, and why."""

    path: str
    reason: str


@dataclass(frozen=True)
class Received:
    """What a batch of deliveries brought: ids of new documents, of known ones, and refusals."""

    new: tuple[str, ...]
    known: tuple[str, ...]
    refused: tuple[Refused, ...]


def receive_files(
    database: Database,
    blobs: RawBlobs,
    paths: Sequence[Path],
    *,
    feed: str,
    root: Path | None,
    at: datetime,
    largest: int,
) -> Received:
    """Stores files as documents; one that cannot be read is refused by name and the rest goes on.

    Args:
        database: for the rows.
        blobs: for the bytes.
        paths: the files.
        feed: the name under which the deliveries are recorded.
        root: files must lie below this folder (a link out of it is refused); None takes any file.
        at: when they were received.
        largest: the size in bytes over which a file is refused.
    """
    new: list[str] = []
    known: list[str] = []
    refused: list[Refused] = []
    for path in paths:
        name = _name(path, root)
        try:
            fingerprint = fingerprint_of(path.stat())
            data = _read(path, root, largest)
            document_id = blobs.put(data)
        except (OSError, ValueError) as error:
            refused.append(Refused(name, _explain(error)))
            with database.transaction() as connection:
                add_incident(connection, "unreadable_file", _explain(error), path=name)
            continue
        with database.transaction() as connection:
            added = add_document(
                connection,
                document_id,
                path.name,
                len(data),
                feed=feed,
                path=name,
                received_at=at,
                fingerprint=fingerprint,
            )
        (new if added else known).append(document_id)
    return Received(tuple(new), tuple(known), tuple(refused))


def fingerprint_of(state: os.stat_result) -> str:
    """A file's size and time of change, by which it is known again without reading it."""
    return f"{state.st_size}:{state.st_mtime_ns}"


def files_below(paths: Iterable[Path]) -> dict[Path, Path | None]:
    """The files named, and those in the folders named, sorted; hidden files and folders are passed over.

    Each file comes with the folder that it must not lead out of, which is None for a file that was named itself.

    Raises:
        FileNotFoundError: for a path that does not exist, naming it.
    """
    found: dict[Path, Path | None] = {}
    for path in paths:
        if path.is_dir():
            below = (p for p in path.rglob("*") if p.is_file() and not _is_hidden(p.relative_to(path)))
            found |= {p: path for p in below if p not in found}
        elif path.exists() or path.is_symlink():
            found[path] = None
        else:
            raise FileNotFoundError(f"{path}: there is no such file or folder")
    return dict(sorted(found.items()))


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _read(path: Path, root: Path | None, largest: int) -> bytes:
    resolved = path.resolve()
    if root is not None and not resolved.is_relative_to(root.resolve()):
        raise ValueError("the path leads out of the feed's folder; deliver the file itself, not a link to it")
    size = resolved.stat().st_size
    if size > largest:
        raise ValueError(f"the file has {size:,} bytes, over the limit of {largest:,}; split it or raise the limit")
    return resolved.read_bytes()


def _name(path: Path, root: Path | None) -> str:
    if root is not None and path.is_absolute() and path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    return path.as_posix()


def _explain(error: Exception) -> str:
    if isinstance(error, PermissionError) and not isinstance(error, BlobError):
        return "the file may not be read; grant read permission and deliver it again"
    if isinstance(error, FileNotFoundError):
        return "the file is gone; deliver it again"
    return str(error)
