"""What Viska computes itself, stored as documents like any other, so that pages can cite it."""

from time import perf_counter

import dagster as dg

from resources.home import HomeResource
from viska_assets.assets.previews import markdown_list, seconds_since
from viska_assets.assets.retrieval import GROUP, OWNERS, source_chunks
from viska_assets.ingest.inspections import plan_of
from viska_assets.ingest.pipeline import read_received
from viska_assets.ingest.receiving import receive_files
from viska_assets.maintain.calculations.gathering import FEED, calculate_portfolio
from viska_assets.retrieval.analyser import terms_of


@dg.asset(deps=[source_chunks], group_name=GROUP, kinds={"markdown", "postgres"}, owners=OWNERS, code_version="1")
def calculation_documents(home: HomeResource) -> dg.MaterializeResult:
    """The portfolio's return from its positions and closes, with every step, as a document that pages cite."""
    started = perf_counter()
    state, settings = home.open(), home.settings
    folder = settings.home_path / "calculations"
    with state.database.transaction() as connection:
        path = calculate_portfolio(connection, folder)
    received = receive_files(
        state.database,
        state.blobs,
        [path] if path else [],
        feed=FEED,
        root=folder,
        at=settings.clock(),
        largest=settings.max_document_bytes,
    )
    read_received(state.database, state.blobs, plan_of(settings), terms_of, workers=1)
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(list(folder.glob("*.md"))) if folder.is_dir() else 0,
            "new_documents": len(received.new),
            "seconds": seconds_since(started),
            "refused": markdown_list([f"`{r.path}`: {r.reason}" for r in received.refused], empty="None."),
            "document": dg.MetadataValue.md(
                path.read_text(encoding="utf-8") if path else "No calculation is possible."
            ),
        }
    )
