"""One lint run: every rule over a snapshot of the bundle, as of a moment that the caller names."""

from collections.abc import Sequence
from datetime import datetime

from viska_assets.lint.bundle import Bundle, BundleSnapshot, LintState
from viska_assets.lint.findings import LintFinding
from viska_assets.lint.policy import LintPolicy, weigh
from viska_assets.lint.report import LintReport, RuleResult
from viska_assets.lint.rules import RULES, LintRule
from viska_assets.model.lint import Gravity


def lint_bundle(
    snapshot: BundleSnapshot,
    as_of: datetime,
    *,
    rules: Sequence[LintRule] = RULES,
    policy: LintPolicy | None = None,
    before: LintState | None = None,
) -> LintReport:
    """Run lint rules over a bundle.

    Args:
        snapshot: The bundle.
        as_of: The moment as of which staleness is judged; no clock is read.
        rules: The rules to run, in the order of the report.
        policy: What the desk sets.
        before: The state of an earlier run; pages of which nothing changed are not read or judged again, and the
            report is the same as without it.

    Returns:
        The findings sorted by place, a result per rule, and the state for the next run.
    """
    bundle = Bundle(snapshot, as_of, policy or LintPolicy(), before or LintState())
    findings: list[LintFinding] = []
    results: list[RuleResult] = []
    for rule in rules:
        gravity = bundle.policy.gravity.get(rule.name, Gravity(rule.severity.value))
        if gravity is Gravity.OFF or (rule.needs_gate and snapshot.judge is None):
            results.append(RuleResult(rule.name, gravity, rule.description, None))
            continue
        found = [weigh(finding, rule.severity, gravity) for finding in rule.check(bundle)]
        findings.extend(found)
        results.append(RuleResult(rule.name, gravity, rule.description, len(found)))
    return LintReport(as_of, len(bundle.summaries), tuple(results), tuple(sorted(findings)), bundle.state)
