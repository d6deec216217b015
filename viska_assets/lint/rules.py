"""The registry of lint rules: name, what it finds, how grave it is, and the function that finds it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from viska_assets.lint.audit import contradictions, provenance
from viska_assets.lint.bundle import Bundle
from viska_assets.lint.concepts import coverage_gaps, duplicate_concepts
from viska_assets.lint.findings import LintFinding
from viska_assets.lint.links_and_citations import broken_citations, broken_links, orphans
from viska_assets.lint.structure import index_drift, malformed_index_or_log, malformed_pages, missing_sections
from viska_assets.lint.time_and_claims import aged_quarantine, stale_pages, supersession
from viska_assets.lint.words import undefined_abbreviations, unlinked_mentions
from viska_assets.model.lint import RuleName
from viska_assets.model.verdict import Severity


@dataclass(frozen=True, slots=True)
class LintRule:
    """A rule; ``needs_gate`` rules are skipped without a judge.

    ``severity`` is that of its gravest finding, unless the desk sets another.
    """

    name: RuleName
    severity: Severity
    check: Callable[[Bundle], Iterator[LintFinding]]
    needs_gate: bool = False
    fixable: bool = False

    @property
    def description(self) -> str:
        """What the rule finds, in one sentence."""
        return (self.check.__doc__ or "").strip().split("\n")[0]


RULES: tuple[LintRule, ...] = (
    LintRule(RuleName.PROVENANCE, Severity.HARD, provenance, needs_gate=True),
    LintRule(RuleName.CONTRADICTION, Severity.HARD, contradictions, needs_gate=True),
    LintRule(RuleName.BROKEN_CITATION, Severity.HARD, broken_citations),
    LintRule(RuleName.SUPERSESSION, Severity.HARD, supersession),
    LintRule(RuleName.MALFORMED_PAGE, Severity.HARD, malformed_pages),
    LintRule(RuleName.MALFORMED_INDEX_OR_LOG, Severity.HARD, malformed_index_or_log, fixable=True),
    LintRule(RuleName.BROKEN_LINK, Severity.WARNING, broken_links),
    LintRule(RuleName.ORPHAN, Severity.WARNING, orphans),
    LintRule(RuleName.INDEX_DRIFT, Severity.WARNING, index_drift, fixable=True),
    LintRule(RuleName.STALE, Severity.WARNING, stale_pages),
    LintRule(RuleName.DUPLICATE_CONCEPT, Severity.WARNING, duplicate_concepts),
    LintRule(RuleName.MISSING_SECTION, Severity.WARNING, missing_sections),
    LintRule(RuleName.COVERAGE_GAP, Severity.WARNING, coverage_gaps),
    LintRule(RuleName.UNLINKED_MENTION, Severity.WARNING, unlinked_mentions),
    LintRule(RuleName.UNDEFINED_ABBREVIATION, Severity.WARNING, undefined_abbreviations),
    LintRule(RuleName.AGED_QUARANTINE, Severity.WARNING, aged_quarantine),
)
