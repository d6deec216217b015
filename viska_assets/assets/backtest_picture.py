"""A backtest as a picture: what became of 1 invested, and how far below its top it stood."""

import base64
import io
from typing import Any

from viska_assets.backtest.harness import Backtest
from viska_assets.backtest.metrics import drawdown


def draw_backtest(title: str, result: Backtest) -> str:
    """Markdown with the equity curve (after and before costs) above the drawdown."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (above, below) = plt.subplots(2, 1, figsize=(9, 5), dpi=100, sharex=True, height_ratios=(3, 1))
    above.plot(result.equity.index, result.equity, color="#1f5fa8", linewidth=1.3, label="after costs")
    gross = (1 + result.gross).cumprod()
    above.plot(gross.index, gross, color="#9aa3ad", linewidth=0.9, label="before costs")
    above.set_ylabel("value of 1")
    above.set_title(title, fontsize=10, loc="left")
    above.legend(frameon=False, fontsize=8)
    fall = drawdown(result.net) * 100
    below.fill_between(fall.index, fall, 0, color="#b0562b", alpha=0.6, linewidth=0)
    below.set_ylabel("drawdown, %")
    for axes in (above, below):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color="#e6e8ec", linewidth=0.7)
    return _as_markdown(figure, plt)


def _as_markdown(figure: Any, plt: Any) -> str:
    image = io.BytesIO()
    figure.savefig(image, format="png", bbox_inches="tight", metadata={"Software": ""})
    plt.close(figure)
    return f"![Backtest](data:image/png;base64,{base64.b64encode(image.getvalue()).decode()})"
