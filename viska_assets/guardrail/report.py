"""Verdicts in the forms that people and tools read: compiler lines, JSON, GitHub annotations, SARIF."""

import json
from collections.abc import Iterable, Sequence

from viska_assets.guardrail.code_texts import CODES
from viska_assets.model.verdict import Finding, Severity, Verdict

_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


def as_lines(verdicts: Iterable[Verdict]) -> str:
    """One line a finding: ``file:line:col: severity CODE message`` and its hint, as a compiler prints."""
    lines = []
    for verdict in verdicts:
        for finding in verdict.findings:
            severity = "error" if finding.severity is Severity.HARD else "warning"
            lines.append(f"{finding.path}:{finding.line}:{finding.column}: {severity} {finding.code} {finding.message}")
            if finding.severity is Severity.HARD and finding.hint:
                lines.append(f"    mend: {finding.hint}")
    return "".join(f"{line}\n" for line in lines)


def finding_value(finding: Finding) -> dict[str, object]:
    """A finding as plain JSON values, in a fixed key order."""
    return {
        "code": finding.code,
        "predicate": finding.predicate.value,
        "severity": finding.severity.value,
        "message": finding.message,
        "path": finding.path,
        "line": finding.line,
        "column": finding.column,
        "span": [finding.span.start, finding.span.end],
        "claim": finding.claim,
        "figure": finding.figure,
        "cited": finding.cited,
        "nearest": [
            {
                "evidence": n.evidence_id,
                "printed": n.printed,
                "reading": n.reading,
                "labels": n.labels,
                "span": [n.span.start, n.span.end],
            }
            for n in finding.nearest
        ],
        "hint": finding.hint,
    }


def verdict_value(verdict: Verdict) -> dict[str, object]:
    """A verdict as plain JSON values."""
    return {
        "path": verdict.path,
        "passed": verdict.passed,
        "rules": verdict.rules,
        "codes": list(verdict.codes),
        "findings": [finding_value(finding) for finding in verdict.findings],
    }


def verdict_json(verdict: Verdict) -> str:
    """A verdict as JSON; the same verdict always gives the same bytes."""
    return json.dumps(verdict_value(verdict), ensure_ascii=False, indent=2) + "\n"


def as_json(verdicts: Iterable[Verdict]) -> str:
    """Several verdicts as one JSON array."""
    return json.dumps([verdict_value(verdict) for verdict in verdicts], ensure_ascii=False, indent=2) + "\n"


def as_github(verdicts: Iterable[Verdict]) -> str:
    """GitHub workflow commands, which show findings beside the lines of a pull request."""
    lines = []
    for verdict in verdicts:
        for finding in verdict.findings:
            level = "error" if finding.severity is Severity.HARD else "warning"
            file, title = _property(finding.path), _property(finding.code)
            place = f"file={file},line={finding.line},col={finding.column},title={title}"
            lines.append(f"::{level} {place}::{_data(finding.message)}")
    return "".join(f"{line}\n" for line in lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def as_sarif(verdicts: Sequence[Verdict]) -> str:
    """SARIF 2.1.0 for code-scanning viewers."""
    rules = [
        {"id": str(info.code), "shortDescription": {"text": info.says}, "help": {"text": info.mend}}
        for info in CODES.values()
    ]
    results = [
        {
            "ruleId": finding.code,
            "level": "error" if finding.severity is Severity.HARD else "warning",
            "message": {"text": finding.message},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": finding.path},
                        "region": {"startLine": finding.line, "startColumn": finding.column},
                    }
                }
            ],
        }
        for verdict in verdicts
        for finding in verdict.findings
    ]
    version = verdicts[0].rules if verdicts else ""
    driver = {"name": "viska-gate", "version": version, "rules": rules}
    log = {"$schema": _SARIF, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"
