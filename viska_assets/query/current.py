"""What of found passages still counts: a figure that a newer document restates answers nothing any more."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from viska_assets.guardrail.binding import locate_cells
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.model.evidence import Evidence
from viska_assets.model.page import QuoteLocator
from viska_assets.model.views import CitedChunk
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Connection
from viska_assets.store.superseded import Superseded, superseded_in


@dataclass(frozen=True, slots=True)
class Current:
    """Passages without their superseded figures, the superseding passages among them.

    ``restates`` maps the id of a superseding chunk to those of the chunks with what it supersedes.
    """

    chunks: tuple[CitedChunk, ...]
    restates: dict[str, tuple[str, ...]]

    def remarks(self, cited: Iterable[str | None]) -> tuple[str, ...]:
        """What a reply that cites some chunks says of what they supersede."""
        older = sorted({chunk for newer in cited if newer for chunk in self.restates.get(newer, ())})
        return tuple(f"an earlier figure is superseded: viska://chunk/{chunk}" for chunk in older)


def current_chunks(
    connection: Connection, chunks: Sequence[CitedChunk], evidence: StoredEvidence, at: datetime | None = None
) -> Current:
    """The chunks by what the pages of the bundle say of their figures.

    Args:
        connection: read access to both tiers.
        chunks: as they were found, best first; superseding chunks that were not found come behind them.
        evidence: where those are read from.
        at: the time from which is asked; what supersedes a figure later does not count yet.
    """
    places = superseded_in(connection, [chunk.chunk_id for chunk in chunks], at) if chunks else ()
    if not places:
        return Current(tuple(chunks), {})
    evidence.preload(place.successor for place in places)
    found = {chunk.chunk_id for chunk in chunks}
    newer = dict.fromkeys(place.successor for place in places if place.successor not in found)
    further = [chunk for chunk_id in newer if (chunk := evidence.chunk(chunk_id)) is not None]
    restates: dict[str, tuple[str, ...]] = {}
    for place in places:
        restates[place.successor] = (*restates.get(place.successor, ()), place.chunk_id)
    return Current(tuple(_without(chunk, places) for chunk in (*chunks, *further)), restates)


def _without(chunk: CitedChunk, places: Sequence[Superseded]) -> CitedChunk:
    own = [place for place in places if place.chunk_id == chunk.chunk_id]
    if not own:
        return chunk
    reading = ChunkReading(chunk)
    gone = {evidence.evidence_id for place in own for evidence in _at(reading, place)}
    return replace(chunk, evidence=tuple(e for e in chunk.evidence if e.evidence_id not in gone))


def _at(reading: ChunkReading, place: Superseded) -> list[Evidence]:
    """The evidence at a superseded place that has its value."""
    if place.locator is None:
        return []
    if isinstance(place.locator, QuoteLocator):
        quote = reading.find_quote(place.locator.quote)
        standing = [e for e in reading.chunk.evidence if quote and quote.covers(reading.local(e.span))]
    else:
        standing = list(locate_cells(reading, place.locator))
    return [e for e in standing if place.low <= e.value <= place.high]
