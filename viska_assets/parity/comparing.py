"""Two runs side by side: their figures, and every question whose grade is another one."""

from collections.abc import Mapping
from dataclasses import dataclass

from viska_assets.parity.run import PATHS
from viska_assets.store.parity_rows import StoredRun

FIGURES = ("correct_mean", "answered_rate", "citation_correct", "fabrications", "p50_ms", "p95_ms")


@dataclass(frozen=True)
class Line:
    """One figure of one path in both runs; None where a run does not have it."""

    path: str
    figure: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Changed:
    """A question that one path answers better or worse than before."""

    question: str
    path: str
    before: int
    after: int
    why: str


@dataclass(frozen=True)
class Comparison:
    """Two runs, by their numbers."""

    first: int
    second: int
    figures: tuple[Line, ...]
    changed: tuple[Changed, ...]
    remarks: tuple[str, ...]


def compare_runs(first: StoredRun, second: StoredRun) -> Comparison:
    """What changed from the first run to the second."""
    lines = tuple(
        Line(path, figure, first.summary.get(path, {}).get(figure), second.summary.get(path, {}).get(figure))
        for path in PATHS
        for figure in FIGURES
    )
    before = {answer["id"]: answer for answer in first.answers}
    after = {answer["id"]: answer for answer in second.answers}
    changed = tuple(
        Changed(question, path, old[path]["correct"], new[path]["correct"], new[path]["why"])
        for question, new in after.items()
        if (old := before.get(question)) is not None
        for path in PATHS
        if old[path]["correct"] != new[path]["correct"]
    )
    return Comparison(first.run_id, second.run_id, lines, changed, tuple(_remarks(first, second, before, after)))


def _remarks(
    first: StoredRun, second: StoredRun, before: Mapping[str, object], after: Mapping[str, object]
) -> list[str]:
    said = [f"verdict {first.verdict} before, {second.verdict} after"]
    if first.engine != second.engine:
        said.append(f"engine {first.engine} before, {second.engine} after")
    if first.bundle_commit != second.bundle_commit:
        said.append(f"bundle {first.bundle_commit[:10]} before, {second.bundle_commit[:10]} after")
    only_before, only_after = sorted(before.keys() - after.keys()), sorted(after.keys() - before.keys())
    if only_before:
        said.append(f"only in run {first.run_id}: {', '.join(only_before)}")
    if only_after:
        said.append(f"only in run {second.run_id}: {', '.join(only_after)}")
    return said
