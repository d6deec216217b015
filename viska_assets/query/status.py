"""What can be asked: how much there is in the namespaces that one may see, how new it is, and who answers."""

from dataclasses import dataclass
from datetime import datetime

from viska_assets.query.library import Reader
from viska_assets.store.visible_counts import count_visible


@dataclass(frozen=True)
class Status:
    """Counts of what a reader may see, and the state of the two tiers."""

    namespaces: tuple[str, ...]
    pages: int
    documents: int
    chunks: int
    embedded: int
    newest: datetime | None
    synthesis_open: bool
    synthesis: str
    commit: str
    engine: str


def status(reader: Reader) -> Status:
    """The state as it is now; what the reader may not see is not counted."""
    counts = count_visible(reader.connection, reader.namespaces)
    gate = reader.gate()
    return Status(
        reader.namespaces,
        counts.pages,
        counts.documents,
        counts.chunks,
        counts.embedded,
        counts.newest,
        gate.open,
        gate.reason,
        counts.commit,
        reader.engine(),
    )
