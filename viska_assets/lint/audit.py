"""Rules that ask the gate again: provenance (P1 and P2) and contradiction (P3) over every page of the bundle."""

from collections.abc import Iterator

from viska_assets.guardrail.codes import Code
from viska_assets.lint.bundle import Bundle
from viska_assets.lint.findings import LintFinding
from viska_assets.model.verdict import Predicate


def provenance(bundle: Bundle) -> Iterator[LintFinding]:
    """Claims without a source and numbers that their evidence does not bear out (P1, P2)."""
    yield from _of_gate(bundle, "provenance", frozenset({Predicate.P1, Predicate.P2}))


def contradictions(bundle: Bundle) -> Iterator[LintFinding]:
    """Claims that contradict one another without superseding (P3), and pages that a waiting draft contradicts."""
    yield from _of_gate(bundle, "contradiction", frozenset({Predicate.P3}))
    for draft in sorted(bundle.snapshot.quarantine, key=lambda draft: (draft.path, draft.since, draft.document)):
        if Code.CONTRADICTION in draft.codes and draft.path in bundle.summaries:
            message = f"{draft.document or 'a document'} says otherwise and waits in quarantine"
            hint = "decide which of the two stands: resubmit the draft as a correction, or discard it with a reason"
            yield LintFinding(draft.path, 1, 1, "contradiction", "SOURCE_CONTRADICTS", message, hint=hint)


def _of_gate(bundle: Bundle, rule: str, predicates: frozenset[Predicate]) -> Iterator[LintFinding]:
    for verdict in bundle.verdicts.values():
        for found in verdict.findings:
            if found.predicate in predicates:
                yield LintFinding(
                    found.path, found.line, found.column, rule, found.code, found.message, found.severity, found.hint
                )
