"""P1: every claim unit carries a citation, and every citation resolves to stored, unchanged, standing text."""

import re
from collections.abc import Iterable, Iterator

from viska_assets.guardrail.binding import Binder, cited_in
from viska_assets.guardrail.codes import Code
from viska_assets.guardrail.findings import Desk, file_span
from viska_assets.model.claim_unit import ClaimUnit, UnitKind
from viska_assets.model.span import Span
from viska_assets.model.verdict import Finding

_WORDS = re.compile(r"[A-Za-z]{2,}|\d")
_NO_CLAIM = frozenset({"heading", "label", "navigation", "citations"})


def needs_citation(unit: ClaimUnit) -> bool:
    """Whether P1 asks a citation of a unit: by default yes; a cell only if it holds a digit."""
    if unit.exempt or unit.kind is UnitKind.HEADING:
        return False
    if unit.kind is UnitKind.CELL:
        return any(char.isdigit() for char in unit.text)
    return _WORDS.search(unit.text) is not None


def check_provenance(units: Iterable[ClaimUnit], binder: Binder, desk: Desk) -> Iterator[Finding]:
    """The P1 findings of a page, in reading order."""
    for unit in units:
        if not unit.marks and needs_citation(unit):
            message = f"no citation: {unit.text[:80]!r}"
            yield desk.finding(Code.NO_CITATION, message, file_span(unit, 0, len(unit.text)), claim=unit.text)
        if unit.exempt in _NO_CLAIM and unit.exempt != "heading":
            continue
        yield from _check_marks(unit, binder, desk)


def _check_marks(unit: ClaimUnit, binder: Binder, desk: Desk) -> Iterator[Finding]:
    for mark in unit.marks:
        for source_id in cited_in(binder, mark.source_id):
            bound = binder.bind(source_id)
            if bound is None:
                message = f"[^{source_id}] is no source of this page"
                yield desk.finding(Code.DANGLING_CITATION, message, mark.span, claim=unit.text, cited=source_id)
                continue
            if bound.code is not None:
                message = f"[^{source_id}]: {bound.detail}"
                yield desk.finding(bound.code, message, mark.span, claim=unit.text, cited=source_id)
            elif bound.reading is not None:
                yield from _advise(
                    bound.entry.content_sha256, bound.reading.chunk.authenticated, source_id, unit, mark.span, desk
                )


def _advise(
    sha256: str, authenticated: bool, source_id: str, unit: ClaimUnit, span: Span, desk: Desk
) -> Iterator[Finding]:
    if not sha256:
        yield desk.finding(Code.HASH_MISSING, f"[^{source_id}] pins no text", span, claim=unit.text, cited=source_id)
    if not authenticated:
        message = f"[^{source_id}] comes from a sender that was not authenticated"
        yield desk.finding(Code.SOURCE_UNAUTHENTICATED, message, span, claim=unit.text, cited=source_id)
