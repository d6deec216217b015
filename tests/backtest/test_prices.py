from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.backtest.markets import market
from tests.conftest import REPOSITORY
from viska_assets.backtest.prices import PriceError, Prices, as_known, read_prices


def frame(values: list[list[float]], days: list[str] | None = None, names: str = "AB") -> pd.DataFrame:
    index = pd.to_datetime(days or [f"2020-01-0{at + 1}" for at in range(len(values))])
    return pd.DataFrame(values, index=pd.DatetimeIndex(index), columns=list(names))


@pytest.mark.parametrize(
    ("closes", "message"),
    [
        (frame([[1.0, 2.0], [0.0, 2.0]]), "A closes at 0.0 on 2020-01-02"),
        (frame([[1.0, -2.0], [1.0, 2.0]]), "B closes at -2.0 on 2020-01-01"),
        (frame([[1.0, np.inf], [1.0, 2.0]]), "B closes at inf"),
        (frame([[1.0, 2.0], [1.0, 2.0]], ["2020-01-02", "2020-01-01"]), "2020-01-01 stands twice or out of order"),
        (frame([[1.0, 2.0], [1.0, 2.0]], ["2020-01-02", "2020-01-02"]), "2020-01-02 stands twice"),
        (frame([[1.0, 2.0]], names="BA"), "sorted by name"),
        (pd.DataFrame(), "no prices"),
        (pd.DataFrame({"A": [1.0, 2.0]}), "dates"),
    ],
)
def test_bad_prices_are_refused_by_asset_and_day(closes: pd.DataFrame, message: str) -> None:
    with pytest.raises(PriceError, match=message):
        Prices(closes)


def test_the_hash_is_of_the_values_and_nothing_else() -> None:
    one = market(50)
    assert Prices(one.closes.copy()).sha256 == one.sha256
    assert Prices(one.closes.astype("float64")).sha256 == one.sha256
    other = one.closes.copy()
    other.iloc[7, 2] *= 1 + 1e-12
    assert Prices(other).sha256 != one.sha256
    assert Prices(one.closes.rename(columns={"A05": "A99"})).sha256 != one.sha256


def test_a_missing_price_earns_nothing() -> None:
    prices = Prices(frame([[1.0, 2.0], [np.nan, 3.0], [2.0, 3.0]]))
    assert prices.returns["A"].tolist() == [0.0, 0.0, 0.0]
    assert prices.returns["B"].tolist() == [0.0, 0.5, 0.0]


def test_an_observation_is_visible_from_its_day_on_and_an_undated_one_never() -> None:
    prices = Prices(frame([[1.0, 2.0]] * 4))
    observations = pd.DataFrame(
        {
            "asset": ["A", "A", "B", "B"],
            "known_at": pd.to_datetime(["2020-01-02", "2020-01-04", None, "2020-01-09"]),
            "value": [5.0, 7.0, 99.0, 3.0],
        }
    )
    known = as_known(observations, prices)
    assert known.undated == 1
    assert known.values["A"].fillna(0).tolist() == [0, 5, 5, 7]
    assert known.values["B"].isna().all()


def test_files_are_read_by_their_headers_and_refused_by_name(tmp_path: Path) -> None:
    good, bad, worse = (tmp_path / name for name in ("good.csv", "bad.csv", "worse.csv"))
    good.write_text("Date,Adj Close\n2020-01-02,2.5\n2020-01-01,2.0\n")
    bad.write_text("Date,Close\n2020-01-01,2.0\n")
    worse.write_text("Date,Adj Close\n2020-01-01,a lot\n")
    assert read_prices({"G": good}).closes["G"].tolist() == [2.0, 2.5]
    with pytest.raises(PriceError, match=r"bad.csv has no column 'Adj Close'"):
        read_prices({"B": bad})
    with pytest.raises(PriceError, match=r"worse.csv"):
        read_prices({"W": worse})


def test_real_prices_can_be_read() -> None:
    folder = REPOSITORY.parent / "shared" / "data" / "prices"
    if not folder.is_dir():
        pytest.skip("no folder with real prices; they are read where it stands")
    prices = read_prices({path.stem: path for path in folder.glob("*.csv")})
    assert prices.closes.shape[1] == len(list(folder.glob("*.csv")))
    assert len(prices.closes) > 1000
