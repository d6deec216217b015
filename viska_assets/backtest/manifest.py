"""What a backtest was made of and what it gave, by hashes: whoever has the data can run it again and compare."""

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from viska_assets.backtest.harness import Backtest, run_backtest
from viska_assets.backtest.prices import Prices
from viska_assets.backtest.signals import Strategy, StrategyError

DIGITS = 12


@dataclass(frozen=True)
class Manifest:
    """The inputs of a backtest by their hashes, and the hash of its result.

    ``code_sha256`` covers the harness and the versions of Python, numpy and pandas; ``first_day`` and ``last_day`` are
    the calendar that was used.
    """

    strategy: Mapping[str, Any]
    strategy_sha256: str
    data_sha256: str
    code_sha256: str
    versions: Mapping[str, str]
    first_day: str
    last_day: str
    result_sha256: str


def manifest_of(prices: Prices, strategy: Strategy, result: Backtest) -> Manifest:
    """The manifest of a backtest that was run."""
    days = prices.closes.index
    return Manifest(
        strategy=asdict(strategy),
        strategy_sha256=strategy_sha256(strategy),
        data_sha256=prices.sha256,
        code_sha256=code_sha256(),
        versions=versions(),
        first_day=days[0].date().isoformat(),
        last_day=days[-1].date().isoformat(),
        result_sha256=result_sha256(result),
    )


def differences(manifest: Manifest, prices: Prices) -> tuple[str, ...]:
    """Runs a manifest's strategy again and says in what the outcome differs; nothing where it is the same.

    Args:
        manifest: of the earlier run.
        prices: the same data; other data is a difference by itself and nothing is run on it.
    """
    if prices.sha256 != manifest.data_sha256:
        return (f"the data are others: {prices.sha256[:12]}, the manifest has {manifest.data_sha256[:12]}",)
    found = []
    if code_sha256() != manifest.code_sha256:
        changed = [
            f"{name} {version}" for name, version in versions().items() if manifest.versions.get(name) != version
        ]
        found.append(f"the code is another: {', '.join(changed) or 'the harness itself has changed'}")
    try:
        again = run_backtest(prices, Strategy(**manifest.strategy))
    except (StrategyError, TypeError) as error:
        return (*found, f"the strategy cannot be run again: {error}")
    if result_sha256(again) != manifest.result_sha256:
        found.append("the result is another")
    return tuple(found)


def strategy_sha256(strategy: Strategy) -> str:
    """The hash of a strategy with all its parameters, whatever their order."""
    text = json.dumps(asdict(strategy), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def result_sha256(result: Backtest) -> str:
    """The hash of net returns and positions, rounded to twelve digits, so that the last bits do not count."""
    digest = hashlib.sha256()
    for values in (result.net.to_numpy(), result.positions.to_numpy()):
        rounded = np.round(np.asarray(values, dtype="<f8"), DIGITS) + 0.0  # no negative zero
        digest.update(np.ascontiguousarray(rounded).tobytes())
    return digest.hexdigest()


def code_sha256() -> str:
    """The hash of the harness's source and of the versions it runs on."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    digest.update(json.dumps(versions(), sort_keys=True).encode())
    return digest.hexdigest()


def versions() -> dict[str, str]:
    """The versions of what computes."""
    return {"python": platform.python_version(), "numpy": np.__version__, "pandas": pd.__version__}
