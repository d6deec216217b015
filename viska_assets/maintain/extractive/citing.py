"""From evidence or a quote to a citation whose locator names that place of its chunk and nothing else."""

from viska_assets.guardrail.locate import locator_of
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.model.delta import Citation
from viska_assets.model.evidence import Evidence
from viska_assets.model.page import Locator, QuoteLocator
from viska_assets.model.views import CitedChunk

SHORTEST_QUOTE = 15
LONGEST_QUOTE = 300


def cite(chunk: CitedChunk, evidence: Evidence, title: str) -> Citation | None:
    """A citation of a number, by cell in a table and by quote in running text; None where it cannot be told apart."""
    locator = locator_of(evidence, ChunkReading(chunk))
    return _citation(chunk, locator, evidence.printed, title) if locator else None


def cite_quote(chunk: CitedChunk, quote: str, title: str) -> Citation | None:
    """A citation of a verbatim passage; None where it is too short, too long or stands twice in the chunk."""
    if not SHORTEST_QUOTE <= len(quote) <= LONGEST_QUOTE or chunk.text.count(quote) != 1:
        return None
    return _citation(chunk, QuoteLocator(quote=quote), quote[:80], title)


def _citation(chunk: CitedChunk, locator: Locator, excerpt: str, title: str) -> Citation:
    return Citation(
        chunk=chunk.chunk_id,
        locator=locator,
        excerpt=excerpt,
        content_sha256=chunk.content_sha256,
        source=chunk.source_concept,
        title=title,
    )
