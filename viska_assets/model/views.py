"""What the gate may see of the world: read-only views of cited chunks and of the bundle's claims."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from viska_assets.model.claim import Claim, ClaimKey
from viska_assets.model.evidence import Evidence
from viska_assets.model.span import Span


@dataclass(frozen=True, slots=True)
class CitedChunk:
    """A chunk as the gate sees it: text, hash, standing and what its document says of itself.

    ``offset`` is the chunk's start in the document's cleaned text, so that an evidence span can be found in
    ``text``. ``entity`` is the concept id of the issuer the document is about, ``asserter`` who speaks.
    """

    chunk_id: str
    document_id: str
    text: str
    content_sha256: str
    span: Span
    source_concept: str = ""
    entity: str | None = None
    entity_names: tuple[str, ...] = ()
    asserter: str = ""
    fiscal_year_end: tuple[int, int] | None = None
    locale: str = "en"
    currency: str | None = None
    known_at: datetime | None = None
    withdrawn: bool = False
    authenticated: bool = True
    table: bool = False
    evidence: tuple[Evidence, ...] = field(default=())


class EvidenceView(Protocol):
    """Read access to the retrieval tier, by chunk id."""

    def chunk(self, chunk_id: str) -> CitedChunk | None:
        """The chunk with its evidence, or None where no such chunk exists."""
        ...


class BundleView(Protocol):
    """Read access to the bundle and its claims."""

    def has_page(self, concept_id: str) -> bool:
        """Whether the bundle holds a page of this concept."""
        ...

    def claims(self, key: ClaimKey) -> Sequence[Claim]:
        """The accepted claims with exactly this key, superseded ones included."""
        ...

    def claim(self, claim_id: str) -> Claim | None:
        """One accepted claim by id."""
        ...

    def disagreeing(self, key: ClaimKey) -> Iterable[Claim]:
        """Accepted claims equal in all of the key but the asserter."""
        ...
