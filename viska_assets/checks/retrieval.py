"""The check that both legs of search find every chunk."""

import dagster as dg

from resources.home import HomeResource
from viska_assets.store.embeddings import active_model
from viska_assets.store.readiness import Readiness, retrieval_readiness

COLUMNS = dg.TableSchema([dg.TableColumn("chunk"), dg.TableColumn("lacks")])


@dg.asset_check(asset="chunk_embeddings", description="Every chunk has postings and an embedding of the active model.")
def retrieval_ready(home: HomeResource) -> dg.AssetCheckResult:
    """Counts the chunks that a search by words or by meaning cannot find; not blocking, for words find them at once."""
    with home.open().database.transaction() as connection:
        active = active_model(connection)
        found = retrieval_readiness(connection, active.model if active else "none")
    return dg.AssetCheckResult(
        passed=found.is_ready,
        description=_said(found),
        metadata={
            "model": found.model,
            "chunks": found.chunks,
            "without_postings": found.without_postings,
            "without_embedding": found.without_embedding,
            "offenders": dg.MetadataValue.table(_offenders(found), COLUMNS),
        },
    )


def _said(found: Readiness) -> str:
    if found.is_ready:
        return f"{found.chunks} chunks can be found by words and by meaning"
    return (
        f"of {found.chunks} chunks {found.without_postings} lack postings and {found.without_embedding} lack an "
        "embedding: materialize chunk_embeddings again, and ingest a document without postings again"
    )


def _offenders(found: Readiness) -> list[dg.TableRecord]:
    lacks = {"postings": found.first_without_postings, "an embedding": found.first_without_embedding}
    return [dg.TableRecord({"chunk": chunk, "lacks": what}) for what, chunks in lacks.items() for chunk in chunks]
