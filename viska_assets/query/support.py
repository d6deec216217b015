"""Whether an answer is supported: P1 and P2 of the gate over its claims, as if they stood on a page."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from viska_assets.guardrail.gate import judge
from viska_assets.model.claim import Claim, ClaimKey
from viska_assets.model.page import ConceptType, Frontmatter, Generated, Page, SourceEntry
from viska_assets.model.verdict import Finding, Predicate, Severity
from viska_assets.model.views import EvidenceView
from viska_assets.okf.citations import escape_markdown
from viska_assets.okf.page import render_page
from viska_assets.query.answers import Answer, AnswerClaim, answer_of

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_ANSWER_PAGE = "events/answer"
_WANTED = frozenset({Predicate.P1, Predicate.P2})


class NoBundle:
    """A bundle that holds nothing: P1 and P2 ask the evidence alone."""

    def has_page(self, concept_id: str) -> bool:
        """No page."""
        return not concept_id

    def claims(self, key: ClaimKey) -> Sequence[Claim]:
        """No claim."""
        return ()

    def claim(self, claim_id: str) -> Claim | None:
        """No claim."""
        return None

    def disagreeing(self, key: ClaimKey) -> Iterable[Claim]:
        """No claim."""
        return ()


def support_codes(answer: Answer, evidence: EvidenceView) -> tuple[str, ...]:
    """The hard codes that P1 and P2 find where the answer stands on a page with its citations, sorted."""
    parts = [(claim.text, claim.sources) for claim in answer.claims] or [(answer.text, answer.sources)]
    return tuple(sorted({code for text, sources in parts for code in unsupported(text, sources, evidence)}))


def unsupported(text: str, sources: Sequence[SourceEntry], evidence: EvidenceView) -> tuple[str, ...]:
    """The hard codes that P1 and P2 find in one claim with its citations."""
    return tuple(sorted({f.code for f in support_findings(text, sources, evidence) if f.severity is Severity.HARD}))


def support_findings(text: str, sources: Sequence[SourceEntry], evidence: EvidenceView) -> tuple[Finding, ...]:
    """All that P1 and P2 find in one claim with its citations."""
    return _findings([(text, sources)], evidence)


def _findings(claims: Sequence[tuple[str, Sequence[SourceEntry]]], evidence: EvidenceView) -> tuple[Finding, ...]:
    """All that P1 and P2 find in claims that stand on one page, a bullet each."""
    entries = {entry.id: entry for _, sources in claims for entry in sources}
    head = Frontmatter(
        type=ConceptType.EVENT,
        title="Answer",
        sources=tuple(entries.values()),
        generated=Generated(by="viska-query/1", at=_EPOCH),
        timestamp=_EPOCH,
    )
    bullets = "\n".join(f"* {escape_markdown(text)}{_marks(sources)}" for text, sources in claims)
    page = Page(concept_id=_ANSWER_PAGE, head=head, body=f"# Answer\n\n{bullets}\n")
    return judge(render_page(page), page.path, NoBundle(), evidence, predicates=_WANTED).findings


def _marks(sources: Sequence[SourceEntry]) -> str:
    operands = {name for entry in sources if entry.computation for name in entry.computation.operands.values()}
    return "".join(f"[^{entry.id}]" for entry in sources if entry.id not in operands)


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
    whole = _findings([(claim.text, claim.sources) for claim in first], evidence) if first else ()
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
