"""The retrieval tier as assets: raw documents, their chunks with evidence, and embeddings. Always written."""

from time import perf_counter

import dagster as dg
from pydantic import Field

from resources.home import HomeResource
from viska_assets.assets.previews import markdown_list, seconds_since, table
from viska_assets.ingest.feeds.checking import check_now, drop_feed
from viska_assets.ingest.inspections import inspection_path, plan_of, write_inspection
from viska_assets.ingest.pipeline import read_received
from viska_assets.ingest.receiving import Received, Refused, files_below, receive_files
from viska_assets.retrieval.analyser import terms_of
from viska_assets.retrieval.embedding import catch_up
from viska_assets.store.documents import incident_counts, incidents, noticed_in_documents
from viska_assets.store.feeds import FeedState, feed_checks, waiting_documents
from viska_assets.store.summary import summarise

GROUP = "retrieval"
OWNERS = ["team:research-platform"]
NOTICED = ("document", "kind", "count", "detail", "sender")


class Drop(dg.Config):
    """Which files of the drop folder to take; none named means all of them.

    ``feeds`` names feeds whose documents are delivered already; with them the drop folder is left alone.
    """

    paths: list[str] = Field(default_factory=list)
    feeds: list[str] = Field(default_factory=list)


@dg.asset(group_name=GROUP, kinds={"file", "postgres"}, owners=OWNERS, code_version="1")
def raw_sources(context: dg.AssetExecutionContext, home: HomeResource, config: Drop) -> dg.MaterializeResult:
    """Documents as delivered: immutable bytes under their content hash, each delivery recorded once."""
    started = perf_counter()
    state = home.open()
    received = _receive(home, config)
    for refused in received.refused:
        context.log.warning(f"{refused.path}: {refused.reason}")
    with state.database.transaction() as connection:
        seen, counts, noticed = incidents(connection), incident_counts(connection), noticed_in_documents(connection)
        checks = feed_checks(connection)
        total = summarise(connection).documents
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": total,
            "new_documents": len(received.new),
            "known_documents": len(received.known),
            "refused_files": len(received.refused),
            "seconds": seconds_since(started),
            "refused": markdown_list([f"`{r.path}`: {r.reason}" for r in received.refused], empty="None."),
            "noticed": table(noticed, NOTICED),
            "incidents": table(seen, ("kind", "document", "detail", "at")),
            "incidents_by_kind": table(counts, ("kind", "incidents", "documents", "last")),
            "feeds": table(
                [{"feed": c.feed, "state": c.state.value, "detail": c.detail} for c in checks.values()],
                ("feed", "state", "detail"),
            ),
        }
    )


def _receive(home: HomeResource, config: Drop) -> Received:
    """The files of a local drop folder, or a check of a remote one; of feeds, what they delivered and waits."""
    state, settings = home.open(), home.settings
    if config.feeds:
        with state.database.transaction() as connection:
            return Received(
                tuple(found for name in config.feeds for found in waiting_documents(connection, name)), (), ()
            )
    if settings.drop_url:
        check = check_now(state, drop_feed(settings), None)
        refused = (Refused(settings.drop_url, check.detail),) if check.state is FeedState.FAILING else ()
        return Received(check.new, (), refused)
    folder = settings.drop_path
    paths = [folder / name for name in config.paths] if config.paths else list(files_below([folder]))
    return receive_files(
        state.database,
        state.blobs,
        [path for path in paths if path.name != "dns.json"],
        feed="drop",
        root=folder,
        at=settings.clock(),
        largest=settings.max_document_bytes,
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
        noticed = noticed_in_documents(connection, [r.document_id for r in results])
    if noticed:
        # What reading found belongs to the sources it was found in, so it stands on their own page as well.
        context.log_event(dg.AssetObservation("raw_sources", metadata={"noticed": table(noticed, NOTICED)}))
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
            "noticed": table(noticed, NOTICED),
            "documents": table(rows, ("document", "format", "chunks", "evidence", "sender", "remarks", "readings")),
        }
    )


@dg.asset(deps=[source_chunks], group_name=GROUP, kinds={"postgres"}, owners=OWNERS, code_version="1")
def source_incidents(home: HomeResource) -> dg.MaterializeResult:
    """What an operator should see of the sources: hidden text, words to a machine, unproved senders, failed feeds."""
    with home.open().database.transaction() as connection:
        counts, seen = incident_counts(connection), incidents(connection)
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": sum(int(row["incidents"]) for row in counts),
            "by_kind": table(counts, ("kind", "incidents", "documents", "first", "last")),
            "newest": table(seen, ("kind", "document", "detail", "at")),
        }
    )


@dg.asset(
    deps=[source_chunks, "calculations"],
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
