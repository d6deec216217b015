"""Grades of one answer: correctness against gold, citations and fabrication by the gate's own predicates."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from viska_assets.model.evidence import Period
from viska_assets.model.page import SourceEntry
from viska_assets.model.views import EvidenceView
from viska_assets.parity.eval_set import NumberAnswer, TextAnswer
from viska_assets.query.answers import Answer, AnswerClaim
from viska_assets.query.support import unsupported

CORRECT, PARTIAL, WRONG = 2, 1, 0
# A figure that is rounded more coarsely than this share of itself says too little to be right.
COARSEST = Decimal("0.05")
_WORDS = re.compile(r"[$€£]?[0-9]+(?:[.,][0-9]+)*%?|[^\W\d_]+")


@dataclass(frozen=True)
class Grade:
    """How good one answer is: correctness 0 to 2, and its claims and citations counted.

    A claim counts as cited where P1 and P2 find its citations to support it, as the union of them (citation recall of
    ALCE, Gao et al. 2023); a citation as needed where without it the claim would not be supported (its precision).
    ``codes`` are the gate's, of claims that are not supported; each such claim is a fabrication.
    """

    correct: int
    why: str
    claims: int = 0
    claims_cited: int = 0
    citations: int = 0
    citations_needed: int = 0
    codes: tuple[str, ...] = ()

    @property
    def fabrications(self) -> int:
        """Claims that no cited source supports."""
        return self.claims - self.claims_cited


def grade(answer: Answer, gold: NumberAnswer | TextAnswer, evidence: EvidenceView) -> Grade:
    """Grades an answer; an abstention is wrong, and says nothing that could be cited or fabricated."""
    if answer.abstains:
        return Grade(WRONG, f"no answer: {answer.reason}")
    claims = answer.claims or (_only_claim(answer),)
    found = [unsupported(claim.text, claim.sources, evidence) for claim in claims]
    right, why = _number(claims, gold) if isinstance(gold, NumberAnswer) else _text(answer, gold)
    cited = [claim for claim, codes in zip(claims, found, strict=True) if not codes]
    return Grade(
        right,
        why,
        claims=len(claims),
        claims_cited=len(cited),
        citations=sum(len(claim.cited) for claim in claims),
        citations_needed=sum(_needed(claim, evidence) for claim in cited),
        codes=tuple(sorted({code for codes in found for code in codes})),
    )


def _only_claim(answer: Answer) -> AnswerClaim:
    return AnswerClaim(
        answer.text, answer.sources, 0.0, "", answer.value, answer.quantum, answer.unit, answer.currency, answer.period
    )


def _needed(claim: AnswerClaim, evidence: EvidenceView) -> int:
    """How many citations of a supported claim are needed; a single one always is."""
    if len(claim.cited) == 1:
        return 1
    return sum(1 for entry in claim.cited if unsupported(claim.text, _without(claim.sources, entry), evidence))


def _without(sources: Sequence[SourceEntry], left_out: SourceEntry) -> tuple[SourceEntry, ...]:
    return tuple(entry for entry in sources if entry.id != left_out.id)


def _number(claims: Sequence[AnswerClaim], gold: NumberAnswer) -> tuple[int, str]:
    """2 where the first figure is right; 1 where only its value is, or where a later figure is right."""
    figures = [claim for claim in claims if claim.value is not None]
    if not figures:
        return WRONG, "no figure is given"
    grades = [_figure(claim, gold) for claim in figures]
    first, why = grades[0]
    if first is WRONG and any(one == CORRECT for one, _ in grades[1:]):
        return PARTIAL, f"a later figure is right, the first is not: {why}"
    return first, why


def _figure(claim: AnswerClaim, gold: NumberAnswer) -> tuple[int, str]:
    """One figure against gold: value within the rounding of both, then unit, currency and period."""
    value = claim.value
    assert value is not None
    quantum = max(claim.quantum, gold.quantum)
    if abs(value - gold.value) > quantum / 2:
        return WRONG, f"{value} is not {gold.value}"
    faults = []
    if claim.quantum > COARSEST * abs(gold.value) and claim.quantum > gold.quantum:
        faults.append(f"rounded to {claim.quantum}")
    if claim.unit is not gold.unit:
        faults.append(f"unit {claim.unit.value if claim.unit else 'not given'}, not {gold.unit.value}")
    if gold.currency not in (None, claim.currency):
        faults.append(f"currency {claim.currency or 'not given'}, not {gold.currency}")
    faults += _period(claim.period, gold)
    return (PARTIAL, f"right value, but {'; '.join(faults)}") if faults else (CORRECT, "")


def _period(period: Period | None, gold: NumberAnswer) -> list[str]:
    if gold.period_end is None:
        return []
    if period is None:
        return ["no period is given"]
    if period.end != gold.period_end:
        return [f"period ends {period.end}, not {gold.period_end}"]
    if gold.period_start is not None and period.start is not None and period.start != gold.period_start:
        return [f"period starts {period.start}, not {gold.period_start}"]
    return []


def _text(answer: Answer, gold: TextAnswer) -> tuple[int, str]:
    """2 where every required fact is said, 1 where some are."""
    said = _folded(answer.text)
    missing = [fact for fact in gold.facts if _folded(fact) not in said]
    if not missing:
        return CORRECT, ""
    return (PARTIAL if len(missing) < len(gold.facts) else WRONG), f"not said: {'; '.join(missing)}"


def _folded(text: str) -> str:
    """Lower-case words with a blank about each, so that a fact is found as words and not within one."""
    return f" {' '.join(_WORDS.findall(text.lower()))} "
