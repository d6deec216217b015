"""Running the maintainer over files without Dagster, as the benchmarks do: deliver, read, then one pass."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from viska_assets.ingest.inspections import plan_of
from viska_assets.ingest.pipeline import read_received
from viska_assets.ingest.receiving import receive_files
from viska_assets.maintain.choosing import draft_new_documents
from viska_assets.maintain.engine_version import engine_of
from viska_assets.maintain.llm.drafter import LlmDrafter
from viska_assets.maintain.quarantining import judge_pending, quarantine_failures
from viska_assets.maintain.writing import refresh_index, write_pages
from viska_assets.retrieval.analyser import terms_of
from viska_assets.store.home import Home


def receive(home: Home, paths: Sequence[Path], *, feed: str = "bench") -> None:
    """Delivers files and reads them into the retrieval tier, without embedding."""
    settings = home.settings
    receive_files(
        home.database,
        home.blobs,
        list(paths),
        feed=feed,
        root=None,
        at=settings.clock(),
        largest=settings.max_document_bytes,
    )
    read_received(
        home.database,
        home.blobs,
        plan_of(settings),
        terms_of,
        workers=settings.workers,
        progress=lambda result: print(result.name, file=sys.stderr),
    )


def maintain(home: Home, by_model: LlmDrafter | None = None) -> dict[str, Any]:
    """One maintainer pass: identify, draft (by a model where one is given), judge, quarantine, write, index."""
    engine = engine_of(home.settings)
    drafted = draft_new_documents(home, by_model=by_model)
    judged = judge_pending(home.database, engine)
    quarantined = quarantine_failures(home.database, engine)
    written = write_pages(home.database, home.bundle, engine, home.settings.clock())
    index = refresh_index(home.database, home.bundle, engine)
    return {
        "documents": len(drafted.documents),
        "drafted": drafted,
        "judged": judged,
        "quarantined": quarantined,
        "pages_written": len(written.pages),
        "drifted": len(index.drifted),
        "head": home.bundle.head(),
    }
