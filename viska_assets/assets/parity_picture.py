"""A parity run as a picture: both tiers' grades question by question, and how long their answers take."""

import base64
import io
from collections.abc import Mapping, Sequence
from typing import Any

SYNTHESIS_COLOUR, BASELINE_COLOUR = "#2f6f8f", "#b0562b"


def draw_run(summary: Mapping[str, Any], answers: Sequence[Mapping[str, Any]]) -> str:
    """A PNG as a data address: paired grades on the left, the distribution of latencies on the right."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), dpi=100)
    _draw_pairs(left, answers)
    _draw_latencies(right, summary)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=7)
    figure.suptitle(f"{summary['verdict']}: {summary['why']}", x=0.01, ha="left", fontsize=9)
    image = io.BytesIO()
    figure.savefig(image, format="png", bbox_inches="tight", metadata={"Software": ""})
    plt.close(figure)
    return f"data:image/png;base64,{base64.b64encode(image.getvalue()).decode()}"


def _draw_pairs(axes: Any, answers: Sequence[Mapping[str, Any]]) -> None:
    """How many questions have each pair of grades, as a square of nine; what lies above the diagonal is a gain."""
    counts = [[0] * 3 for _ in range(3)]
    for answer in answers:
        counts[answer["synthesis"]["correct"]][answer["baseline"]["correct"]] += 1
    axes.imshow(counts, origin="lower", cmap="Blues", vmin=0, vmax=max(1, *(max(row) for row in counts)) * 1.6)
    for synthesis, row in enumerate(counts):
        for baseline, number in enumerate(row):
            axes.text(baseline, synthesis, str(number), ha="center", va="center", fontsize=9)
    names = ["wrong", "partial", "correct"]
    axes.set_xticks(range(3), names)
    axes.set_yticks(range(3), names)
    axes.set_xlabel("baseline (passages)", fontsize=8)
    axes.set_ylabel("synthesis (pages)", fontsize=8)
    axes.set_title("Questions by both grades", loc="left", fontsize=9)


def _draw_latencies(axes: Any, summary: Mapping[str, Any]) -> None:
    for path, colour in (("synthesis", SYNTHESIS_COLOUR), ("baseline", BASELINE_COLOUR)):
        points = summary[path]["ecdf_ms"]
        if points:
            axes.step(points, [share / 100 for share in range(101)], where="post", color=colour, label=path)
            axes.axvline(summary[path]["p95_ms"], color=colour, linewidth=0.8, linestyle=":")
    if summary["synthesis"]["ecdf_ms"] or summary["baseline"]["ecdf_ms"]:
        axes.set_xscale("log")
        axes.legend(fontsize=8, frameon=False)
    axes.set_xlabel("milliseconds an answer (p95 dotted)", fontsize=8)
    axes.set_title("Share of answers within", loc="left", fontsize=9)
