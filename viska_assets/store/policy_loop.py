"""The numbers of the supervised loop's two workers: when nous and the review run, and what they let pass."""

from datetime import date, time
from decimal import Decimal
from typing import Annotated
from zoneinfo import available_timezones

from pydantic import Field, PositiveInt, StringConstraints, field_validator

from viska_assets.store.policy_section import Section

Share = Annotated[Decimal, Field(ge=0)]
ConceptName = Annotated[str, StringConstraints(pattern=r"^[a-z]+/[a-z0-9][a-z0-9-]*$")]
# New York Stock Exchange, whole days; half days count as open.
NYSE = tuple(
    date.fromisoformat(day)
    for day in (
        *("2026-01-01", "2026-01-19", "2026-02-16", "2026-04-03", "2026-05-25", "2026-06-19", "2026-07-03"),
        *("2026-09-07", "2026-11-26", "2026-12-25", "2027-01-01", "2027-01-18", "2027-02-15", "2027-03-26"),
        *("2027-05-31", "2027-06-18", "2027-07-05", "2027-09-06", "2027-11-25", "2027-12-24"),
    )
)


class MarketSection(Section):
    """When the market is open: nous and the review then run more often.

    Attributes:
        time_zone: The zone of the hours, by its name in the tz database.
        opens: The first moment of the session.
        closes: The moment at which it is over.
        holidays: Days without a session, beside Saturdays and Sundays.
    """

    time_zone: str = "America/New_York"
    opens: time = time(9, 30)
    closes: time = time(16, 0)
    holidays: tuple[date, ...] = NYSE

    @field_validator("time_zone")
    @classmethod
    def _know_zone(cls, value: str) -> str:
        if value not in available_timezones():
            raise ValueError(f"there is no time zone {value!r}; take a name such as America/New_York")
        return value


class NousSection(Section):
    """What a run of nous may use, and from where on a change is worth a candidate.

    Attributes:
        model: The exact id that must answer; empty where the endpoint's configured model is the pin.
        token_budget: Prompt and answer tokens of one run together.
        seconds: The wall clock of one run; the lease of its claim is twice this.
        most_attempts: After so many claims a request that does not end well is dead.
        most_candidates: Of one run.
        document_characters: How much of a document a model is shown.
        least_change: The share by which a figure must differ from the period before.
        least_margin_shift: Percentage points by which a percentage must.
        high_change: From this share on the severity is high.
        least_price_move: The standard deviations of daily returns that make a price move an anomaly.
        price_days: Over how many days before it that deviation is measured.
        instruments: The asset in the frozen prices of a concept, where it is not called like it.
        draft_weight: The weight of the one leg of a drafted strategy.
    """

    model: str = ""
    token_budget: PositiveInt = 20_000
    seconds: float = Field(default=120.0, gt=0)
    most_attempts: PositiveInt = 3
    most_candidates: PositiveInt = 5
    document_characters: PositiveInt = 24_000
    least_change: Decimal = Field(default=Decimal("0.2"), gt=0)
    least_margin_shift: Decimal = Field(default=Decimal("3"), gt=0)
    high_change: Decimal = Field(default=Decimal("0.5"), gt=0)
    least_price_move: float = Field(default=4.0, gt=0)
    price_days: PositiveInt = 60
    instruments: dict[ConceptName, str] = Field(default_factory=dict)
    draft_weight: Decimal = Field(default=Decimal("0.05"), gt=0, le=1)


class RiskSection(Section):
    """Limits on the legs of a draft, as shares of capital. Nothing here is left to a model.

    Attributes:
        most_gross: Sum of the weights of all legs without their signs.
        most_net: The same with signs, without the sign of the sum.
        most_position: The weight of one leg.
        most_leverage: What ``risk.leverage`` may say.
        most_drawdown: What ``risk.drawdown`` may say, and what the drawdown of its backtest may be.
        most_volume_share: The share of a day's volume that a leg may need, where it says (``volume_share``).
        low_gross: Up to this gross and ``low_drawdown`` a draft may call itself of low risk.
        low_drawdown: See ``low_gross``.
        medium_gross: Up to this gross and ``medium_drawdown`` a draft may call itself of medium risk.
        medium_drawdown: See ``medium_gross``.
        restricted: Concepts and instruments on which nothing is approved.
        longest_horizon_days: Of a signal.
    """

    most_gross: Share = Decimal("1.5")
    most_net: Share = Decimal("1.0")
    most_position: Share = Decimal("0.25")
    most_leverage: Share = Decimal("2.0")
    most_drawdown: Share = Decimal("0.25")
    most_volume_share: Share = Decimal("0.1")
    low_gross: Share = Decimal("0.25")
    low_drawdown: Share = Decimal("0.1")
    medium_gross: Share = Decimal("1.0")
    medium_drawdown: Share = Decimal("0.2")
    restricted: tuple[str, ...] = ()
    longest_horizon_days: PositiveInt = 730


class ReviewSection(Section):
    """How the review judges.

    Attributes:
        window_hours: What is older without a verdict is ended as expired.
        sign_off_above: Drafts above this risk class need an operator's word.
        sign_off_hours: For how long a draft waits for that word before it is ended as expired.
        backtest_hours: For how long a draft waits for a backtest that was asked for before it is refused.
        duplicate_days: Within so many days the same words on the same concept are a duplicate.
        least_confidence: A candidate that states less is not plausible.
        most_confidence: One that states more is not either.
        batch: How many artifacts a session takes.
        restrict_entity: Whether a citation must be of a document about the candidate's own issuer.
    """

    window_hours: float = Field(default=24.0, gt=0)
    sign_off_above: str = Field(default="medium", pattern="^(low|medium|high)$")
    sign_off_hours: float = Field(default=72.0, gt=0)
    backtest_hours: float = Field(default=2.0, gt=0)
    duplicate_days: PositiveInt = 30
    least_confidence: Decimal = Field(default=Decimal("0.05"), ge=0, le=1)
    most_confidence: Decimal = Field(default=Decimal("0.99"), ge=0, le=1)
    batch: PositiveInt = 1000
    restrict_entity: bool = True


class LoopSection(Section):
    """The supervised loop (see docs/loop.md)."""

    market: MarketSection = MarketSection()
    nous: NousSection = NousSection()
    risk: RiskSection = RiskSection()
    review: ReviewSection = ReviewSection()
