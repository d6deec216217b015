"""An answer of one tier: claims with their citations, or an abstention with its reason. Nothing of how it is shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from viska_assets.model.evidence import Period, Unit
from viska_assets.model.page import SourceEntry


@dataclass(frozen=True)
class AnswerClaim:
    """One thing that an answer says, with the entries that support it (operands of a computation included).

    ``fit`` says how well it fits the question, 0 to 1; ``page`` is the concept whose page says so, empty for a passage.
    """

    text: str
    sources: tuple[SourceEntry, ...]
    fit: float
    page: str = ""
    value: Decimal | None = None
    quantum: Decimal = Decimal(0)
    unit: Unit | None = None
    currency: str | None = None
    period: Period | None = None

    @property
    def cited(self) -> tuple[SourceEntry, ...]:
        """The entries that stand behind the claim's text: its sources without the operands of others."""
        operands = {name for e in self.sources if e.computation for name in e.computation.operands.values()}
        return tuple(entry for entry in self.sources if entry.id not in operands)


@dataclass(frozen=True)
class Answer:
    """What a tier says to a question. ``text`` is empty where it abstains, and ``reason`` then says why.

    The figures are those of the first claim that holds one. ``withheld`` lists claims that the gate did not let pass,
    with the codes.
    """

    text: str = ""
    value: Decimal | None = None
    quantum: Decimal = Decimal(0)
    unit: Unit | None = None
    currency: str | None = None
    period: Period | None = None
    sources: tuple[SourceEntry, ...] = ()
    reason: str = ""
    pages_opened: tuple[str, ...] = ()
    claims: tuple[AnswerClaim, ...] = ()
    withheld: tuple[str, ...] = ()

    @property
    def abstains(self) -> bool:
        """Whether the path gives no answer."""
        return not self.text


def answer_of(
    claims: Sequence[AnswerClaim], pages_opened: tuple[str, ...] = (), *, withheld: Sequence[str] = ()
) -> Answer:
    """The answer that says these claims, one a line."""
    figure = next((claim for claim in claims if claim.value is not None), claims[0])
    entries = {entry.id: entry for claim in claims for entry in claim.sources}
    return Answer(
        text="\n".join(claim.text for claim in claims),
        value=figure.value,
        quantum=figure.quantum,
        unit=figure.unit,
        currency=figure.currency,
        period=figure.period,
        sources=tuple(entries.values()),
        pages_opened=pages_opened,
        claims=tuple(claims),
        withheld=tuple(withheld),
    )
