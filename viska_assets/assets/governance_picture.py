"""The governance daemon's measures as a picture: the review queue's depth above the share of rejections."""

import base64
import io
from collections.abc import Sequence

from viska_assets.store.supervised.metric_rows import Measured


def draw_governance(depths: Sequence[Measured], rates: Sequence[Measured], threshold: int, rate: float) -> str:
    """Markdown with both series and the policy's bounds; without any value, a sentence."""
    if not depths:
        return "The daemon has measured nothing yet."
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (above, below) = plt.subplots(2, 1, figsize=(9, 5), dpi=100, sharex=True)
    for axes, series, bound, label in (
        (above, depths, float(threshold), "artifacts that wait for a verdict"),
        (below, rates, rate, "share of rejections in the window"),
    ):
        axes.step([one.at for one in series], [one.value for one in series], where="post", color="#1f5fa8")
        axes.plot([one.at for one in series], [one.value for one in series], ".", color="#1f5fa8", markersize=4)
        axes.axhline(bound, color="#b0562b", linewidth=0.9, linestyle="--")
        axes.set_ylabel(label, fontsize=8)
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color="#e6e8ec", linewidth=0.7)
    figure.autofmt_xdate()
    image = io.BytesIO()
    figure.savefig(image, format="png", bbox_inches="tight", metadata={"Software": ""})
    plt.close(figure)
    return f"![Queue depth and rejections](data:image/png;base64,{base64.b64encode(image.getvalue()).decode()})"
