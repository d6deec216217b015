"""Requests of nous, tried by plutus, in a real database with the writers' roles."""

import json

import numpy as np
import pytest

from tests.backtest.markets import trending_market
from tests.supervise.desk import Desk, insert
from viska_assets.backtest.evaluation import BacktestPolicy
from viska_assets.backtest.prices import Prices
from viska_assets.backtest.requests import changed_since, open_holdout, run_requests
from viska_assets.backtest.signals import StrategyError
from viska_assets.store.supervised.backtest_rows import results
from viska_assets.store.supervised.matrix import Writer
from viska_assets.supervise.connecting import connect

POLICY = BacktestPolicy()
MOMENTUM = {"signal": "momentum", "parameters": {"lookback": 60, "skip": 1, "top": 4}, "rebalance": 5, "cost_bps": 5}


def ask(desk: Desk, spec: dict[str, object], family: str = "trend") -> int:
    draft = desk.draft(json.dumps(spec)[:60])
    row = {"artifact_id": draft.artifact_id, "family": family, "spec": json.dumps(spec), "trace_id": desk.trace()}
    with desk.as_writer(Writer.NOUS) as connection:
        return insert(connection, "backtests.requested", row, "request_id")


def test_requests_are_tried_once_judged_and_kept_with_all_that_a_rerun_needs(desk: Desk) -> None:
    prices, plutus = trending_market(), connect("plutus", desk.settings)
    ask(desk, MOMENTUM)
    ask(desk, {"signal": "chance", "parameters": {"seed": 3}, "cost_bps": 0})
    ask(desk, {"signal": "astrology"})
    ask(desk, {"signal": "momentum", "assets": ["NONE"]})
    ran = run_requests(plutus, prices, POLICY)
    assert [bool(found.evaluation and found.evaluation.accepted) for found in ran] == [True, False, False, False]
    assert [bool(found.error) for found in ran] == [False, False, True, True]
    assert run_requests(plutus, prices, POLICY) == []
    with plutus.transaction() as connection:
        newest = results(connection)
    assert [row.accepted for row in newest] == [False, True]
    assert all(changed_since(row, prices) == () for row in newest)
    other = prices.closes.copy()
    other.iloc[9, 9] += 0.01
    assert "the data are others" in changed_since(newest[0], Prices(other))[0]
    tries = desk.owner("SELECT outcome, returns IS NULL FROM backtests.trial ORDER BY trial_id")
    assert tries == [("completed", False), ("completed", False), ("failed", True), ("failed", True)]


def test_every_try_of_a_family_counts_against_the_next(desk: Desk) -> None:
    prices, plutus = trending_market(1200), connect("plutus", desk.settings)
    for seed in range(12):
        ask(desk, {"signal": "chance", "parameters": {"seed": seed}, "rebalance": 5, "cost_bps": 0})
    ran = run_requests(plutus, prices, POLICY)
    counted = [found.evaluation.snooping.trials for found in ran if found.evaluation]
    assert counted == list(range(1, 13))
    best = max(ran, key=lambda found: found.evaluation.metrics.sharpe)
    assert not best.evaluation.accepted or best.evaluation.snooping.trials < 12


def test_a_holdout_is_opened_once_and_only_for_what_was_accepted(desk: Desk) -> None:
    prices, plutus = trending_market(), connect("plutus", desk.settings)
    ask(desk, MOMENTUM)
    ask(desk, {"signal": "chance", "parameters": {"seed": 3}, "cost_bps": 0})
    good, bad = run_requests(plutus, prices, POLICY)
    metrics = open_holdout(plutus, good.result_id, prices, POLICY)
    assert metrics.days == round(len(prices.closes) * 0.2)
    with pytest.raises(StrategyError, match="read its holdout before"):
        open_holdout(plutus, good.result_id, prices, POLICY)
    with pytest.raises(StrategyError, match="stays sealed"):
        open_holdout(plutus, bad.result_id, prices, POLICY)
    with pytest.raises(StrategyError, match="no result 99"):
        open_holdout(plutus, 99, prices, POLICY)
    assert desk.owner("SELECT count(*) FROM audit.entry WHERE object LIKE 'backtests.holdout_read%%'") == [(1,)]


def test_a_try_survives_the_death_of_its_run(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    plutus = connect("plutus", desk.settings)
    ask(desk, MOMENTUM)

    def full(*_: object, **__: object) -> int:
        raise MemoryError

    monkeypatch.setattr("viska_assets.backtest.requests.add_result", full)
    with pytest.raises(MemoryError):
        run_requests(plutus, trending_market(900), POLICY)
    assert desk.owner("SELECT outcome FROM backtests.trial") == [("completed",)]
    assert desk.owner("SELECT count(*) FROM backtests.result") == [(0,)]


def test_stored_returns_are_the_returns_to_the_last_bit(desk: Desk) -> None:
    plutus = connect("plutus", desk.settings)
    ask(desk, MOMENTUM)
    (ran,) = run_requests(plutus, trending_market(900), POLICY)
    ((stored,),) = desk.owner("SELECT returns FROM backtests.trial")
    assert np.array_equal(np.frombuffer(stored, "<f8"), ran.evaluation.result.net.to_numpy())
