"""What labels and sentences say of a figure's basis (GAAP, IFRS, non-GAAP) and scenario (actual, guidance, …)."""

# ruff: noqa: E501 (one alternative of a pattern a line)
import re
from collections.abc import Sequence
from functools import lru_cache

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


_NON_GAAP_WORD = re.compile(r"non[\s-]?GAAP", re.IGNORECASE)


def basis_of(labels: Sequence[str]) -> Basis | None:
    """The basis that the labels state; None where they state none or both."""
    stated = {basis for label in labels for basis in _bases_in(label)}
    if Basis.NON_GAAP in stated:
        beside = any(_GAAP.search(_NON_GAAP_WORD.sub("", label)) for label in labels)
        return None if beside else Basis.NON_GAAP
    if Basis.IFRS in stated:
        return Basis.IFRS
    return Basis.GAAP if Basis.GAAP in stated else None


@lru_cache(maxsize=16384)
def _bases_in(label: str) -> tuple[Basis, ...]:
    patterns = ((Basis.NON_GAAP, _NON_GAAP), (Basis.IFRS, _IFRS), (Basis.GAAP, _GAAP))
    return tuple(basis for basis, pattern in patterns if pattern.search(label))


def scenario_of(labels: Sequence[str]) -> Scenario | None:
    """The scenario that the labels state; None where they state none."""
    stated = {scenario for label in labels for scenario in _scenarios_in(label)}
    return next((scenario for scenario, _ in _SCENARIOS if scenario in stated), None) if stated else None


@lru_cache(maxsize=16384)
def _scenarios_in(label: str) -> tuple[Scenario, ...]:
    return tuple(scenario for scenario, pattern in _SCENARIOS if pattern.search(label))
