"""What lint says: findings of named rules, with a place and a mend."""

from dataclasses import dataclass
from typing import Any

from viska_assets.model.verdict import Severity


@dataclass(frozen=True, slots=True, order=True)
class LintFinding:
    """One remark of one rule: ``line`` and ``column`` count from 1 in the file ``path``."""

    path: str
    line: int
    column: int
    rule: str
    code: str
    message: str
    severity: Severity = Severity.WARNING
    hint: str = ""

    def as_row(self) -> dict[str, Any]:
        """The finding as a flat row for tables and JSON."""
        return {
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "rule": self.rule,
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "hint": self.hint,
        }

    def as_line(self) -> str:
        """The finding as a compiler prints it."""
        return f"{self.path}:{self.line}:{self.column}: {self.severity.value} {self.code}: {self.message}"
