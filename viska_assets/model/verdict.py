"""What the gate says of a page: findings with a code, a place, the nearest evidence and a mend."""

from dataclasses import dataclass
from enum import StrEnum

from viska_assets.model.span import Span


class Predicate(StrEnum):
    """The four predicates of the gate, by the names of their asset checks."""

    P1 = "p1_provenanced_claim"
    P2 = "p2_grounded_number"
    P3 = "p3_superseded_contradiction"
    P4 = "p4_well_formed_concept"


class Severity(StrEnum):
    """Whether a finding quarantines the draft or is only shown."""

    HARD = "hard"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class NearEvidence:
    """Evidence shown beside a finding: what the source prints at the locator, or next to it."""

    evidence_id: str
    printed: str
    reading: str
    labels: str
    span: Span


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation: ``line`` and ``column`` count from 1 in the page file, ``span`` is in characters of it."""

    code: str
    predicate: Predicate
    severity: Severity
    message: str
    path: str
    line: int
    column: int
    span: Span
    claim: str = ""
    figure: str = ""
    cited: str = ""
    nearest: tuple[NearEvidence, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The gate's answer for one page: it passes unless a hard finding stands."""

    path: str
    findings: tuple[Finding, ...]
    rules: str

    @property
    def passed(self) -> bool:
        """Whether no hard finding stands."""
        return not any(finding.severity is Severity.HARD for finding in self.findings)

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the hard findings, sorted, each once."""
        return tuple(sorted({f.code for f in self.findings if f.severity is Severity.HARD}))
