"""Which row, column or metric a sentence names, and whether that is the one it cites."""

import re
from collections.abc import Iterable
from enum import StrEnum

from viska_assets.guardrail.reading import ChunkReading, is_period_label, label_key
from viska_assets.model.evidence import Evidence, Unit
from viska_assets.text.metrics import METRICS, metric_of, metrics_in


class Naming(StrEnum):
    """What a sentence says of the cited label."""

    NAMED = "named"
    SILENT = "silent"
    OTHER = "other"


# A metric that is named without its variant stands for each variant.
_FAMILY = {
    "eps_diluted": "eps",
    "eps_basic": "eps",
    "long_term_debt": "total_debt",
    "dividend_per_share": "dividend_per_share",
}
# Words too common in running text to count as naming a metric by themselves.
_WEAK = frozenset(
    [
        "cash",
        "total_assets",
        "total_liabilities",
        "total_debt",
        "growth",
        "price_target",
        "dividend_yield",
        "headcount",
        "leverage",
        "inventory",
        "goodwill",
        "payables",
        "receivables",
        "volatility",
        "equity",
        "shares_outstanding",
        "impairment",
        "restructuring",
    ]
)
_SEGMENT_WORD = r"(?:segment|division|class|unit|region|group|series|tranche|plant|fund|type|category|product|area)"
_STOP_LABELS = frozenset(
    {"total", "other", "in", "of", "the", "and", "", "a", "as", "at", "by", "for", "on", "to", "change", "amount"}
)


def naming_of(text: str, located: Evidence, reading: ChunkReading) -> tuple[Naming, str]:
    """Whether ``text`` names the located row and column, stays silent, or names another (with its label)."""
    if reading.is_prose(located):
        return _prose_naming(text, located, reading)
    row = _path_naming(text, located.row_path, reading.row_labels, tagged=_tagged_metric(located))
    if row[0] is Naming.OTHER:
        return row
    column = _path_naming(text, located.column_path, reading.column_labels, metrics=False)
    if column[0] is Naming.OTHER:
        return column
    return row


def _tagged_metric(located: Evidence) -> frozenset[str]:
    """The metric that the filer's own tag names, where the tag speaks of the issuer as a whole."""
    metric = metric_of(located.xbrl.concept) if located.xbrl and not located.xbrl.dimensions else None
    return frozenset({metric}) if metric else frozenset()


def _families(metrics: Iterable[str]) -> set[str]:
    found = set(metrics)
    return found | {_FAMILY[m] for m in found if m in _FAMILY}


def _path_naming(
    text: str,
    path: tuple[str, ...],
    labels: dict[str, str],
    *,
    metrics: bool = True,
    tagged: frozenset[str] = frozenset(),
) -> tuple[Naming, str]:
    if not path:
        return Naming.SILENT, ""
    own = {label_key(label) for label in path}
    mentions = _mentions(text, labels.keys() | {label_key(label) for label in path if not is_period_label(label)})
    named_metrics = metrics_in(text) if metrics else ()
    kept = [
        key
        for start, end, key in mentions
        if not any(s <= start and end <= e and e - s > end - start for s, e, _ in mentions)
        and not any(m.span.start <= start and end <= m.span.end and len(m.span) > end - start for m in named_metrics)
    ]
    innermost = label_key(path[-1])
    if innermost in kept:
        return Naming.NAMED, path[-1]
    spoken = {m.metric_id for m in named_metrics}
    # Under a heading that names one metric, a row that names another is of that other one.
    row_metric = metric_of(path[-1])
    path_metrics = {metric for metric in (metric_of(label) for label in path) if metric}
    own_metrics = ({row_metric} if row_metric else path_metrics) | tagged
    if _families(own_metrics) & spoken or own_metrics & _families(spoken):
        return Naming.NAMED, path[-1]
    others = [key for key in kept if key not in own and key in labels]
    if others:
        return Naming.OTHER, labels[others[0]]
    if metrics and own_metrics and spoken:
        for key, label in labels.items():
            if key not in own and metric_of(label) in spoken - _WEAK:
                return Naming.OTHER, label
        strong = sorted(spoken - _WEAK)
        if strong and not own & set(kept) and METRICS[min(own_metrics)].unit is Unit.MONEY:
            return Naming.OTHER, strong[0]
    return (Naming.NAMED if own & set(kept) else Naming.SILENT), path[-1]


def _mentions(text: str, keys: Iterable[str]) -> list[tuple[int, int, str]]:
    lower = text.lower().replace("’", "'")
    found: list[tuple[int, int, str]] = []
    for key in sorted(keys):
        if key in _STOP_LABELS and len(key) > 1:
            continue
        if len(key) <= 2:
            pattern = rf"\b{_SEGMENT_WORD}\s({re.escape(key)})(?!\w)"
            found += [(m.start(1), m.end(1), key) for m in re.finditer(pattern, lower)]
            continue
        at = lower.find(key)
        while at >= 0:
            end = at + len(key)
            if not (at and lower[at - 1].isalnum()) and not (end < len(lower) and lower[end].isalnum()):
                found.append((at, end, key))
            at = lower.find(key, end)
    return found


def _prose_naming(text: str, located: Evidence, reading: ChunkReading) -> tuple[Naming, str]:
    local = reading.local(located.span)
    sentence = reading.sentence_at(local.start)
    own = sentence.metric_near(local)
    spoken = {m.metric_id for m in metrics_in(text)}
    if own is None or not spoken:
        return Naming.SILENT, ""
    if _families({own}) & spoken or {own} & _families(spoken):
        return Naming.NAMED, own
    others = {m.metric_id for m in sentence.metrics} - {own}
    wrong = sorted((spoken & others) - _WEAK)
    return (Naming.OTHER, wrong[0]) if wrong else (Naming.SILENT, own)
