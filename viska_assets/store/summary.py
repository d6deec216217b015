"""How much there is of everything, in one statement."""

from dataclasses import asdict, dataclass

from viska_assets.store.database import Connection
from viska_assets.store.embeddings import count_embeddings, embedding_models


@dataclass(frozen=True)
class Summary:
    """Counts over the whole of Viska; ``commit`` is the newest commit of the bundle, or empty."""

    documents: int
    failed_documents: int
    chunks: int
    evidence: int
    embeddings: int
    drafts: int
    passed: int
    quarantined: int
    pages: int
    claims: int
    incidents: int
    commit: str

    def as_dict(self) -> dict[str, int | str]:
        """The counts by name."""
        return asdict(self)


def summarise(connection: Connection) -> Summary:
    """The counts as they are now."""
    row = connection.execute(
        """
        SELECT
            (SELECT count(*) FROM raw.document),
            (SELECT count(*) FROM raw.document WHERE status = 'failed'),
            (SELECT count(*) FROM retrieval.chunk),
            (SELECT count(*) FROM retrieval.evidence),
            %s,
            (SELECT count(*) FROM registry.draft),
            (SELECT count(*) FROM registry.draft WHERE status = 'accepted'),
            (SELECT count(*) FROM gate.open_quarantine),
            (SELECT count(*) FROM registry.page_version WHERE live AND withheld = '{}'),
            (SELECT count(*) FROM registry.claim WHERE live),
            (SELECT count(*) FROM raw.incident),
            coalesce((SELECT commit_hash FROM registry.bundle_commit ORDER BY recorded_at DESC LIMIT 1), '')
        """,
        (sum(count_embeddings(connection, found) for found in embedding_models(connection)),),
    ).fetchone()
    assert row is not None
    return Summary(*row)
