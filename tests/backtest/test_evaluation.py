from datetime import date

import numpy as np
import pandas as pd
import pytest

from tests.backtest.markets import MemoryLedger, MemoryRegister, market, trending_market
from viska_assets.backtest import evaluation
from viska_assets.backtest.evaluation import (
    BacktestPolicy,
    HoldoutBurnedError,
    evaluate,
    evaluate_holdout,
    holdout_from,
)
from viska_assets.backtest.manifest import differences, strategy_sha256
from viska_assets.backtest.prices import Prices
from viska_assets.backtest.signals import Strategy, StrategyError

POLICY = BacktestPolicy()
MOMENTUM = Strategy("momentum", {"lookback": 60, "skip": 1, "top": 4}, rebalance=5, cost_bps=5)


def drawn(seed: int) -> Strategy:
    return Strategy("chance", {"seed": seed, "top": 5}, rebalance=5, cost_bps=0)


def test_the_best_of_a_hundred_strategies_by_chance_is_refused_and_a_real_edge_accepted() -> None:
    ledger, prices = MemoryLedger(), trending_market()
    by_chance = [evaluate(prices, drawn(seed), "chance", ledger, POLICY) for seed in range(100)]
    best = max(by_chance, key=lambda found: found.metrics.sharpe)
    again = evaluate(prices, Strategy(**best.manifest.strategy), "chance", ledger, POLICY)
    assert not again.accepted
    assert "after 100 tries" in " ".join(again.reasons)
    real = evaluate(prices, MOMENTUM, "chance", ledger, POLICY)
    assert real.accepted, real.reasons
    assert real.snooping.trials == 101


def test_the_holdout_is_not_seen_before_it_is_opened() -> None:
    prices = market(800)
    split = holdout_from(prices, POLICY)
    found = evaluate(prices, MOMENTUM, "f", MemoryLedger(), POLICY)
    assert found.result.net.index[-1] < split
    other = prices.closes.copy()
    other.loc[split:] *= 7
    again = evaluate(Prices(other), MOMENTUM, "f", MemoryLedger(), POLICY)
    assert again.manifest.result_sha256 == found.manifest.result_sha256


def test_the_holdout_is_read_once_for_a_strategy() -> None:
    prices, register = market(800), MemoryRegister()
    shown, _ = evaluate_holdout(prices, MOMENTUM, POLICY, register)
    assert shown.net.index[0] == holdout_from(prices, POLICY)
    assert len(shown.net) == 160
    with pytest.raises(HoldoutBurnedError):
        evaluate_holdout(prices, MOMENTUM, POLICY, register)
    evaluate_holdout(prices, drawn(1), POLICY, register)


def test_a_failed_and_an_aborted_try_are_on_record(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = MemoryLedger()
    with pytest.raises(StrategyError):
        evaluate(market(), Strategy("momentum", {"top": 0}), "f", ledger, POLICY)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluation, "run_backtest", interrupted)
    with pytest.raises(KeyboardInterrupt):
        evaluate(market(), MOMENTUM, "f", ledger, POLICY)
    assert [row.outcome.value for row in ledger.rows] == ["failed", "aborted"]


def test_runs_past_the_ledger_and_contaminated_days_are_refused() -> None:
    ledger, prices = MemoryLedger(), trending_market()
    accepted = evaluate(prices, MOMENTUM, "f", ledger, POLICY, shown=1)
    assert accepted.accepted
    past = evaluate(prices, MOMENTUM, "f", ledger, POLICY, shown=9)
    assert any("past the ledger" in reason for reason in past.reasons)
    known = evaluate(prices, MOMENTUM, "f", ledger, POLICY, model_knows_until=date(2015, 6, 1))
    assert known.contaminated
    assert not known.accepted
    clean = evaluate(prices, MOMENTUM, "f", ledger, POLICY, model_knows_until=date(2001, 1, 1))
    assert not clean.contaminated


def test_too_few_days_are_refused() -> None:
    found = evaluate(market(200), MOMENTUM, "f", MemoryLedger(), POLICY)
    assert any("too few" in reason for reason in found.reasons)


class TestManifest:
    prices = market(700)
    manifest = evaluate(prices, MOMENTUM, "f", MemoryLedger(), POLICY).manifest

    @property
    def seen(self) -> Prices:
        return self.prices.until(pd.Timestamp(self.manifest.last_day))

    def test_a_rerun_from_the_manifest_gives_the_same_hash(self) -> None:
        assert differences(self.manifest, self.seen) == ()

    def test_other_data_are_named_and_not_run(self) -> None:
        other = self.seen.closes.copy()
        other.iloc[3, 1] += 0.01
        assert "the data are others" in differences(self.manifest, Prices(other))[0]

    def test_a_changed_result_and_changed_code_are_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from dataclasses import replace

        assert differences(replace(self.manifest, result_sha256="0" * 64), self.seen) == ("the result is another",)
        versions = dict(self.manifest.versions) | {"numpy": "1.0"}
        older = replace(self.manifest, code_sha256="0" * 64, versions=versions)
        assert f"the code is another: numpy {np.__version__}" in differences(older, self.seen)[0]

    def test_the_order_of_parameters_is_no_other_strategy(self) -> None:
        turned = Strategy("momentum", {"top": 4, "skip": 1, "lookback": 60}, rebalance=5, cost_bps=5)
        assert strategy_sha256(turned) == strategy_sha256(MOMENTUM)
        assert strategy_sha256(Strategy("momentum", {"top": 5})) != strategy_sha256(MOMENTUM)
