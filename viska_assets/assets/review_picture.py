"""What the review turned away as a picture: verdicts day by day, the rejected by cause."""

import base64
import io
from collections.abc import Mapping
from datetime import date

from viska_assets.supervise.review.summary import Summary


def draw_catch_rate(days: Mapping[date, Summary]) -> str:
    """A PNG as a data address; empty where nothing was judged."""
    if not days:
        return ""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    places = range(len(days))
    figure, axes = plt.subplots(figsize=(9, 3.2), dpi=100)
    base = [summary.approved for summary in days.values()]
    axes.bar(places, base, color="#c9d3dd", label="approved")
    for cause in sorted({cause for summary in days.values() for cause in summary.by_cause}):
        heights = [summary.by_cause.get(cause, 0) for summary in days.values()]
        axes.bar(places, heights, bottom=base, label=cause)
        base = [below + height for below, height in zip(base, heights, strict=True)]
    axes.set_title("Reviewed, by verdict and cause", loc="left", fontsize=9)
    axes.legend(fontsize=7, frameon=False, ncols=4)
    axes.set_xticks(list(places), [day.isoformat() for day in days])
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)
    image = io.BytesIO()
    figure.savefig(image, format="png", bbox_inches="tight", metadata={"Software": ""})
    plt.close(figure)
    return f"data:image/png;base64,{base64.b64encode(image.getvalue()).decode()}"
