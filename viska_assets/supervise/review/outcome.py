"""What a check says of an artifact."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from viska_assets.store.supervised.incidents import IncidentKind
from viska_assets.store.supervised.verdicts import Cause, CheckName


@dataclass(frozen=True)
class CheckOutcome:
    """One of the four checks: what speaks against the artifact, and under which cause it would be turned away.

    ``incident`` is what governance should hear of, None where a refusal is enough.
    """

    check: CheckName
    faults: tuple[str, ...] = ()
    cause: Cause | None = None
    incident: IncidentKind | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.faults
