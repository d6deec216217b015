"""What a reasoner is: material and bounds in, proposals and a trace out, or one of the ways to end badly."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from viska_assets.store.supervised.nous_rows import Candidate, DocumentRead, Run, StrategyDraft


class TraceOutcome(StrEnum):
    """How a run of nous ends."""

    COMPLETED = "completed"
    OVER_BUDGET = "over_budget"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    FAILED = "failed"
    DRIFTED = "drifted"


@dataclass(frozen=True)
class Bounds:
    """What a run may use: tokens in all, seconds of wall clock, and the word of governance that it go on.

    ``is_cancelled`` is asked while the answer comes in, so that a cancelled run stops in the middle of a sentence.
    """

    tokens: int
    seconds: float
    is_cancelled: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class Thought:
    """What came of reasoning. ``tokens`` are those read and written; ``model`` is the id that answered."""

    candidates: Sequence[Candidate] = ()
    drafts: Sequence[StrategyDraft] = ()
    reasoning: str = ""
    model: str = ""
    tokens: tuple[int, int] = (0, 0)
    detail: dict[str, object] = field(default_factory=dict)


class ReasoningError(RuntimeError):
    """A run that ended badly: nothing that it thought is proposed; what it used and said is kept for the trace."""

    def __init__(self, outcome: TraceOutcome, message: str, thought: Thought | None = None) -> None:
        super().__init__(message)
        self.outcome, self.thought = outcome, thought or Thought()


class Reasoner(Protocol):
    """Reasons over documents. ``engine`` names it with its version, ``pin`` the exact model id that must answer."""

    @property
    def engine(self) -> str:
        """Name and version."""
        ...

    @property
    def pin(self) -> str:
        """The pinned model id; empty where no model is asked."""
        ...

    def reason(self, run: Run, documents: Sequence[DocumentRead], bounds: Bounds) -> Thought:
        """What the documents are worth saying of the subject.

        Raises:
            ReasoningError: with the outcome of the trace.
        """
        ...
