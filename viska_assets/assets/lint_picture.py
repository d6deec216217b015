"""Lint's trends as a picture: findings by rule, stale pages, and how long drafts wait, night by night."""

import base64
import io

from viska_assets.lint.history import Trends

MOST_RULES = 10


def draw_trends(trends: Trends) -> str:
    """A PNG as a data address; empty where there is no night to draw."""
    if not trends.nights:
        return ""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    # by night, not by hour: several runs of one day would lie upon each other
    nights = range(len(trends.nights))
    labels = [night.date().isoformat() for night in trends.nights]
    figure, (above, middle, below) = plt.subplots(3, 1, figsize=(9, 8), dpi=100, sharex=True)
    for rule in sorted(trends.findings, key=lambda rule: -max(trends.findings[rule]))[:MOST_RULES]:
        above.plot(nights, trends.findings[rule], marker="o", markersize=3, linewidth=1.2, label=rule)
    above.set_title("Findings by rule", loc="left", fontsize=9)
    if trends.findings:
        above.legend(fontsize=7, frameon=False, ncols=2)
    middle.plot(nights, trends.stale_pages, marker="o", markersize=3, color="#b0562b")
    middle.set_title("Stale pages", loc="left", fontsize=9)
    below.plot(nights, trends.oldest_waiting_days, marker="o", markersize=3, color="#7a4fa3")
    below.set_title("Oldest draft in quarantine, days", loc="left", fontsize=9)
    for axes in (above, middle, below):
        axes.set_ylim(bottom=0)
        axes.grid(axis="y", color="#e3e7ec", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=7)
    step = max(1, len(labels) // 10)
    below.set_xticks(list(nights)[::step], labels[::step])
    image = io.BytesIO()
    figure.savefig(image, format="png", bbox_inches="tight", metadata={"Software": ""})
    plt.close(figure)
    return f"data:image/png;base64,{base64.b64encode(image.getvalue()).decode()}"
