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
from viska_assets.model.verdict import Severity


@dataclass(frozen=True, slots=True)
class LintRule:
    """A rule. ``severity`` is that of its gravest finding; ``needs_gate`` rules are skipped without a judge."""

    name: str
    severity: Severity
    check: Callable[[Bundle], Iterator[LintFinding]]
    needs_gate: bool = False
    fixable: bool = False

    @property
    def description(self) -> str:
        """What the rule finds, in one sentence."""
        return (self.check.__doc__ or "").strip().split("\n")[0]


RULES: tuple[LintRule, ...] = (
    LintRule("provenance", Severity.HARD, provenance, needs_gate=True),
    LintRule("contradiction", Severity.HARD, contradictions, needs_gate=True),
    LintRule("broken_citation", Severity.HARD, broken_citations),
    LintRule("supersession", Severity.HARD, supersession),
    LintRule("malformed_page", Severity.HARD, malformed_pages),
    LintRule("malformed_index_or_log", Severity.HARD, malformed_index_or_log, fixable=True),
    LintRule("broken_link", Severity.WARNING, broken_links),
    LintRule("orphan", Severity.WARNING, orphans),
    LintRule("index_drift", Severity.WARNING, index_drift, fixable=True),
    LintRule("stale", Severity.WARNING, stale_pages),
    LintRule("duplicate_concept", Severity.WARNING, duplicate_concepts),
    LintRule("missing_section", Severity.WARNING, missing_sections),
    LintRule("coverage_gap", Severity.WARNING, coverage_gaps),
    LintRule("unlinked_mention", Severity.WARNING, unlinked_mentions),
    LintRule("undefined_abbreviation", Severity.WARNING, undefined_abbreviations),
    LintRule("aged_quarantine", Severity.WARNING, aged_quarantine),
)
