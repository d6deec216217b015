"""The chunks of one reading with their numbers: a few stay in memory, those of a large document wait in a file."""

import pickle
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from viska_assets.model.document import Chunk
from viska_assets.model.evidence import Evidence

ReadChunk = tuple[Chunk, tuple[Evidence, ...]]

# A filing of ordinary length fits into one batch, which is some 10 MB as objects.
_MOST_CHUNKS = 2000
_MOST_NUMBERS = 20_000


@dataclass(frozen=True)
class ReadChunks:
    """The chunks of a document in reading order, each with its numbers; to go through as often as wanted.

    ``chunks``, ``numbers`` and ``tagged`` count them, their numbers and those that inline XBRL tags. ``rest`` names
    the file that holds the batches behind the ``first``; it stands until ``discard``.
    """

    first: tuple[ReadChunk, ...] = ()
    chunks: int = 0
    numbers: int = 0
    tagged: int = 0
    rest: str = ""
    batches: int = 0

    def __iter__(self) -> Iterator[ReadChunk]:
        yield from self.first
        if self.rest:
            with open(self.rest, "rb") as stream:
                for _ in range(self.batches):
                    # Written by ``spool_chunks`` into a folder that is this run's alone.
                    yield from pickle.load(stream)  # noqa: S301

    def discard(self) -> None:
        """Removes the file; the first batch stays."""
        if self.rest:
            Path(self.rest).unlink(missing_ok=True)


def spool_chunks(found: Iterable[ReadChunk], folder: str | None) -> ReadChunks:
    """Goes through chunks and their numbers and keeps them, all but the first batch in a file of ``folder``.

    Without a folder all stays in memory.
    """
    batches: Iterator[tuple[ReadChunk, ...]] = _batches(found) if folder is not None else iter([tuple(found)])
    first = next(batches, ())
    kept = _counted(ReadChunks(first), first)
    batch = next(batches, None)
    if batch is None:
        return kept
    with tempfile.NamedTemporaryFile("wb", dir=folder, prefix="reading-", delete=False) as stream:
        kept = replace(kept, rest=stream.name)
        while batch is not None:
            pickle.dump(batch, stream, pickle.HIGHEST_PROTOCOL)
            kept = replace(_counted(kept, batch), batches=kept.batches + 1)
            batch = next(batches, None)
    return kept


def _batches(found: Iterable[ReadChunk]) -> Iterator[tuple[ReadChunk, ...]]:
    batch: list[ReadChunk] = []
    numbers = 0
    for read in found:
        batch.append(read)
        numbers += len(read[1])
        if len(batch) >= _MOST_CHUNKS or numbers >= _MOST_NUMBERS:
            yield tuple(batch)
            batch, numbers = [], 0
    if batch:
        yield tuple(batch)


def _counted(kept: ReadChunks, batch: tuple[ReadChunk, ...]) -> ReadChunks:
    numbers = [evidence for _, held in batch for evidence in held]
    return replace(
        kept,
        chunks=kept.chunks + len(batch),
        numbers=kept.numbers + len(numbers),
        tagged=kept.tagged + sum(evidence.xbrl is not None for evidence in numbers),
    )
