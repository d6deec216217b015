"""The synthesis tier as assets: drafts, gated pages in the bundle, its index, and its graph."""

from collections import Counter
from time import perf_counter

import dagster as dg

from resources.home import HomeResource
from viska_assets.assets.calculations import calculations
from viska_assets.assets.graph_picture import draw_graph
from viska_assets.assets.guardrail import engine, quarantine_queue
from viska_assets.assets.linting import review_withheld
from viska_assets.assets.previews import seconds_since, table
from viska_assets.assets.retrieval import OWNERS, source_chunks
from viska_assets.maintain.choosing import draft_new_documents
from viska_assets.maintain.graph_file import write_graph
from viska_assets.maintain.llm.drafting import Drafted
from viska_assets.maintain.quarantining import judge_pending
from viska_assets.maintain.writing import refresh_index, write_pages
from viska_assets.store.registry import live_pages
from viska_assets.store.summary import summarise

GROUP = "synthesis"


@dg.asset(
    deps=[source_chunks, calculations],
    group_name=GROUP,
    kinds={"markdown", "postgres"},
    owners=OWNERS,
    code_version="1",
)
def concept_drafts(context: dg.AssetExecutionContext, home: HomeResource) -> dg.MaterializeResult:
    """What each new document would add to the pages it touches, judged by the gate, written nowhere yet."""
    started = perf_counter()
    database = home.open().database
    drafted = draft_new_documents(home.open())
    judged = judge_pending(database, engine(home))
    rows = [
        {
            "page": answer.draft.delta.concept_id,
            "type": answer.draft.delta.type.value,
            "figures": sum(1 for entry in answer.page.head.sources if entry.chunk),
            "verdict": "passed" if answer.verdict.passed else ", ".join(answer.verdict.codes),
        }
        for answer in judged
    ]
    types = Counter(row["type"] for row in rows)
    metadata: dict[str, dg.MetadataValue | float | str] = {
        "dagster/row_count": len(judged),
        "documents_drafted": len(drafted.documents),
        **_spent(drafted),
        "passed": sum(1 for answer in judged if answer.verdict.passed),
        "failed": sum(1 for answer in judged if not answer.verdict.passed),
        "by_type": ", ".join(f"{kind} {count}" for kind, count in sorted(types.items())) or "none",
        "seconds": seconds_since(started),
        "drafts": table(rows, ("page", "type", "figures", "verdict")),
        "engine_version": engine(home),
    }
    if judged:
        metadata["preview"] = dg.MetadataValue.md(f"```markdown\n{judged[-1].text[:4000]}\n```")
    return dg.MaterializeResult(metadata=metadata)


def _spent(drafted: Drafted) -> dict[str, dg.MetadataValue | float | str]:
    """What a language model was asked, and what it cost; nothing where none was."""
    if not drafted.calls:
        return {}
    rows = [
        {
            "document": call.document_id[:12],
            "model": call.model,
            "attempt": call.attempt,
            "outcome": call.outcome,
            "requests": call.requests,
            "tokens": call.prompt_tokens + call.completion_tokens,
            "cost": str(call.cost),
            "detail": call.detail[:200],
        }
        for call in drafted.calls
    ]
    return {
        "llm_model": ", ".join(sorted({call.model for call in drafted.calls})),
        "llm_attempts": len(drafted.calls),
        "llm_tokens": drafted.tokens,
        "llm_cost": float(drafted.cost),
        "documents_waiting": len(drafted.waiting),
        "llm_calls": table(rows, ("document", "model", "attempt", "outcome", "requests", "tokens", "cost", "detail")),
    }


@dg.asset(
    deps=[concept_drafts, quarantine_queue],
    group_name=GROUP,
    kinds={"markdown", "git"},
    owners=OWNERS,
    code_version="1",
)
def concept_pages(home: HomeResource) -> dg.MaterializeResult:
    """The pages of the bundle: every draft that passes the gate, merged and committed, one commit a batch."""
    started = perf_counter()
    state = home.open()
    written = write_pages(state.database, state.bundle, engine(home), home.settings.clock())
    reviewed = review_withheld(state, engine(home))
    with state.database.transaction() as connection:
        pages, total = live_pages(connection), summarise(connection)
    changed = [{"page": path} for path in written.pages]
    metadata: dict[str, dg.MetadataValue | float | str] = {
        "dagster/row_count": len(pages),
        "accepted_drafts": written.accepted,
        "pages_changed": len(written.pages),
        "pages_back": ", ".join(reviewed.restored) or "none",
        "claims": total.claims,
        "seconds": seconds_since(started),
        "commit": written.commit or "no commit yet",
        "changed": table(changed, ("page",)),
        "engine_version": engine(home),
    }
    shown = next((p for p in pages if p.type == "Issuer"), None)
    if shown:
        metadata["preview"] = dg.MetadataValue.md(_without_frontmatter(shown.text))
    return dg.MaterializeResult(metadata=metadata)


def _without_frontmatter(text: str) -> str:
    return text.split("\n---\n", 1)[-1][:6000]


@dg.asset(deps=[concept_pages], group_name=GROUP, kinds={"markdown"}, owners=OWNERS, code_version="1")
def bundle_index(home: HomeResource) -> dg.MaterializeResult:
    """``index.md`` of every folder and ``log.md``: what an agent reads first, regenerated and compared."""
    started = perf_counter()
    state = home.open()
    index = refresh_index(state.database, state.bundle, engine(home))
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(index.files),
            "drifted_files": len(index.drifted),
            "seconds": seconds_since(started),
            "commit": index.commit or "no commit yet",
            "index": dg.MetadataValue.md(_without_frontmatter(index.files.get("index.md", ""))),
            "log": dg.MetadataValue.md(index.files.get("log.md", "")[:6000]),
        }
    )


@dg.asset(deps=[bundle_index], group_name=GROUP, kinds={"json", "networkx"}, owners=OWNERS, code_version="1")
def knowledge_graph(home: HomeResource) -> dg.MaterializeResult:
    """The graph of the bundle: pages as nodes, links and citations as edges, in graphify's form."""
    started = perf_counter()
    state = home.open()
    path = home.settings.graph_path()
    graph = write_graph(state.database, path, state.bundle.head())
    kinds = Counter(link["relation"] for link in graph["links"])
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(graph["nodes"]),
            "edges": len(graph["links"]),
            "communities": len({node["community_name"] for node in graph["nodes"]}),
            "seconds": seconds_since(started),
            "by_relation": ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())) or "none",
            "file": dg.MetadataValue.path(str(path)),
            "picture": dg.MetadataValue.md(draw_graph(graph)),
        }
    )
