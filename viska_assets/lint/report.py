"""What a lint run found: counts by rule, findings by place, as rows, as lines and as a summary to read."""

import posixpath
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from viska_assets.lint.bundle import LintState
from viska_assets.lint.findings import LintFinding
from viska_assets.model.lint import Gravity
from viska_assets.model.verdict import Severity
from viska_assets.okf.slugs import RESERVED_NAMES

_SHOWN = 40


@dataclass(frozen=True, slots=True)
class RuleResult:
    """How many findings a rule made; None where it did not run."""

    name: str
    gravity: Gravity
    description: str
    findings: int | None


@dataclass(frozen=True)
class LintReport:
    """A run's findings by place. ``state`` makes the next run incremental."""

    as_of: datetime
    pages: int
    results: tuple[RuleResult, ...]
    findings: tuple[LintFinding, ...]
    state: LintState

    @property
    def hard(self) -> tuple[LintFinding, ...]:
        """The findings that quarantine their page."""
        return tuple(finding for finding in self.findings if finding.severity is Severity.HARD)

    @property
    def condemned(self) -> tuple[str, ...]:
        """The paths with a hard finding, sorted, each once."""
        return tuple(sorted({finding.path for finding in self.hard}))

    @property
    def codes_by_concept(self) -> dict[str, tuple[str, ...]]:
        """By concept, the codes of the hard findings on its page; generated files are no concept's."""
        found: dict[str, set[str]] = {}
        for finding in self.hard:
            if posixpath.basename(finding.path) not in RESERVED_NAMES:
                found.setdefault(finding.path.removesuffix(".md"), set()).add(finding.code)
        return {concept: tuple(sorted(codes)) for concept, codes in found.items()}

    def of_rule(self, name: str) -> tuple[LintFinding, ...]:
        """The findings of one rule."""
        return tuple(finding for finding in self.findings if finding.rule == name)

    def as_rows(self) -> list[dict[str, Any]]:
        """The findings as flat rows."""
        return [finding.as_row() for finding in self.findings]

    def as_markdown(self) -> str:
        """A summary for people: one line a rule, then the first findings, gravest first."""
        hard, warnings = len(self.hard), len(self.findings) - len(self.hard)
        lines = [
            f"**{self.pages} pages** as of {self.as_of.isoformat()}: {hard} hard, {warnings} warnings.",
            "",
            "| Rule | Findings | Gravity | What it finds |",
            "| --- | ---: | --- | --- |",
        ]
        for result in self.results:
            count = "not run" if result.findings is None else str(result.findings)
            lines.append(f"| {result.name} | {count} | {result.gravity.value} | {result.description} |")
        if self.findings:
            ordered = sorted(self.findings, key=lambda finding: (finding.severity is not Severity.HARD, finding))
            lines.extend(["", "| Place | Code | Finding |", "| --- | --- | --- |"])
            lines.extend(f"| {f.path}:{f.line} | {f.code} | {_cell(f.message)} |" for f in ordered[:_SHOWN])
            if len(ordered) > _SHOWN:
                lines.extend(["", f"… and {len(ordered) - _SHOWN} more."])
        return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
