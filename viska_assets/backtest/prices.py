"""Prices and observations as a backtest may see them: checked, frozen, each value with the moment it became known."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd


class PriceError(ValueError):
    """Prices cannot be used; the message names the asset, the day and the mend."""


@dataclass(frozen=True)
class Prices:
    """Adjusted closes: a row a trading day in ascending order, a column an asset in the order of the names.

    A missing price is NaN: the asset is not traded on that day. A close is known on its own day, not before.
    """

    closes: pd.DataFrame

    def __post_init__(self) -> None:
        closes = self.closes
        if closes.empty:
            raise PriceError("there are no prices: give at least two days of one asset")
        if not isinstance(closes.index, pd.DatetimeIndex):
            raise PriceError("the days of prices are dates: read them with pandas.to_datetime")
        if not closes.index.is_monotonic_increasing or closes.index.has_duplicates:
            at = next(b for a, b in zip(closes.index, closes.index[1:], strict=False) if b <= a)
            raise PriceError(f"{at.date()} stands twice or out of order: one row a day, oldest first")
        if list(closes.columns) != sorted(set(closes.columns)):
            raise PriceError("assets stand twice or out of order: one column each, sorted by name")
        wrong = ~(np.isnan(closes.to_numpy()) | ((closes.to_numpy() > 0) & np.isfinite(closes.to_numpy())))
        if wrong.any():
            day, asset = np.argwhere(wrong)[0]
            value = closes.iat[day, asset]
            raise PriceError(f"{closes.columns[asset]} closes at {value} on {closes.index[day].date()}: prices are > 0")

    @property
    def returns(self) -> pd.DataFrame:
        """Simple returns from one day's close to the next; the first row is 0, as is the return of a missing price."""
        return self.closes.pct_change(fill_method=None).fillna(0.0)

    def until(self, day: pd.Timestamp) -> "Prices":
        """The prices that were known at the close of a day."""
        return Prices(self.closes.loc[:day])

    def after(self, day: pd.Timestamp) -> "Prices":
        """The prices of all later days."""
        return Prices(self.closes.loc[self.closes.index > day])

    @property
    def sha256(self) -> str:
        """The hash of the prices: days and names as text, values as little-endian doubles, so no library's version."""
        digest = hashlib.sha256()
        digest.update("\n".join(day.date().isoformat() for day in self.closes.index).encode())
        digest.update(b"\0" + "\n".join(map(str, self.closes.columns)).encode() + b"\0")
        digest.update(np.ascontiguousarray(self.closes.to_numpy(), dtype="<f8").tobytes())
        return digest.hexdigest()


def read_prices(paths: dict[str, Path], *, column: str = "Adj Close", day: str = "Date") -> Prices:
    """Prices from a CSV file for each asset.

    Args:
        paths: asset to file.
        column: the header of the adjusted close.
        day: the header of the day.

    Raises:
        PriceError: for a file without these columns, or with a row that is no day and price.
    """
    series = {}
    for asset, path in sorted(paths.items()):
        rows = pd.read_csv(path)
        if missing := {column, day} - set(rows.columns):
            raise PriceError(f"{path.name} has no column {sorted(missing)[0]!r}; it has {', '.join(rows.columns)}")
        try:
            days, values = pd.to_datetime(rows[day], format="ISO8601"), pd.to_numeric(rows[column])
        except ValueError as error:
            raise PriceError(f"{path.name}: {error}") from error
        if days.duplicated().any():
            raise PriceError(f"{path.name}: {days[days.duplicated()].iloc[0].date()} stands twice")
        series[asset] = pd.Series(values.to_numpy(float), index=pd.DatetimeIndex(days))
    return Prices(pd.DataFrame(series).sort_index())


def prices_in(folder: Path) -> Prices:
    """The frozen prices of a folder: a CSV file an asset, called by its name.

    Raises:
        PriceError: where there is no such folder or no file in it, and for a file that cannot be read.
    """
    files = {path.stem: path for path in folder.glob("*.csv")} if folder.is_dir() else {}
    if not files:
        raise PriceError(f"no prices in {folder}: put a CSV file there for each asset, with Date and Adj Close")
    return read_prices(files)


@dataclass(frozen=True)
class Known:
    """Observations laid out on the days of prices, and how many were left out because nobody said when they came."""

    values: pd.DataFrame
    undated: int


def as_known(observations: pd.DataFrame, prices: Prices) -> Known:
    """The newest value of each asset that was known at the close of each day.

    Args:
        observations: columns ``asset``, ``known_at`` (dates; NaT where unknown) and ``value``.
        prices: whose days and assets the values are laid out on.

    Returns:
        Values before anything was known are NaN. What has no ``known_at`` is visible on no day.
    """
    dated = observations.dropna(subset=["known_at"]).sort_values("known_at", kind="stable")
    values = pd.DataFrame(np.nan, index=prices.closes.index, columns=prices.closes.columns)
    for asset, rows in dated.groupby("asset", sort=True):
        if asset in values.columns:
            newest = pd.Series(rows["value"].to_numpy(float), index=pd.DatetimeIndex(rows["known_at"]))
            newest = newest[~newest.index.duplicated(keep="last")]
            values[asset] = newest.reindex(values.index, method="ffill")
    return Known(values, len(observations) - len(dated))
