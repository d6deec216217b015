"""What Viska computes itself, stored as documents like any other, so that pages can cite it."""

from pathlib import Path
from time import perf_counter

import dagster as dg

from resources.home import HomeResource
from viska_assets.assets.previews import seconds_since
from viska_assets.assets.retrieval import GROUP, OWNERS, source_chunks
from viska_assets.ingest.inspections import plan_of
from viska_assets.ingest.pipeline import read_received
from viska_assets.ingest.receiving import Received, receive_files
from viska_assets.maintain.calculations.gathering import FEED, calculate_portfolio
from viska_assets.retrieval.analyser import terms_of
from viska_assets.store.documents import documents_of_feed
from viska_assets.store.home import Home


def deliver_calculation(home: Home) -> tuple[Path | None, Received]:
    """Computes the portfolio's return, delivers the document and reads it; None where it cannot be computed."""
    settings = home.settings
    folder = settings.home_path / "calculations"
    with home.database.transaction() as connection:
        path = calculate_portfolio(connection, folder)
    received = receive_files(
        home.database,
        home.blobs,
        [path] if path else [],
        feed=FEED,
        root=folder,
        at=settings.clock(),
        largest=settings.max_document_bytes,
    )
    read_received(home.database, home.blobs, plan_of(settings), terms_of)
    return path, received


@dg.asset(deps=[source_chunks], group_name=GROUP, kinds={"markdown", "postgres"}, owners=OWNERS, code_version="1")
def calculations(home: HomeResource) -> dg.MaterializeResult:
    """The portfolio's return from its positions and closes, with every step, as a document that pages cite."""
    started = perf_counter()
    path, received = deliver_calculation(home.open())
    with home.open().database.transaction() as connection:
        total = documents_of_feed(connection, FEED)
    shown = path.read_text(encoding="utf-8") if path else "No calculation is possible."
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": total,
            "new_documents": len(received.new),
            "seconds": seconds_since(started),
            "document": dg.MetadataValue.md(shown),
        }
    )
