"""What a series of daily returns was worth: the usual figures, by their usual definitions."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

DAYS = 252


@dataclass(frozen=True)
class Metrics:
    """Figures of daily net returns; rates and ratios are annual (252 days), the rest a share of the capital.

    ``var_95`` and ``cvar_95`` are the daily loss that is exceeded on one day in twenty and the mean of such days, both
    as negative returns. Ratios are 0 where nothing varies.
    """

    days: int
    total_return: float
    annual_return: float
    volatility: float
    sharpe: float
    sortino: float
    max_drawdown: float
    var_95: float
    cvar_95: float
    hit_rate: float
    annual_turnover: float


def metrics_of(net: pd.Series, turnover: pd.Series) -> Metrics:
    """The metrics of net returns and of what was traded for them, day by day. A riskless rate of 0 is assumed."""
    returns = net.to_numpy(float)
    total = float(np.prod(1 + returns)) - 1
    below = np.minimum(returns, 0)
    downside = float(np.sqrt(np.mean(below**2)))
    mean = float(returns.mean())
    threshold = float(np.quantile(returns, 0.05))
    return Metrics(
        days=len(returns),
        total_return=total,
        annual_return=max(0.0, 1 + total) ** (DAYS / len(returns)) - 1,
        volatility=_deviation(returns) * np.sqrt(DAYS).item(),
        sharpe=sharpe(returns) * np.sqrt(DAYS).item(),
        sortino=mean / downside * np.sqrt(DAYS).item() if downside > 0 else 0.0,
        max_drawdown=float(drawdown(net).min()),
        var_95=threshold,
        cvar_95=float(returns[returns <= threshold].mean()),
        hit_rate=float((returns > 0).mean()),
        annual_turnover=float(turnover.mean()) * DAYS,
    )


def sharpe(returns: np.ndarray) -> float:
    """The mean over the standard deviation (n - 1) of returns, a day; 0 where nothing varies (Sharpe 1994)."""
    deviation = _deviation(returns)
    return float(returns.mean()) / deviation if deviation > 1e-15 else 0.0


def drawdown(net: pd.Series) -> pd.Series:
    """How far below its highest value so far the capital stands each day: 0 or less."""
    equity = (1 + net).cumprod()
    return equity / equity.cummax().clip(lower=1.0) - 1


def _deviation(returns: np.ndarray) -> float:
    return float(returns.std(ddof=1)) if len(returns) > 1 else 0.0
