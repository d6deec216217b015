"""From a strategy to a verdict: run on the days before the holdout, put on record, with all that speaks against it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Protocol

import pandas as pd

from viska_assets.backtest.harness import Backtest, run_backtest
from viska_assets.backtest.manifest import Manifest, manifest_of, strategy_sha256
from viska_assets.backtest.metrics import Metrics, metrics_of
from viska_assets.backtest.prices import Prices
from viska_assets.backtest.signals import Strategy, StrategyError
from viska_assets.backtest.trials import Ledger, Outcome, Snooping, Trial, snooping_of


@dataclass(frozen=True)
class BacktestPolicy:
    """The desk's numbers: what a backtest must show before a strategy may be approved."""

    holdout_share: float = 0.2
    least_days: int = 252
    least_deflated_sharpe: float = 0.95
    most_overfitting: float = 0.5


@dataclass(frozen=True)
class Evaluation:
    """A backtest with its metrics, its manifest, what snooping leaves of it, and every reason against it."""

    result: Backtest
    metrics: Metrics
    manifest: Manifest
    snooping: Snooping
    contaminated: bool
    reasons: tuple[str, ...]

    @property
    def accepted(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.reasons


class HoldoutRegister(Protocol):
    """Who has read the holdout: one read a strategy."""

    def read_once(self, strategy_sha256: str, data_sha256: str) -> bool:
        """Records a read; False where this strategy has read this holdout before."""
        ...


class HoldoutBurnedError(StrategyError):
    """A strategy has read its holdout before; what it shows there is no evidence any more."""


def evaluate(
    prices: Prices,
    strategy: Strategy,
    family: str,
    ledger: Ledger,
    policy: BacktestPolicy,
    *,
    shown: int = 0,
    model_knows_until: date | None = None,
) -> Evaluation:
    """Runs a strategy on the days before the holdout and judges it.

    The try is in the ledger before this returns, and also where it fails.

    Args:
        prices: all days; the last share of them is the holdout and not touched.
        strategy: what to run.
        family: the tries it is one of.
        ledger: where the family's tries stand.
        policy: the desk's numbers.
        shown: how many results of the family are shown, this one included; more than there are tries means that some
            were run past the ledger.
        model_knows_until: the training cut-off of the model that wrote the strategy. Days before it are contaminated:
            the model may have known how they went.

    Raises:
        StrategyError: where the strategy cannot be run, after the failure was recorded.
    """
    seen = prices.until(holdout_from(prices, policy) - pd.Timedelta(days=1))
    key = (family, strategy_sha256(strategy), seen.sha256)
    try:
        result = run_backtest(seen, strategy)
    except StrategyError:
        ledger.record(Trial(*key, Outcome.FAILED))
        raise
    except BaseException:
        ledger.record(Trial(*key, Outcome.ABORTED))
        raise
    ledger.record(Trial(*key, Outcome.COMPLETED, result.net.to_numpy()))
    tries = ledger.trials(family)
    snooping = snooping_of(result.net.to_numpy(), tries)
    contaminated = model_knows_until is not None and seen.closes.index[0].date() <= model_knows_until
    reasons = tuple(_against(seen, snooping, policy, len(tries), shown, contaminated))
    metrics = metrics_of(result.net, result.turnover)
    return Evaluation(result, metrics, manifest_of(seen, strategy, result), snooping, contaminated, reasons)


def _against(
    prices: Prices, snooping: Snooping, policy: BacktestPolicy, tries: int, shown: int, contaminated: bool
) -> list[str]:
    tests: list[tuple[bool, Callable[[], str]]] = [
        (
            len(prices.closes) < policy.least_days,
            lambda: f"{len(prices.closes)} days are too few: at least {policy.least_days}",
        ),
        (
            snooping.deflated_sharpe < policy.least_deflated_sharpe,
            lambda: (
                f"deflated Sharpe ratio {snooping.deflated_sharpe:.3f} after {snooping.trials} tries, "
                f"at least {policy.least_deflated_sharpe}"
            ),
        ),
        (
            snooping.overfitting is not None and snooping.overfitting > policy.most_overfitting,
            lambda: f"probability of overfitting {snooping.overfitting:.2f}, at most {policy.most_overfitting}",
        ),
        (
            tries < shown,
            lambda: f"{shown} results are shown and {tries} tries are on record: some were run past the ledger",
        ),
        (contaminated, lambda: "the model that wrote the strategy was trained on some of these days"),
    ]
    return [reason() for holds, reason in tests if holds]


def holdout_from(prices: Prices, policy: BacktestPolicy) -> pd.Timestamp:
    """The first day of the holdout."""
    days = prices.closes.index
    return days[min(len(days) - 1, max(1, round(len(days) * (1 - policy.holdout_share))))]


def evaluate_holdout(
    prices: Prices, strategy: Strategy, policy: BacktestPolicy, register: HoldoutRegister
) -> tuple[Backtest, Metrics]:
    """Runs a strategy over all days and shows the holdout: once.

    Signals may look back into the days before; only the holdout's returns are in the metrics.

    Raises:
        HoldoutBurnedError: where the strategy has read this holdout before.
    """
    if not register.read_once(strategy_sha256(strategy), prices.sha256):
        raise HoldoutBurnedError("this strategy has read its holdout before: a second look is no test any more")
    result = run_backtest(prices, strategy)
    days = result.net.index >= holdout_from(prices, policy)
    shown = Backtest(result.positions[days], result.gross[days], result.net[days], result.turnover[days])
    return shown, metrics_of(shown.net, shown.turnover)
