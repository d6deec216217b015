"""Backtests that were asked for, run one after the other: the try on record first, then the result with its verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

import numpy as np

from viska_assets.backtest.evaluation import BacktestPolicy, Evaluation, evaluate, evaluate_holdout
from viska_assets.backtest.manifest import Manifest, differences
from viska_assets.backtest.metrics import Metrics
from viska_assets.backtest.prices import PriceError, Prices
from viska_assets.backtest.signals import Strategy, StrategyError
from viska_assets.backtest.snooping import moments_of
from viska_assets.backtest.trials import Outcome, Trial
from viska_assets.store.database import Database
from viska_assets.store.policy import BacktestSection
from viska_assets.store.supervised.backtest_rows import (
    Requested,
    ResultRow,
    TrialRow,
    add_result,
    add_trial,
    open_requests,
    read_holdout_once,
    results,
    results_of_family,
    trials_of_family,
)

STRATEGY_KEYS = frozenset({"signal", "parameters", "lag", "rebalance", "cost_bps"})


@dataclass(frozen=True)
class Ran:
    """What became of one request: a result with its evaluation, or the reason why it could not be run."""

    request: Requested
    result_id: int | None
    evaluation: Evaluation | None
    error: str = ""


class StoredLedger:
    """The ledger in Postgres: each try is committed by itself before anybody sees what it gave."""

    def __init__(self, database: Database, request_id: int) -> None:
        self._database = database
        self._request_id = request_id
        self.trial_id = 0

    def record(self, trial: Trial) -> None:
        """Appends a try."""
        returns = None if trial.returns is None else np.ascontiguousarray(trial.returns, dtype="<f8").tobytes()
        sharpe = None if trial.returns is None else moments_of(trial.returns).sharpe
        row = TrialRow(trial.family, trial.strategy_sha256, trial.data_sha256, trial.outcome.value, returns)
        with self._database.transaction() as connection:
            self.trial_id = add_trial(connection, self._request_id, row, sharpe)

    def trials(self, family: str) -> Sequence[Trial]:
        """All tries of a family, oldest first."""
        with self._database.transaction() as connection:
            rows = trials_of_family(connection, family)
        return [
            Trial(
                row.family,
                row.params_sha256,
                row.data_sha256,
                Outcome(row.outcome),
                None if row.returns is None else np.frombuffer(row.returns, "<f8").astype(float),
            )
            for row in rows
        ]


class StoredRegister:
    """The register of holdouts in Postgres: one read of one draft."""

    def __init__(self, database: Database, request: Requested) -> None:
        self._database = database
        self._request = request

    def read_once(self, strategy_sha256: str, data_sha256: str) -> bool:
        """Records a read, committed before anything is shown."""
        with self._database.transaction() as connection:
            return read_holdout_once(connection, self._request.artifact_id, self._request.request_id, data_sha256)


def run_requests(
    database: Database, prices: Prices, policy: BacktestPolicy, *, model_knows_until: date | None = None
) -> list[Ran]:
    """Runs every open request and stores what it gave; one that cannot be run is on record as failed.

    Args:
        database: plutus's.
        prices: the frozen prices of all assets.
        policy: the desk's numbers.
        model_knows_until: the training cut-off of the model that proposes strategies.
    """
    with database.transaction() as connection:
        waiting = open_requests(connection)
    return [_run(database, request, prices, policy, model_knows_until) for request in waiting]


def _run(
    database: Database, request: Requested, prices: Prices, policy: BacktestPolicy, model_knows_until: date | None
) -> Ran:
    ledger = StoredLedger(database, request.request_id)
    with database.transaction() as connection:
        shown = results_of_family(connection, request.family)
    try:
        strategy, chosen = strategy_of(request.spec), assets_of(request.spec, prices)
    except (StrategyError, PriceError) as error:
        ledger.record(Trial(request.family, "0" * 64, prices.sha256, Outcome.FAILED))
        return Ran(request, None, None, str(error))
    try:
        found = evaluate(
            chosen,
            strategy,
            request.family,
            ledger,
            policy,
            shown=shown + 1,
            model_knows_until=model_knows_until,
        )
    except StrategyError as error:
        return Ran(request, None, None, str(error))
    hashes = {
        "data": found.manifest.data_sha256,
        "code": found.manifest.code_sha256,
        "params": found.manifest.strategy_sha256,
        "result": found.manifest.result_sha256,
    }
    with database.transaction() as connection:
        number = add_result(
            connection,
            request_id=request.request_id,
            trial_id=ledger.trial_id,
            hashes=hashes,
            manifest=asdict(found.manifest) | {"assets": list(chosen.closes.columns)},
            metrics=asdict(found.metrics),
            trials=found.snooping.trials,
            deflated_sharpe=found.snooping.deflated_sharpe,
            pbo=found.snooping.overfitting,
            contaminated=found.contaminated,
            accepted=found.accepted,
            reason="; ".join(found.reasons) or "nothing speaks against it",
        )
    return Ran(request, number, found)


def policy_from(section: BacktestSection) -> BacktestPolicy:
    """The numbers of the desk's policy file."""
    return BacktestPolicy(
        section.holdout_share, section.least_days, section.least_deflated_sharpe, section.most_overfitting
    )


