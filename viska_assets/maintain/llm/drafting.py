"""The LLM's half of the maintainer pass: no transaction is open while a model is asked, and no document is lost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from viska_assets.maintain.drafting import draft_id
from viska_assets.maintain.extractive.drafter import ExtractiveDrafter, view_of
from viska_assets.maintain.extractive.view import DocumentView
from viska_assets.maintain.gating import Judged, judge_draft, judge_drafts, standing_world
from viska_assets.maintain.llm.converting import skeletons_of
from viska_assets.maintain.llm.drafter import LlmDrafter, Outcome
from viska_assets.maintain.world import World
from viska_assets.model.delta import ConceptDelta
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Database
from viska_assets.store.documents import add_incident
from viska_assets.store.llm_calls import LlmCall, add_llm_calls
from viska_assets.store.registry import (
    Draft,
    add_drafts,
    claim_document,
    drafts_with_status,
    undrafted_documents,
)

FAILURES_IN_A_ROW = 3


@dataclass(frozen=True)
class Drafted:
    """What a drafting pass did: drafts by document, the documents that wait for the next run, and the calls made."""

    documents: dict[str, int]
    waiting: tuple[str, ...] = ()
    calls: tuple[LlmCall, ...] = ()

    @property
    def cost(self) -> Decimal:
        """What the calls cost."""
        return sum((call.cost for call in self.calls), Decimal(0))

    @property
    def tokens(self) -> int:
        """Prompt and answer tokens of the calls."""
        return sum(call.prompt_tokens + call.completion_tokens for call in self.calls)


def draft_documents_by_model(
    database: Database, drafter: LlmDrafter, *, progress: Callable[[str], None] = lambda _: None
) -> Drafted:
    """Drafts every ingested document that no drafter has read; where the endpoint fails it waits for the next run.

    After three failures of the endpoint in a row the pass ends: each one costs the time limit of a document.
    """
    with database.transaction() as connection:
        waiting = undrafted_documents(connection, drafter.name)
        evidence = StoredEvidence(connection)
        world = standing_world(connection, evidence)
        judge_drafts(world, evidence, drafts_with_status(connection, "pending"))
    counts: dict[str, int] = {}
    calls: list[LlmCall] = []
    failures = 0
    for document_id in waiting:
        view, plain, skeletons = _read(database, document_id)
        outcome = _asked(database, drafter, world, view, skeletons)
        calls += outcome.calls
        failures = failures + 1 if outcome.failure else 0
        drafts = [*(_plain_draft(delta) for delta in plain), *outcome.drafts]
        if _store(database, drafter, world, document_id, drafts, outcome):
            counts[document_id] = len(drafts)
            progress(document_id)
        if failures == FAILURES_IN_A_ROW:
            break
    return Drafted(counts, tuple(d for d in waiting if d not in counts), tuple(calls))


def _read(database: Database, document_id: str) -> tuple[DocumentView, list[ConceptDelta], list[ConceptDelta]]:
    """The document, the deltas that stay as code writes them, and the skeletons for the model."""
    with database.transaction() as connection:
        view = view_of(connection, document_id)
        deltas = ExtractiveDrafter().draft_view(connection, view)
    return (view, *skeletons_of(deltas))


def _plain_draft(delta: ConceptDelta) -> Draft:
    name = ExtractiveDrafter.name
    return Draft(draft_id(delta, name), delta.document_id, name, delta)


def _asked(
    database: Database, drafter: LlmDrafter, world: World, view: DocumentView, skeletons: Sequence[ConceptDelta]
) -> Outcome:
    def judge(drafts: Sequence[Draft]) -> list[Judged]:
        with database.transaction() as connection:
            evidence = StoredEvidence(connection)
            return [judge_draft(world, evidence, draft) for draft in drafts]

    return drafter.ask(view, skeletons, judge) if skeletons else Outcome((), ())


def _store(
    database: Database,
    drafter: LlmDrafter,
    world: World,
    document_id: str,
    drafts: Sequence[Draft],
    outcome: Outcome,
) -> bool:
    """Records calls and incidents in any case, and the drafts unless the endpoint failed or another run was faster."""
    with database.transaction() as connection:
        add_llm_calls(connection, outcome.calls)
        for kind, detail in outcome.incidents:
            add_incident(connection, kind, detail, document_id=document_id)
        if outcome.failure or not claim_document(connection, document_id, drafter.name):
            return False
        add_drafts(connection, document_id, drafter.name, drafts)
        judge_drafts(world, StoredEvidence(connection), drafts)
    return True
