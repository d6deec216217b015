"""Grades of one answer: correctness against gold, citations and fabrication by the gate's own predicates."""

import re
from dataclasses import dataclass

from viska_assets.model.views import EvidenceView
from viska_assets.parity.eval_set import NumberAnswer, TextAnswer
from viska_assets.query.answers import Answer
from viska_assets.query.support import support_codes

CORRECT, PARTIAL, WRONG = 2, 1, 0


@dataclass(frozen=True)
class Grade:
    """How good one answer is. ``cited`` and ``fabricated`` are None for an abstention."""

    correct: int
    cited: bool | None
    fabricated: bool | None
    codes: tuple[str, ...] = ()


def grade(answer: Answer, gold: NumberAnswer | TextAnswer, evidence: EvidenceView) -> Grade:
    """Grades an answer; an abstention is wrong, and neither cited nor fabricated."""
    if answer.abstains:
        return Grade(WRONG, None, None)
    codes = support_codes(answer, evidence)
    correct = _number(answer, gold) if isinstance(gold, NumberAnswer) else _text(answer, gold)
    return Grade(correct, cited=not codes, fabricated=bool(codes), codes=codes)


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
