"""What a desk may set of lint, and how it is read from the ``lint`` section of the policy file."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta

from viska_assets.lint.findings import LintFinding
from viska_assets.model.lint import Gravity
from viska_assets.model.page import ConceptType
from viska_assets.model.verdict import Severity
from viska_assets.store.policy import LintSection


@dataclass(frozen=True)
class LintPolicy:
    """What a desk may set.

    Attributes:
        freshness: How long a page of a type stays fresh where it does not say so itself.
        allow_foreign: Whether what OKF allows and Viska's page grammar does not (other types, ...) is only a warning.
        patience: How long a draft may wait in quarantine.
        known_abbreviations: What the desk need not have explained, beside the common ones.
        gravity: How grave a rule is by its name, where the desk wants another gravity than the rule's own.
    """

    freshness: Mapping[ConceptType, timedelta] = field(default_factory=dict)
    allow_foreign: bool = False
    patience: timedelta = timedelta(days=7)
    known_abbreviations: frozenset[str] = frozenset()
    gravity: Mapping[str, Gravity] = field(default_factory=dict)


def lint_policy(section: LintSection) -> LintPolicy:
    """The policy that a desk's file states."""
    return LintPolicy(
        freshness={kind: timedelta(days=days) for kind, days in section.freshness_days.items()},
        patience=timedelta(days=section.patience_days),
        known_abbreviations=frozenset(section.known_abbreviations),
        gravity={rule.value: gravity for rule, gravity in section.severity.items()},
    )


def weigh(found: LintFinding, own: Severity, gravity: Gravity) -> LintFinding:
    """A finding as grave as the desk has it.

    Args:
        found: The finding, as grave as the rule made it.
        own: The rule's own gravity, which leaves its findings as they are: of a hard rule some may be warnings.
        gravity: The gravity in force.
    """
    if gravity.value == own.value:
        return found
    return replace(found, severity=Severity(gravity.value))
