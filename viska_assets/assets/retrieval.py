"""The retrieval tier as assets: raw documents, their chunks with evidence, and embeddings. Always written."""

from time import perf_counter

import dagster as dg
from pydantic import Field

from resources.home import HomeResource
from viska_assets.assets.previews import markdown_list, seconds_since, table
from viska_assets.ingest.inspections import inspection_path, plan_of, write_inspection
from viska_assets.ingest.pipeline import read_received
from viska_assets.ingest.receiving import files_below, receive_files
from viska_assets.retrieval.analyser import terms_of
from viska_assets.retrieval.embedding import catch_up
from viska_assets.store.documents import incidents
from viska_assets.store.summary import summarise

GROUP = "retrieval"
OWNERS = ["team:research-platform"]


class Drop(dg.Config):
    """Which files of the drop folder to take; none named means all of them."""

    paths: list[str] = Field(default_factory=list)


@dg.asset(group_name=GROUP, kinds={"file", "postgres"}, owners=OWNERS, code_version="1")
def raw_sources(context: dg.AssetExecutionContext, home: HomeResource, config: Drop) -> dg.MaterializeResult:
    """Documents as delivered: immutable bytes under their content hash, each delivery recorded once."""
    started = perf_counter()
    state, settings = home.open(), home.settings
    folder = settings.drop_path
    paths = [folder / name for name in config.paths] if config.paths else list(files_below([folder]))
    received = receive_files(
        state.database,
        state.blobs,
        [path for path in paths if path.name != "dns.json"],
        feed="drop",
        root=folder,
        at=settings.clock(),
        largest=settings.max_document_bytes,
    )
    for refused in received.refused:
        context.log.warning(f"{refused.path}: {refused.reason}")
    with state.database.transaction() as connection:
        seen = incidents(connection)
        total = summarise(connection).documents
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": total,
            "new_documents": len(received.new),
            "known_documents": len(received.known),
            "refused_files": len(received.refused),
            "seconds": seconds_since(started),
            "refused": markdown_list([f"`{r.path}`: {r.reason}" for r in received.refused], empty="None."),
            "incidents": table(seen, ("kind", "document", "detail", "at")),
        }
    )


@dg.asset(deps=[raw_sources], group_name=GROUP, kinds={"postgres"}, owners=OWNERS, code_version="1")
def source_chunks(context: dg.AssetExecutionContext, home: HomeResource) -> dg.MaterializeResult:
    """Cleaned text in table-aware chunks, with a typed evidence record for every number and BM25 postings."""
    state, settings = home.open(), home.settings
    inspected = settings.home_path / "inspect"
    results = read_received(
        state.database,
        state.blobs,
        plan_of(settings),
        terms_of,
        workers=settings.workers,
        keep=lambda reading: write_inspection(inspected, reading),
        progress=lambda result: context.log.info(f"{result.name}: {result.error or f'{result.chunks} chunks'}"),
    )
    with state.database.transaction() as connection:
        total = summarise(connection)
    rows = [
        {
            "document": r.name,
            "format": r.media_type,
            "chunks": r.chunks,
            "evidence": r.evidence,
            "sender": r.authentication,
            "readings": inspection_path(inspected, r.document_id).as_uri() if not r.error else "",
            "remarks": r.error or "; ".join(r.notices),
        }
        for r in results
    ]
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": total.chunks,
            "evidence": total.evidence,
            "documents_read": sum(1 for r in results if not r.error),
            "documents_failed": sum(1 for r in results if r.error),
            "new_chunks": sum(r.chunks for r in results),
            "seconds": round(sum(r.seconds for r in results), 3),
            "documents": table(rows, ("document", "format", "chunks", "evidence", "sender", "remarks", "readings")),
        }
    )


@dg.asset(
    deps=[source_chunks, "calculation_documents"],
    group_name=GROUP,
    kinds={"postgres", "onnx"},
    owners=OWNERS,
    code_version="1",
    pool="embedder",
)
def chunk_embeddings(context: dg.AssetExecutionContext, home: HomeResource) -> dg.MaterializeResult:
    """One vector a text under the configured model, and under the one that answers searches until the new has all."""
    run = catch_up(
        home.open().database,
        home.settings.embedder,
        load=home.load,
        progress=lambda done: context.log.info(f"{done} chunks embedded"),
    )
    with home.open().database.transaction() as connection:
        total = summarise(connection).chunks
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": total - run.backlog,
            "embedded": run.embedded,
            "backlog": run.backlog,
            "tokens": run.tokens,
            "seconds": round(run.seconds, 3),
            "tokens_per_second": round(run.tokens / run.seconds) if run.seconds else 0,
            "model": run.model,
            "switched_to_this_model": run.switched,
        }
    )
