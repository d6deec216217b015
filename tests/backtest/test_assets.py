"""Backtests as operators meet them: the asset with its pictures, its checks, and the commands."""

import json
from pathlib import Path

import dagster as dg
import pytest
from click.testing import CliRunner

from resources.home import HomeResource
from resources.writers import writer_resources
from tests.backtest.markets import trending_market
from tests.backtest.test_requests import MOMENTUM, ask
from tests.supervise.desk import Desk
from viska_assets.assets.backtest import backtest_result
from viska_assets.checks.backtest import backtest_is_not_snooped, backtest_is_reproducible
from viska_assets.cli.main import main
from viska_assets.store.home import Home


def freeze(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    closes = trending_market().closes
    for asset in closes.columns:
        rows = "\n".join(f"{day.date()},{price!r}" for day, price in closes[asset].items())
        (folder / f"{asset}.csv").write_text(f"Date,Adj Close\n{rows}\n")


def materialize() -> tuple[dict[str, dg.MetadataValue], dict[str, bool]]:
    done = dg.materialize(
        [backtest_result, backtest_is_reproducible, backtest_is_not_snooped],
        resources={"home": HomeResource()} | writer_resources(),
    )
    checks = {found.check_name: found.passed for found in done.get_asset_check_evaluations()}
    return dict(done.asset_materializations_for_node("backtest_result")[0].metadata), checks


def test_g091_and_g092_the_asset_tries_draws_and_proves_what_was_asked_for(desk: Desk) -> None:
    freeze(desk.settings.prices_path)
    ask(desk, MOMENTUM)
    ask(desk, {"signal": "astrology"})
    metadata, checks = materialize()
    assert metadata["tried_now"].value == 2
    assert metadata["dagster/row_count"].value == 1
    assert "data:image/png;base64," in metadata["equity"].value
    assert checks == {"backtest_is_reproducible": True, "backtest_is_not_snooped": True}
    again, _ = materialize()
    assert again["tried_now"].value == 0


def test_g092_changed_prices_and_lowered_bars_fail_the_checks(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    freeze(desk.settings.prices_path)
    ask(desk, MOMENTUM)
    materialize()
    file = desk.settings.prices_path / "A00.csv"
    file.write_text(file.read_text().replace("2010-01-04,", "2010-01-04,1"))
    stricter = desk.settings.home_path / "policy.yaml"
    stricter.write_text("backtest:\n  least_deflated_sharpe: 1.0\n")
    monkeypatch.setenv("VISKA_POLICY", str(stricter))
    _, checks = materialize()
    assert checks == {"backtest_is_reproducible": False, "backtest_is_not_snooped": False}


def test_without_roles_or_prices_the_asset_says_what_is_missing(home: Home) -> None:
    metadata, _ = materialize()
    assert "not run" in metadata["note"].value


def test_the_commands_try_list_rerun_and_open_the_holdout_once(desk: Desk) -> None:
    freeze(desk.settings.prices_path)
    ask(desk, MOMENTUM)
    run = CliRunner().invoke(main, ["backtest", "run", "--json"])
    assert json.loads(run.output)[0]["accepted"] is True
    listed = json.loads(CliRunner().invoke(main, ["backtest", "list", "--json"]).output)
    number = str(listed[0]["result_id"])
    assert "is the same" in CliRunner().invoke(main, ["backtest", "rerun", number]).output
    assert "sharpe" in CliRunner().invoke(main, ["backtest", "holdout", number]).output
    second = CliRunner().invoke(main, ["backtest", "holdout", number])
    assert second.exit_code == 1
    assert "read its holdout before" in second.stderr
    assert CliRunner().invoke(main, ["backtest", "rerun", "99"]).exit_code == 2
