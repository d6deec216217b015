"""Grades of one answer: correctness against gold, citations and fabrication by the gate's own predicates."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from viska_assets.guardrail.gate import judge
from viska_assets.model.page import ConceptType, Frontmatter, Generated, Page
from viska_assets.model.verdict import Predicate, Severity
from viska_assets.model.views import BundleView, EvidenceView
from viska_assets.okf.citations import escape_markdown
from viska_assets.okf.page import render_page
from viska_assets.parity.eval_set import NumberAnswer, TextAnswer
from viska_assets.query.answers import Answer

CORRECT, PARTIAL, WRONG = 2, 1, 0
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_ANSWER_PAGE = "events/answer"


@dataclass(frozen=True)
class Grade:
    """How good one answer is. ``cited`` and ``fabricated`` are None for an abstention."""

    correct: int
    cited: bool | None
    fabricated: bool | None
    codes: tuple[str, ...] = ()


def grade(answer: Answer, gold: NumberAnswer | TextAnswer, bundle: BundleView, evidence: EvidenceView) -> Grade:
    """Grades an answer; an abstention is wrong, and neither cited nor fabricated."""
    if answer.abstains:
        return Grade(WRONG, None, None)
    codes = support_codes(answer, bundle, evidence)
    correct = _number(answer, gold) if isinstance(gold, NumberAnswer) else _text(answer, gold)
    return Grade(correct, cited=not codes, fabricated=bool(codes), codes=codes)


def support_codes(answer: Answer, bundle: BundleView, evidence: EvidenceView) -> tuple[str, ...]:
    """The hard codes that P1 and P2 find where the answer stands on a page with its citations."""
    marks = "".join(f"[^{entry.id}]" for entry in answer.sources if not _is_operand(entry.id, answer))
    head = Frontmatter(
        type=ConceptType.EVENT,
        title="Answer",
        sources=answer.sources,
        generated=Generated(by="viska-parity/1", at=_EPOCH),
        timestamp=_EPOCH,
    )
    page = Page(concept_id=_ANSWER_PAGE, head=head, body=f"# Answer\n\n* {escape_markdown(answer.text)}{marks}\n")
    wanted = frozenset({Predicate.P1, Predicate.P2})
    verdict = judge(render_page(page), page.path, bundle, evidence, predicates=wanted)
    return tuple(sorted({f.code for f in verdict.findings if f.severity is Severity.HARD}))


def _is_operand(source_id: str, answer: Answer) -> bool:
    return any(e.computation and source_id in e.computation.operands.values() for e in answer.sources)


def _number(answer: Answer, gold: NumberAnswer) -> int:
    """2 for the right value (to the coarser printed precision), unit and period; 1 for the right value alone."""
    if answer.value is None or abs(answer.value - gold.value) > answer.quantum / 2:
        return WRONG
    right_unit = answer.unit is gold.unit and gold.currency in (None, answer.currency)
    right_period = gold.period_end is None or answer.period is None or answer.period.end == gold.period_end
    return CORRECT if right_unit and right_period else PARTIAL


def _text(answer: Answer, gold: TextAnswer) -> int:
    """2 where every required fact occurs, 1 where some do."""
    said = _folded(answer.text)
    present = [fact for fact in gold.facts if _folded(fact) in said]
    if len(present) == len(gold.facts):
        return CORRECT
    return PARTIAL if present else WRONG


def _folded(text: str) -> str:
    return " ".join(re.sub(r"[^\w.%$-]+", " ", text.lower()).split())
