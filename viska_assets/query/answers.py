"""An answer of either path: a typed claim with its citation, or an abstention with its reason."""

from dataclasses import dataclass
from decimal import Decimal

from viska_assets.model.evidence import Period, Unit
from viska_assets.model.page import SourceEntry


@dataclass(frozen=True)
class Answer:
    """What a path says to a question. ``text`` is empty where it abstains, and ``reason`` then says why."""

    text: str = ""
    value: Decimal | None = None
    quantum: Decimal = Decimal(0)
    unit: Unit | None = None
    currency: str | None = None
    period: Period | None = None
    sources: tuple[SourceEntry, ...] = ()
    reason: str = ""
    pages_opened: tuple[str, ...] = ()

    @property
    def abstains(self) -> bool:
        """Whether the path gives no answer."""
        return not self.text