def strategy_of(spec: Mapping[str, Any]) -> Strategy:
    """The strategy that a request describes.

    Raises:
        StrategyError: for a missing signal, or a key or value that is not one.
    """
    if unknown := set(spec) - STRATEGY_KEYS - {"assets"}:
        raise StrategyError(f"a strategy has no {sorted(unknown)[0]!r}; it has {', '.join(sorted(STRATEGY_KEYS))}")
    if "signal" not in spec:
        raise StrategyError("a strategy names its signal")
    try:
        return Strategy(
            signal=str(spec["signal"]),
            parameters=dict(spec.get("parameters", {})),
            lag=int(spec.get("lag", 1)),
            rebalance=int(spec.get("rebalance", 21)),
            cost_bps=float(spec.get("cost_bps", 10.0)),
        )
    except (TypeError, ValueError) as error:
        raise StrategyError(str(error)) from error


def assets_of(spec: Mapping[str, Any], prices: Prices) -> Prices:
    """The prices of the assets that a request names, or all.

    Raises:
        PriceError: for an asset without prices.
    """
    wanted = spec.get("assets")
    if wanted is None:
        return prices
    names = sorted({str(name) for name in wanted})
    if missing := [name for name in names if name not in prices.closes.columns]:
        raise PriceError(f"there are no prices of {', '.join(missing)}")
    return Prices(prices.closes[names].dropna(how="all"))


def changed_since(row: ResultRow, prices: Prices) -> tuple[str, ...]:
    """Runs a stored result again from its manifest and says what differs; nothing where it is the same."""
    kept = {name: row.manifest[name] for name in Manifest.__dataclass_fields__}
    try:
        chosen = assets_of({"assets": row.manifest["assets"]}, prices)
        seen = Prices(chosen.closes.loc[row.manifest["first_day"] : row.manifest["last_day"]])
    except PriceError as error:
        return (str(error),)
    return differences(Manifest(**kept), seen)


def open_holdout(database: Database, result_id: int, prices: Prices, policy: BacktestPolicy) -> Metrics:
    """Shows how an accepted strategy did on the holdout: once.

    Raises:
        StrategyError: for an unknown result, one that was not accepted, or a holdout that was read before.
    """
    with database.transaction() as connection:
        found = results(connection, ids=[result_id])
    if not found:
        raise StrategyError(f"there is no result {result_id}")
    row = found[0]
    if not row.accepted:
        raise StrategyError(f"result {result_id} was not accepted: {row.reason}; its holdout stays sealed")
    request = Requested(row.request_id, row.artifact_id, row.family, {})
    chosen = assets_of({"assets": row.manifest["assets"]}, prices)
    _, metrics = evaluate_holdout(
        chosen, Strategy(**row.manifest["strategy"]), policy, StoredRegister(database, request)
    )
    return metrics
