"""The spool's files: one a write, put down whole or not at all; a torn or altered one is kept aside and named."""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.spooled_rows import Write, WriteError

SUFFIX = ".json"
PARTIAL = ".partial"
ASIDE = "aside"
REASON = ".why"


class SpoolError(RuntimeError):
    """A write could be kept neither in the database nor in the spool; the caller must not go on as if it were."""


class TornError(ValueError):
    """A file of the spool is not what was put down."""


@dataclass(frozen=True)
class Spool:
    """The spool of one writer.

    Attributes:
        root: the folder of all writers' spools.
        writer: whose spool it is; no process needs another's.
    """

    root: Path
    writer: Writer

    @property
    def folder(self) -> Path:
        """Where the writer's files are."""
        return self.root / self.writer.value

    def put(self, write: Write) -> Path:
        """Puts a write down so that it outlives a crash of the machine.

        Raises:
            SpoolError: where it could not be put down; nothing is left of it then.
        """
        if write.writer is not self.writer:
            raise SpoolError(f"the spool of {self.writer.value} takes no write of {write.writer.value}")
        path = self.folder / f"{write.event_at.astimezone(UTC):%Y%m%dT%H%M%S%fZ}-{write.op_id}{SUFFIX}"
        scratch = path.with_suffix(PARTIAL)
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with open(scratch, "wb", opener=_private) as file:
                file.write(_encode(write))
                file.flush()
                os.fsync(file.fileno())
            scratch.rename(path)
            _sync(self.folder)
        except (OSError, TypeError, ValueError) as error:
            if scratch.exists():
                scratch.unlink()
            raise SpoolError(f"{self.folder} does not take a write to {write.table}: {error}") from error
        return path

    def waiting(self) -> list[Path]:
        """The files that wait, oldest first."""
        return sorted(self.folder.glob(f"*{SUFFIX}"))

    def read(self, path: Path) -> Write:
        """A write as it was put down.

        Raises:
            TornError: where the file is torn or was altered.
        """
        try:
            kept = json.loads(path.read_bytes())
            content = kept["write"]
            if hashlib.sha256(_canonical(content)).hexdigest() != kept["sha256"]:
                raise TornError("its hash is another: it was altered")
            write = Write(
                Writer(content["writer"]),
                content["table"],
                content["row"],
                UUID(content["op_id"]),
                datetime.fromisoformat(content["event_at"]),
            )
        except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, AttributeError) as error:
            raise TornError(f"it is torn: {type(error).__name__}") from error
        except WriteError as error:
            raise TornError(str(error)) from error
        if write.writer is not self.writer:
            raise TornError(f"it is a write of {write.writer.value}")
        return write

    def done(self, path: Path) -> None:
        """Removes a file whose row stands."""
        path.unlink(missing_ok=True)
        _sync(self.folder)

    def set_aside(self, path: Path, why: str) -> Path:
        """Keeps a file that cannot be replayed out of the way, with the reason beside it."""
        aside = self.folder / ASIDE
        aside.mkdir(exist_ok=True, mode=0o700)
        kept = aside / path.name
        kept.with_suffix(REASON).write_text(f"{why}\n", encoding="utf-8")
        path.rename(kept)
        _sync(aside)
        _sync(self.folder)
        return kept

    def sweep(self) -> list[Path]:
        """Sets aside what a crash left half put down; no writer was ever told that it was kept."""
        return [
            self.set_aside(path, "a crash left it half put down; its writer was not told that it was kept")
            for path in sorted(self.folder.glob(f"*{PARTIAL}"))
        ]

    def aside(self) -> list[tuple[Path, str]]:
        """The files kept aside, with the reason."""
        found = [path for path in sorted((self.folder / ASIDE).glob("*")) if path.suffix != REASON]
        return [(path, _reason(path)) for path in found]


def every_spool(root: Path) -> Iterator[Spool]:
    """The spools of all writers."""
    for writer in Writer:
        yield Spool(root, writer)


def waiting_names(root: Path) -> tuple[str, ...]:
    """What waits of all writers, as ``writer/file``, oldest first."""
    found = [(path.name, spool.writer.value) for spool in every_spool(root) for path in spool.waiting()]
    return tuple(f"{writer}/{name}" for name, writer in sorted(found))


def aside_names(root: Path) -> tuple[str, ...]:
    """What was kept aside of all writers, as ``writer/file``."""
    return tuple(f"{spool.writer.value}/{path.name}" for spool in every_spool(root) for path, _ in spool.aside())


def _encode(write: Write) -> bytes:
    content = {
        "writer": write.writer.value,
        "table": write.table,
        "row": dict(write.row),
        "op_id": str(write.op_id),
        "event_at": write.event_at.isoformat(),
    }
    digest = hashlib.sha256(_canonical(content)).hexdigest()
    return json.dumps({"sha256": digest, "write": content}, ensure_ascii=False, allow_nan=False).encode()


def _canonical(content: object) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def _reason(path: Path) -> str:
    reason = path.with_suffix(REASON)
    return reason.read_text(encoding="utf-8").strip() if reason.exists() else ""


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_EXCL, 0o600)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
