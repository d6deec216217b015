"""The numbers of the governance daemon, of what leaves for Slack, and of the spool; each is a proposal of Viska's.

The supervisor brief names the rules and leaves the numbers open (see docs/governance.md for the table).
"""

from typing import Self

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from viska_assets.store.policy_section import Section
from viska_assets.store.supervised.matrix import PAUSABLE, Writer


class GovernanceSection(Section):
    """When the daemon pauses, slows, cancels and tells (see docs/governance.md).

    Attributes:
        window_seconds: How far back verdicts are counted.
        most_rejections: How many rejections in the window are borne; one more pauses nous.
        gibberish_rate: Above which share of rejections among verdicts the signals count as gibberish.
        least_verdicts: How many verdicts in the window a share needs: one rejection of one is no rate.
        domain_window_seconds: How far back a source's scrubbed candidates are counted.
        most_scrubbed: How many scrubbed candidates of one source pause nous.
        queue_threshold: Above which depth of the review queue nous is slowed.
        calm_cycles: For how many cycles the depth must stay below half of the threshold before nous is let go.
        run_seconds: How long a trace may be open before its run is cancelled.
        most_attempts: How often a run whose lease passed is tried.
        silence_seconds: How long work may wait for a writer that writes nothing.
        outage_seconds: How long a message may wait for Slack.
        pauses_when_blind: Whom the daemon pauses when it cannot judge, or the audit chain is broken. Mastra is not
            among them by default: somebody has to tell the operator.
        checked_links: How many of the newest links of the audit chain are recomputed each cycle.
        latency_days: Over how many days the 95th percentiles are taken.
        interval_seconds: How often the daemon runs.
    """

    window_seconds: PositiveInt = 3600
    most_rejections: PositiveInt = 20
    gibberish_rate: float = Field(default=0.5, gt=0, lt=1)
    least_verdicts: PositiveInt = 10
    domain_window_seconds: PositiveInt = 86_400
    most_scrubbed: PositiveInt = 3
    queue_threshold: PositiveInt = 50
    calm_cycles: PositiveInt = 3
    run_seconds: float = Field(default=900.0, ge=0)
    most_attempts: PositiveInt = 3
    silence_seconds: float = Field(default=7200.0, ge=0)
    outage_seconds: float = Field(default=300.0, ge=0)
    pauses_when_blind: tuple[Writer, ...] = (Writer.INGESTION, Writer.NOUS, Writer.PLUTUS)
    checked_links: PositiveInt = 1000
    latency_days: PositiveInt = 7
    interval_seconds: PositiveInt = 60

    @model_validator(mode="after")
    def _pause_only_the_pausable(self) -> Self:
        if strange := [writer.value for writer in self.pauses_when_blind if writer not in PAUSABLE]:
            raise ValueError(f"pauses_when_blind names {', '.join(strange)}; only {', '.join(PAUSABLE)} have a flag")
        return self


class OutsideSection(Section):
    """What leaves for Slack, and who may say what there.

    Attributes:
        lookback_days: How old a row may be that the feed still takes up, as when it is turned on late.
        poll_seconds: How often the feed looks for itself, hint or no hint.
        most_attempts: How often one message is tried while Slack itself answers.
        doubt_seconds: After how long a post whose end is not known is looked for in the channel's history.
        timeout_seconds: How long an answer of Slack is waited for.
        most_wait_seconds: The longest wait that Slack may ask for; a longer one ends the attempt.
        operators: The Slack users who may pause, ask to resume and ask for research; empty for everyone who is let
            use the command.
        research_per_hour: How many runs one user may ask for in an hour.
        digest_hour: The hour (UTC) of the daily digest.
    """

    lookback_days: PositiveInt = 7
    poll_seconds: PositiveInt = 60
    most_attempts: PositiveInt = 5
    doubt_seconds: float = Field(default=120.0, ge=0)
    timeout_seconds: PositiveInt = 10
    most_wait_seconds: PositiveInt = 30
    operators: tuple[str, ...] = ()
    research_per_hour: PositiveInt = 10
    digest_hour: int = Field(default=6, ge=0, le=23)


class SpoolSection(Section):
    """What is done before a write goes to the spool.

    Attributes:
        attempts: How often a write is tried.
        first_wait_seconds: How long is waited after the first failure; each further wait is twice as long.
    """

    attempts: PositiveInt = 3
    first_wait_seconds: PositiveFloat = 0.5
