"""What the daemon can do."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from viska_assets.store.supervised.incidents import IncidentKind, Severity
from viska_assets.store.supervised.matrix import Writer

# On whose word the daemon sets flags.
ON_ITS_WORD = "governance daemon"


@dataclass(frozen=True)
class Tell:
    """Adds an incident. The key is the detector's own name of the event: the same key again adds nothing."""

    kind: IncidentKind
    severity: Severity
    detector: str
    detail: str
    key: str
    evidence: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Pause:
    """Lowers a writer's flag."""

    writer: Writer
    reason: str


@dataclass(frozen=True)
class Throttle:
    """Slows nous, or lets it go at its own pace again."""

    on: bool
    reason: str


@dataclass(frozen=True)
class Cancel:
    """Cancels a run of nous."""

    queue_id: int
    reason: str


Action = Tell | Pause | Throttle | Cancel
