"""What labels and sentences say of a figure's basis (GAAP, IFRS, non-GAAP) and scenario (actual, guidance, …)."""

# ruff: noqa: E501 (one alternative of a pattern a line)
import re
from collections.abc import Iterable

from viska_assets.model.evidence import Basis, Scenario

_NON_GAAP = re.compile(
    r"\bnon[\s-]?(?:GAAP|IFRS)\b|\badjusted\b|\bpro[\s-]forma\b|\borganic\b|\bcore (?:EPS|earnings)\b|\bconstant[\s-]currency\b"
    r"|\bunderlying\b|\bexcluding special items\b|\bfree cash flow\b|\bEBITDA\b",
    re.IGNORECASE,
)
_GAAP = re.compile(r"(?<!non[\s-])(?<!non)\b(?:US |U\.S\. )?GAAP\b", re.IGNORECASE)
_IFRS = re.compile(r"(?<!non[\s-])\bIFRS\b|\bIAS \d", re.IGNORECASE)
_SCENARIOS = (
    (
        Scenario.GUIDANCE,
        re.compile(
            r"\b(?:guidance|outlook|we expect|expects? to|is expected to|are expected to|anticipates?|targets? for)\b",
            re.I,
        ),
    ),
    (Scenario.CONSENSUS, re.compile(r"\bconsensus\b", re.I)),
    (
        Scenario.ESTIMATE,
        re.compile(r"\b(?:estimates? for (?:FY|20|Q)|our estimates?|forecasts?|projected|(?:FY|20)\d\d[Ee])\b"),
    ),
)


def basis_of(labels: Iterable[str]) -> Basis | None:
    """The basis that the labels state; None where they state none or both."""
    text = " | ".join(labels)
    if _NON_GAAP.search(text):
        return None if _GAAP.search(re.sub(r"non[\s-]?GAAP", "", text, flags=re.I)) else Basis.NON_GAAP
    if _IFRS.search(text):
        return Basis.IFRS
    return Basis.GAAP if _GAAP.search(text) else None


def scenario_of(labels: Iterable[str]) -> Scenario | None:
    """The scenario that the labels state; None where they state none."""
    text = " | ".join(labels)
    return next((scenario for scenario, pattern in _SCENARIOS if pattern.search(text)), None)
