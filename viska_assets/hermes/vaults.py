"""Vaults: folders of markdown, each a namespace of its own; what changed in a folder is what a sync writes."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from viska_assets.ingest.errors import ReadingError
from viska_assets.ingest.readers import Reading, ReadingPlan, read_bytes
from viska_assets.ingest.receiving import files_below, fingerprint_of
from viska_assets.okf.errors import OkfError
from viska_assets.okf.frontmatter import find_head, read_mapping
from viska_assets.okf.slugs import slugify
from viska_assets.store.blobs import RawBlobs
from viska_assets.store.chunks import IndexedChunk
from viska_assets.store.database import Database
from viska_assets.store.merging import compact
from viska_assets.store.namespaces import add_namespace, namespaces
from viska_assets.store.vault_notes import Note, file_note, standing_notes, withdraw_note

ENDINGS = frozenset({".md", ".markdown", ".txt"})
AUTHOR_KEYS = ("author", "agent", "by", "contributor", "generated")
DATE_KEYS = ("updated", "modified", "date", "created", "timestamp")


@dataclass(frozen=True)
class SyncedVault:
    """What a sync did to one vault: how many notes were filed, withdrawn and left alone, and what cannot be read."""

    namespace: str
    private: bool
    filed: int
    withdrawn: int
    unchanged: int
    problems: tuple[str, ...]


def vault_folders(root: Path) -> dict[str, Path]:
    """The vaults of a folder: each folder in it, by its name.

    Raises:
        ValueError: for a folder whose name is no namespace.
    """
    found = {}
    for folder in sorted(root.iterdir()) if root.is_dir() else []:
        if folder.is_dir() and not folder.name.startswith("."):
            if folder.name != slugify(folder.name) or folder.name == "default":
                raise ValueError(
                    f"{folder}: a vault's folder is named in small letters, digits and hyphens, as `health`"
                )
            found[folder.name] = folder
    return found


def vaults_mark(root: Path) -> str | None:
    """Sixteen hex digits that change with the name, time or size of any note; None where there is no vault.

    Raises:
        ValueError: for a folder whose name is no namespace.
    """
    folders = vault_folders(root)
    if not folders:
        return None
    digest = hashlib.sha256()
    for name, folder in folders.items():
        digest.update(f"{name}\0".encode())
        for path in files_below([folder]):
            if path.suffix.lower() in ENDINGS:
                digest.update(f"{path.relative_to(folder)}\0{fingerprint_of(path.stat())}\0".encode())
    return digest.hexdigest()[:16]


def sync_vaults(
    database: Database, blobs: RawBlobs, root: Path, plan: ReadingPlan, terms_of: Callable[[str], list[str]]
) -> list[SyncedVault]:
    """Brings every namespace to what stands in its folder, note by note, each in a transaction of its own.

    A folder that is no known namespace becomes a private one. A note that has changed is a new document; the old one is
    withdrawn and kept. A second call over unchanged folders writes nothing. A folder that is gone is left as it was:
    an unmounted disk is no reason to withdraw what it held.

    Args:
        database: the owner's.
        blobs: for the notes' bytes.
        root: the folder of the vaults' folders.
        plan: how documents are read.
        terms_of: the analyser whose terms are indexed.
    """
    done = []
    for name, folder in vault_folders(root).items():
        with database.transaction() as connection:
            known = {found.name: found.private for found in namespaces(connection)}
            if name not in known:
                add_namespace(connection, name, private=True, description="private vault")
        done.append(_sync(database, blobs, name, folder, plan, terms_of, private=known.get(name, True)))
    compact(database)
    return done


def note_id(namespace: str, data: bytes) -> str:
    """A note's identity: its bytes in its namespace, so that nobody learns from one vault what another holds."""
    return hashlib.sha256(namespace.encode() + b"\0" + hashlib.sha256(data).digest()).hexdigest()


def _sync(
    database: Database,
    blobs: RawBlobs,
    namespace: str,
    folder: Path,
    plan: ReadingPlan,
    terms_of: Callable[[str], list[str]],
    *,
    private: bool,
) -> SyncedVault:
    with database.transaction() as connection:
        standing = standing_notes(connection, namespace)
    filed, unchanged, problems = 0, 0, []
    kept: dict[str, str] = {}
    for path in files_below([folder]):
        name = path.relative_to(folder).as_posix()
        if path.suffix.lower() not in ENDINGS:
            continue
        try:
            if not path.resolve().is_relative_to(folder.resolve()):
                raise ReadingError(name, "the path", "it leads out of the vault: keep the note itself in it")
            data = path.read_bytes()
            document_id = note_id(namespace, data)
            kept[name] = document_id
            if standing.get(name) == document_id:
                unchanged += 1
                continue
            reading = read_bytes(data, name, plan, document_id=document_id)
        except (ReadingError, OSError) as error:
            kept.setdefault(name, standing.get(name, ""))
            problems.append(str(error))
            continue
        blobs.put(data)
        changed_at = datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)
        note = _note(document_id, namespace, name, data, reading, changed_at)
        with database.transaction() as connection:
            file_note(connection, note, reading.document, _indexed(reading, terms_of))
        filed += 1
    gone = set(standing.values()) - set(kept.values())
    for document_id in sorted(gone):
        with database.transaction() as connection:
            withdraw_note(connection, document_id)
    return SyncedVault(namespace, private, filed, len(gone), unchanged, tuple(problems))


def _indexed(reading: Reading, terms_of: Callable[[str], list[str]]) -> list[IndexedChunk]:
    return [
        IndexedChunk(chunk, terms_of(f"{chunk.prefix}\n{chunk.text}"), evidence) for chunk, evidence in reading.chunks
    ]


def _note(document_id: str, namespace: str, path: str, data: bytes, reading: Reading, changed_at: datetime) -> Note:
    """The note with its author and date from its head, or else from its cover and its file."""
    head = _head(data)
    author = next((head[key] for key in AUTHOR_KEYS if head.get(key)), reading.document.cover.asserter)
    dated = next((day for key in DATE_KEYS if (day := _day(head.get(key, "")))), None)
    return Note(
        document_id, namespace, path, len(data), author, dated or reading.document.cover.published_at or changed_at
    )


def _head(data: bytes) -> dict[str, str]:
    """The plain values of a note's YAML head; none where it has no head or one that cannot be read."""
    head = find_head(data.decode("utf-8", "replace"))
    if head is None:
        return {}
    try:
        values = read_mapping(head).values
    except OkfError:
        return {}
    return {key.lower(): value for key, value in values.items() if isinstance(value, str)}


def _day(text: str) -> datetime | None:
    try:
        day = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return day if day.tzinfo else day.replace(tzinfo=UTC)
