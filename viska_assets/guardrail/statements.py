"""P1 and P2 over statements that stand on no page: each is put on one, a bullet with its citations, and judged."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from viska_assets.guardrail.gate import judge
from viska_assets.model.claim import Claim, ClaimKey
from viska_assets.model.page import ConceptType, Frontmatter, Generated, Page, SourceEntry
from viska_assets.model.verdict import Finding, Predicate
from viska_assets.model.views import EvidenceView
from viska_assets.okf.citations import escape_markdown
from viska_assets.okf.page import render_page

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_PAGE = "events/answer"
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


def statement_findings(
    claims: Sequence[tuple[str, Sequence[SourceEntry]]], evidence: EvidenceView
) -> tuple[Finding, ...]:
    """All that P1 and P2 find in statements, each a text with its citations."""
    entries = {entry.id: entry for _, sources in claims for entry in sources}
    head = Frontmatter(
        type=ConceptType.EVENT,
        title="Answer",
        sources=tuple(entries.values()),
        generated=Generated(by="viska-query/1", at=_EPOCH),
        timestamp=_EPOCH,
    )
    bullets = "\n".join(f"* {escape_markdown(text)}{_marks(sources)}" for text, sources in claims)
    page = Page(concept_id=_PAGE, head=head, body=f"# Answer\n\n{bullets}\n")
    return judge(render_page(page), page.path, NoBundle(), evidence, predicates=_WANTED).findings


def _marks(sources: Sequence[SourceEntry]) -> str:
    operands = {name for entry in sources if entry.computation for name in entry.computation.operands.values()}
    return "".join(f"[^{entry.id}]" for entry in sources if entry.id not in operands)
