"""What the gate turned away, as an asset, and the two jobs by which an operator clears it."""

from time import perf_counter

import dagster as dg

from resources.home import HomeResource
from viska_assets.assets.previews import markdown_list, seconds_since, table
from viska_assets.assets.retrieval import OWNERS
from viska_assets.maintain.engine_version import engine_of
from viska_assets.maintain.quarantining import QuarantineError, discard, quarantine_failures, resubmit
from viska_assets.store.quarantine import Quarantined, open_quarantine

GROUP = "guardrail"


def engine(home: HomeResource) -> str:
    """The engine version under this home's settings."""
    return engine_of(home.settings)


@dg.asset(deps=["concept_drafts"], group_name=GROUP, kinds={"postgres"}, owners=OWNERS, code_version="1")
def quarantine_queue(home: HomeResource) -> dg.MaterializeResult:
    """Drafts that failed the gate, with their codes and nearest evidence. Kept until repaired or discarded."""
    started = perf_counter()
    database = home.open().database
    added = quarantine_failures(database, engine(home))
    with database.transaction() as connection:
        waiting = open_quarantine(connection)
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(waiting),
            "newly_quarantined": added,
            "seconds": seconds_since(started),
            "queue": table([_row(item) for item in waiting], ("id", "page", "document", "codes", "what", "since")),
            "how_to_clear": markdown_list(
                [
                    "`viska quarantine show ID` prints the findings with the nearest evidence.",
                    "Launch `resubmit_quarantined` (with an edited payload if it needs a repair), or",
                    "`discard_quarantined` with a reason. Both leave a trail.",
                ],
                empty="",
            ),
        }
    )


def _row(item: Quarantined) -> dict[str, object]:
    hard = [f for f in item.verdict.findings if f.code in item.codes]
    return {
        "id": item.quarantine_id,
        "page": item.concept_id,
        "document": item.document_name,
        "codes": ", ".join(item.codes),
        "what": "; ".join(f.message for f in hard[:3]),
        "since": item.quarantined_at.isoformat(),
    }


class ResubmitConfig(dg.Config):
    """Which quarantined draft to judge again. ``payload`` is the edited delta as JSON; empty resubmits it as it is."""

    quarantine_id: int
    reason: str
    actor: str = "operator"
    payload: str = ""


class DiscardConfig(dg.Config):
    """Which quarantined draft to discard, and why."""

    quarantine_id: int
    reason: str
    actor: str = "operator"


@dg.op
def resubmit_draft(context: dg.OpExecutionContext, home: HomeResource, config: ResubmitConfig) -> None:
    """Judges one quarantined draft again; a pass makes it pending, and the next ingest run writes it."""
    try:
        resolution = resubmit(
            home.open().database,
            config.quarantine_id,
            actor=f"human:{config.actor}",
            reason=config.reason,
            engine=engine(home),
            payload=config.payload or None,
        )
    except QuarantineError as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    context.add_output_metadata({"action": resolution.action, "codes": ", ".join(resolution.codes)})
    if resolution.action == "refused":
        raise dg.Failure(f"the gate refused it again: {', '.join(resolution.codes)}", allow_retries=False)


@dg.op
def discard_draft(context: dg.OpExecutionContext, home: HomeResource, config: DiscardConfig) -> None:
    """Takes one quarantined draft out of the queue, with a reason that stays."""
    try:
        discard(home.open().database, config.quarantine_id, actor=f"human:{config.actor}", reason=config.reason)
    except QuarantineError as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    context.add_output_metadata({"action": "discarded", "reason": config.reason})


@dg.job
def resubmit_quarantined() -> None:
    """Repair and resubmit: the gate judges a quarantined draft again, as it is or as edited."""
    resubmit_draft()


@dg.job
def discard_quarantined() -> None:
    """Discard a quarantined draft with a reason; its payload and its trail stay."""
    discard_draft()
