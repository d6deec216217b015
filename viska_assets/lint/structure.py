"""Rules on the bundle's form: unreadable pages, missing sections, index.md that drifted, malformed index and log."""

import posixpath
from collections.abc import Iterator

from viska_assets.lint.bundle import Bundle
from viska_assets.lint.findings import LintFinding
from viska_assets.model.page import Page
from viska_assets.model.verdict import Finding, Predicate, Severity
from viska_assets.okf.conformance import check_bundle, is_conformant
from viska_assets.okf.index import read_index, render_indexes
from viska_assets.okf.issue import Issue, Level
from viska_assets.okf.log import read_log

# these have rules of their own
_OWN_RULE = frozenset({"MISSING_SECTION", "TIMESTAMP", "BROKEN_LINK"})


def malformed_pages(bundle: Bundle) -> Iterator[LintFinding]:
    """Pages that cannot be read, and defects of form in those that can (P4)."""
    for path, summary in bundle.summaries.items():
        if summary.error is not None:
            is_foreign = bundle.policy.allow_foreign and is_conformant(
                check_bundle({path: bundle.snapshot.files[path]})
            )
            yield _of_issue(summary.error, "malformed_page", Severity.WARNING if is_foreign else Severity.HARD)
        verdict = bundle.verdicts.get(path)
        if verdict is not None:
            yield from (
                _of_finding(f) for f in verdict.findings if f.predicate is Predicate.P4 and f.code not in _OWN_RULE
            )
            continue
        for issue in summary.issues:
            if issue.code not in _OWN_RULE:
                hard = issue.level is Level.ERROR and not bundle.policy.allow_foreign
                yield _of_issue(issue, "malformed_page", Severity.HARD if hard else Severity.WARNING)


def missing_sections(bundle: Bundle) -> Iterator[LintFinding]:
    """Sections that a page of its type must have and has not."""
    for summary in bundle.summaries.values():
        for issue in summary.issues:
            if issue.code == "MISSING_SECTION":
                yield _of_issue(issue, "missing_section", Severity.WARNING)


def malformed_index_or_log(bundle: Bundle) -> Iterator[LintFinding]:
    """``index.md`` and ``log.md`` files that break OKF's rule C3."""
    for path in sorted(bundle.snapshot.files):
        name = posixpath.basename(path)
        text = bundle.snapshot.files[path]
        if name == "index.md":
            issues = read_index(text, path).issues
        elif name == "log.md":
            issues = read_log(text, path).issues
        else:
            continue
        for issue in issues:
            if issue.level is Level.ERROR:
                yield _of_issue(issue, "malformed_index_or_log", Severity.HARD)


def index_drift(bundle: Bundle) -> Iterator[LintFinding]:
    """Indexes that differ from what the pages of their folder give: missing, left over, or with other lines."""
    shown = {name: pair for name, pair in bundle.heads.items() if pair[0].path not in bundle.snapshot.withheld}
    pages = [Page(concept_id=name, head=head, body="") for name, (_, head) in shown.items()]
    expected = render_indexes(pages) if pages else {}
    actual = {path: text for path, text in bundle.snapshot.files.items() if posixpath.basename(path) == "index.md"}
    hint = "run viska lint --fix to render it again"
    for path in sorted({*expected, *actual}):
        if path not in actual:
            yield LintFinding(path, 1, 1, "index_drift", "INDEX_ABSENT", "the index is missing", hint=hint)
        elif path not in expected:
            message = "the index lists a folder without pages"
            yield LintFinding(path, 1, 1, "index_drift", "INDEX_LEFT_OVER", message, hint="remove it")
        elif actual[path] != expected[path]:
            line, message = _first_difference(actual[path], expected[path])
            yield LintFinding(path, line, 1, "index_drift", "INDEX_DRIFT", message, hint=hint)


def _first_difference(actual: str, expected: str) -> tuple[int, str]:
    have, want = actual.split("\n"), expected.split("\n")
    for number, (left, right) in enumerate(zip(have, want, strict=False), start=1):
        if left != right:
            return number, f"the line should read {right[:120]!r}"
    number = min(len(have), len(want)) + 1
    if len(have) < len(want):
        return number, f"the line {want[number - 1][:120]!r} is missing"
    return number, f"the line {have[number - 1][:120]!r} is too many"


def _of_issue(issue: Issue, rule: str, severity: Severity) -> LintFinding:
    return LintFinding(issue.path, issue.line, issue.column, rule, issue.code, issue.message, severity, issue.hint)


def _of_finding(found: Finding) -> LintFinding:
    return LintFinding(
        found.path, found.line, found.column, "malformed_page", found.code, found.message, found.severity, found.hint
    )
