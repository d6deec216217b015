"""The loop at ``viska up``: roles made where that is allowed, and a small round of it over the sample feed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from viska_assets.cli.serving import run_jobs
from viska_assets.store.home import Home
from viska_assets.store.supervised.errors import RolesError
from viska_assets.store.supervised.loop_rows import add_request
from viska_assets.store.supervised.nous_rows import DocumentRead, Run
from viska_assets.store.supervised.roles import apply_roles
from viska_assets.supervise import connect
from viska_assets.supervise.nous.anomalies import AnomalyReasoner
from viska_assets.supervise.nous.reasoning import Bounds, Thought
from viska_assets.supervise.nous.ticking import tick

SAMPLE_SUBJECT = "issuers/nvidia"


def turn_on(home: Home) -> str:
    """Makes or mends the writers' roles; where this login may not, says in a line what to do, and all else works."""
    try:
        apply_roles(home.settings, home.database)
    except RolesError as error:
        return f"The supervised loop is off: {str(error).splitlines()[0]}"
    return ""


@dataclass(frozen=True)
class PlantedError:
    """The default reasoner, and beside its first candidate one with a figure that no source prints.

    For the sample alone: it shows that the review turns it away.
    """

    honest: AnomalyReasoner

    @property
    def engine(self) -> str:
        """Says what it is, in the trace too."""
        return f"{self.honest.engine} with a planted error"

    @property
    def pin(self) -> str:
        """No model is asked."""
        return ""

    def reason(self, run: Run, documents: Sequence[DocumentRead], bounds: Bounds) -> Thought:
        """One candidate whose figure is made up."""
        thought = self.honest.reason(run, documents, bounds)
        planted = [
            replace(
                candidate,
                headline=f"{candidate.headline} (planted error)",
                rationale=f"{candidate.rationale.partition(': ')[0]}: $123,456 million",
            )
            for candidate in thought.candidates[:1]
        ]
        return replace(thought, candidates=planted, drafts=())


def run_sample(home: Home) -> bool:
    """Two requests, a run of nous on each (one with a planted error), and a review: something passes, something not."""
    with connect("plutus", home.settings).transaction() as connection:
        for key, priority in (("sample:planted", 2), ("sample:research", 1)):
            add_request(connection, key=key, subject=SAMPLE_SUBJECT, requested_by="process:sample", priority=priority)
    policy = home.policy.loop.nous
    tick(connect("nous", home.settings), PlantedError(AnomalyReasoner(policy)), policy, run_id="sample")
    return run_jobs(home, ("nous_tick", "plutus_review"))
