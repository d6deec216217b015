"""The numbers of asking: how many hits at most, and how much age and standing weigh."""

from dataclasses import dataclass

# The most hits that one question returns.
CAP = 50


@dataclass(frozen=True)
class Ranking:
    """The desk's numbers: how fast knowledge ages and how much age and standing weigh.

    ``floor`` is what an infinitely old document keeps of its recency, ``floor_of_newest`` the same for a question that
    asks for the newest. ``unauthenticated`` is the confidence of what a sender says who is not who he claims to be.
    """

    half_life_days: float = 365.0
    floor: float = 0.5
    floor_of_newest: float = 0.2
    unknown_date: float = 0.75
    recency_weight: float = 1.0
    confidence_weight: float = 1.0
    unauthenticated: float = 0.6
