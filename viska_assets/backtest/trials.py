"""The ledger of tries: every backtest of a family is on record before anybody sees its result."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np

from viska_assets.backtest.snooping import Moments, deflated_sharpe, moments_of, probability_of_overfitting


class Outcome(StrEnum):
    """How a try ended; each counts."""

    COMPLETED = "completed"
    FAILED = "failed"
    ABORTED = "aborted"


@dataclass(frozen=True, eq=False)
class Trial:
    """One try of a family of strategies on some data. ``returns`` are daily net returns, None where it did not end."""

    family: str
    strategy_sha256: str
    data_sha256: str
    outcome: Outcome
    returns: np.ndarray | None = None


class Ledger(Protocol):
    """Where tries are recorded; nothing is ever taken out of it."""

    def record(self, trial: Trial) -> None:
        """Appends a try."""
        ...

    def trials(self, family: str) -> Sequence[Trial]:
        """All tries of a family, oldest first."""
        ...


@dataclass(frozen=True)
class Snooping:
    """How much a result may owe to the number of tries: how many there were, and what is left of it."""

    trials: int
    sharpe_daily: float
    deflated_sharpe: float
    overfitting: float | None


def snooping_of(returns: np.ndarray, tries: Sequence[Trial]) -> Snooping:
    """The deflated Sharpe ratio over all tries of a family, and the probability of overfitting over those that ended.

    The same strategy on the same data is one try however often it is run. Failed and aborted tries count as tries
    without an edge. PBO is None where fewer than two tries of the same days ended.
    """
    distinct = {(trial.strategy_sha256, trial.data_sha256): trial for trial in tries}
    ended = [trial.returns for trial in distinct.values() if trial.returns is not None]
    sharpes = [moments_of(series).sharpe for series in ended] + [0.0] * (len(distinct) - len(ended))
    found: Moments = moments_of(returns)
    variance = float(np.var(sharpes, ddof=1)) if len(sharpes) > 1 else 0.0
    alike = [series for series in ended if len(series) == len(returns)]
    overfitting = probability_of_overfitting(alike) if len(alike) > 1 else None
    return Snooping(len(distinct), found.sharpe, deflated_sharpe(found, len(distinct), variance), overfitting)
