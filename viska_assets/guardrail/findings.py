"""Building findings: places in the page file, nearest evidence and repair hints."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from viska_assets.guardrail.binding import Bound, describe
from viska_assets.guardrail.code_texts import CODES
from viska_assets.guardrail.codes import Code
from viska_assets.model.claim_unit import ClaimUnit
from viska_assets.model.evidence import Evidence
from viska_assets.model.span import Span
from viska_assets.model.verdict import Finding, NearEvidence
from viska_assets.okf.positions import LineTable

_SHOWN = 3


@dataclass
class Desk:
    """Where findings are written: knows the page's path and lines."""

    path: str
    line_starts: Sequence[int]

    @classmethod
    def of(cls, path: str, text: str) -> "Desk":
        """A desk for a page file."""
        return cls(path, LineTable.of(text).starts)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, counted from 1."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def finding(
        self,
        code: Code,
        message: str,
        span: Span,
        *,
        claim: str = "",
        figure: str = "",
        cited: str = "",
        nearest: Iterable[NearEvidence] = (),
        hint: str = "",
    ) -> Finding:
        """A finding of one of the gate's codes."""
        info = CODES[code]
        line, column = self.place(span.start)
        return Finding(
            str(code),
            info.predicate,
            info.severity,
            message,
            self.path,
            line,
            column,
            span,
            claim,
            figure,
            cited,
            tuple(nearest),
            hint or info.mend,
        )


def file_span(unit: ClaimUnit, start: int, end: int) -> Span:
    """A span of a unit's text in the page file."""
    first = unit.offsets.to_source(start)
    last = unit.offsets.to_source(max(start, end - 1)) + 1
    return Span(first, max(first, last))


def near(evidence: Evidence) -> NearEvidence:
    """Evidence as a finding shows it."""
    unit = evidence.currency or evidence.unit.value
    reading = f"{format(evidence.value.normalize(), 'f')} {unit}"
    labels = " / ".join(evidence.row_path)
    if evidence.column_path:
        labels = f"{labels} × {' / '.join(evidence.column_path)}"
    return NearEvidence(evidence.evidence_id, evidence.printed, reading, labels, evidence.span)


def nearest_to(value: object, evidence: Iterable[Evidence], limit: int = _SHOWN) -> tuple[NearEvidence, ...]:
    """The evidence whose magnitude comes nearest to a value, in a fixed order."""
    from decimal import Decimal

    target = abs(value) if isinstance(value, Decimal) else Decimal(0)
    ordered = sorted(evidence, key=lambda e: (abs(abs(e.value) - target), e.span))
    return tuple(near(e) for e in ordered[:limit])


def cited_words(bound: Bound) -> str:
    """Chunk and locator of a citation in words."""
    return f"{bound.entry.id}: {bound.entry.chunk or 'computation'} at {describe(bound.entry.locator)}"
