"""Whether an answer is supported: P1 and P2 of the gate over its claims, as if they stood on a page."""

from collections.abc import Sequence

from viska_assets.guardrail.statements import statement_findings
from viska_assets.model.page import SourceEntry
from viska_assets.model.verdict import Finding, Severity
from viska_assets.model.views import EvidenceView
from viska_assets.query.answers import Answer, AnswerClaim, answer_of


def unsupported(text: str, sources: Sequence[SourceEntry], evidence: EvidenceView) -> tuple[str, ...]:
    """The hard codes that P1 and P2 find in one claim with its citations."""
    return tuple(sorted({f.code for f in support_findings(text, sources, evidence) if f.severity is Severity.HARD}))


def support_findings(text: str, sources: Sequence[SourceEntry], evidence: EvidenceView) -> tuple[Finding, ...]:
    """All that P1 and P2 find in one claim with its citations."""
    return statement_findings([(text, sources)], evidence)


def supported_answer(
    claims: Sequence[AnswerClaim], pages_opened: tuple[str, ...], evidence: EvidenceView, limit: int
) -> Answer:
    """The answer of the first claims that the gate lets pass; an abstention with the codes where none does.

    Args:
        claims: what the answerer would say, best first.
        pages_opened: the pages that were read for it.
        evidence: the retrieval tier by chunk id.
        limit: how many claims an answer may hold.
    """
    first = list(claims[:limit])
    whole = statement_findings([(claim.text, claim.sources) for claim in first], evidence) if first else ()
    if first and not any(finding.severity is Severity.HARD for finding in whole):
        return answer_of(first, pages_opened)
    kept: list[AnswerClaim] = []
    withheld: list[str] = []
    for claim in claims:
        if len(kept) == limit:
            break
        codes = unsupported(claim.text, claim.sources, evidence)
        if codes:
            withheld.append(f"{', '.join(codes)}: {claim.text[:80]}")
        else:
            kept.append(claim)
    if kept:
        return answer_of(kept, pages_opened, withheld=withheld)
    return Answer(
        reason=f"withheld, because the gate does not find it supported ({withheld[0]})"
        if withheld
        else "no claim fits",
        pages_opened=pages_opened,
        withheld=tuple(withheld),
    )
