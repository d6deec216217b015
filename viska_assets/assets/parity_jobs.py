"""The two jobs that flip who answers questions of synthesis shape."""

import dagster as dg

from resources.home import HomeResource
from viska_assets.parity import flipping
from viska_assets.parity.running import ParityError, run_and_record


class FlipConfig(dg.Config):
    """Why the flag is flipped, and on whose word."""

    reason: str
    actor: str = "operator"


@dg.op
def hand_to_synthesis(context: dg.OpExecutionContext, home: HomeResource, config: FlipConfig) -> None:
    """Runs the parity eval, and on a PASS hands the questions to the synthesis tier; refuses otherwise."""
    opened = home.open()
    try:
        flip = flipping.demote(
            opened,
            lambda: run_and_record(opened, home.embedder()),
            actor=f"human:{config.actor}",
            reason=config.reason,
        )
    except ParityError as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    context.add_output_metadata({"flip": flip.flip_no, "run": flip.run_id or 0, "answers_now": flip.to_tier.value})


@dg.op
def hand_back_to_retrieval(context: dg.OpExecutionContext, home: HomeResource, config: FlipConfig) -> None:
    """Gives the questions back to the retrieval tier at once."""
    try:
        flip = flipping.rollback(home.open(), actor=f"human:{config.actor}", reason=config.reason)
    except ParityError as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    context.add_output_metadata({"flip": flip.flip_no, "answers_now": flip.to_tier.value})


@dg.job
def demote() -> None:
    """Demotes the retrieval tier for questions of synthesis shape: an eval made now must pass."""
    hand_to_synthesis()


@dg.job
def rollback() -> None:
    """Rolls back: the retrieval tier answers questions of synthesis shape again."""
    hand_back_to_retrieval()


JOBS = (demote, rollback)
