"""What a scenario of the drill is, and what it finds."""

from collections.abc import Callable
from dataclasses import dataclass, field

from viska_assets.store.supervised.incidents import IncidentKind
from viska_assets.supervise.drill.ground import Ground, wait_until


@dataclass
class Held:
    """What came of an injected fault.

    Attributes:
        checks: by what should hold, whether it did.
        seconds: from the end of the injection to the response.
        detector: which part wrote the incident.
    """

    checks: dict[str, bool] = field(default_factory=dict)
    seconds: float | None = None
    detector: str = ""

    @property
    def is_held(self) -> bool:
        """Whether everything held."""
        return bool(self.checks) and all(self.checks.values())


@dataclass(frozen=True)
class Scenario:
    """A row of the failure table: the fault, who should notice and answer, and how it is injected.

    Attributes:
        fault: in a few words.
        detector: who should notice it.
        responder: what should be done about it.
        kind: of the incident that should be there.
        inject: injects the fault; returns what should then come to hold, in words.
        needs_server: whether the database is taken away for it.
    """

    fault: str
    detector: str
    responder: str
    kind: IncidentKind
    inject: Callable[[Ground], "Expectation"]
    needs_server: bool = False


@dataclass(frozen=True)
class Expectation:
    """What should come to hold after an injection, one after the other, and what is done at the end.

    Attributes:
        soon: waited for: the incident is always waited for beside these.
        then: asked once, after everything was waited for; each may act, such as to bring Slack back.
        after: tidies up.
        since: a reading of ``time.monotonic`` when the fault began, where that was before the injection's end.
        seconds: how long the response itself took, where that was measured at the injection.
    """

    soon: dict[str, Callable[[], bool]] = field(default_factory=dict)
    then: dict[str, Callable[[], bool]] = field(default_factory=dict)
    after: Callable[[], None] = lambda: None
    since: float | None = None
    seconds: float | None = None


def holds_soon(condition: Callable[[], bool]) -> Callable[[], bool]:
    """A condition that is waited for when it is asked."""
    return lambda: wait_until(condition)
