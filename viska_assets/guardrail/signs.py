"""The sign of a figure and of its source: printed signs, brackets and direction words are one negation."""

import re
from dataclasses import dataclass
from enum import StrEnum

from viska_assets.guardrail.reading import ChunkReading
from viska_assets.model.evidence import Evidence, Unit
from viska_assets.text.directions import direction_words
from viska_assets.text.metrics import Polarity, metric_of, polarity_of
from viska_assets.text.quantities import Quantity


class SignFit(StrEnum):
    """How two signs compare."""

    AGREE = "agree"
    UNVERIFIED = "unverified"
    FLIPPED = "flipped"


@dataclass(frozen=True, slots=True)
class Signed:
    """A sign with its grounds: ``certain`` where a mark, a word or the metric's nature decides it."""

    sign: int
    certain: bool
    printed: bool = False
    trend: int = 0


_CHANGE_LABEL = re.compile(
    r"\b(?:change|growth|increase|variance|yoy|y/y|vs\.?|improvement)\b|[%∆Δ]\s?(?:chg|change)", re.I
)
_CHANGES = frozenset({Unit.PERCENT, Unit.PERCENTAGE_POINT, Unit.BASIS_POINT})


def page_sign(figure: Quantity, metric: str | None) -> Signed:
    """The sign that the page claims for a figure of a metric."""
    if figure.sign < 0:
        return Signed(-1, True, True, figure.trend)
    if figure.direction:
        return Signed(figure.direction, True, False, figure.trend)
    return Signed(1, polarity_of(metric) is Polarity.SIGNED, False, figure.trend)


def source_sign(evidence: Evidence, reading: ChunkReading) -> Signed:
    """The sign that the source prints or says of its number."""
    if evidence.value < 0 or evidence.sign < 0:
        return Signed(-1, True, True, _trend(evidence, reading))
    if reading.is_prose(evidence):
        local = reading.local(evidence.span)
        sentence = reading.sentence_at(local.start)
        quantity = sentence.quantity_at(local)
        if quantity is None:  # a spelled number, or one that only the tag knows
            return Signed(1, False)
        if quantity.direction:
            return Signed(quantity.direction, True, False, quantity.trend)
        metric = sentence.metric_near(local)
        return Signed(1, polarity_of(metric) is Polarity.SIGNED, False, quantity.trend)
    label = " ".join(evidence.row_path[-1:])
    words = {sign for _, _, sign, _ in direction_words(label)}
    if len(words) == 1 and evidence.xbrl is None:
        return Signed(words.pop(), True)
    columns = " ".join(evidence.column_path)
    certain = polarity_of(metric_of(label)) is Polarity.SIGNED or bool(_CHANGE_LABEL.search(f"{label} {columns}"))
    return Signed(1, certain)


def loose_direction(text: str, figure: Quantity) -> int:
    """The direction of a sentence all of whose direction words agree, for a figure that none is tied to; else 0."""
    if figure.direction or figure.trend:
        return 0
    signs = {sign for _, _, sign, _ in direction_words(text)}
    return signs.pop() if len(signs) == 1 else 0


def _trend(evidence: Evidence, reading: ChunkReading) -> int:
    if not reading.is_prose(evidence):
        return 0
    local = reading.local(evidence.span)
    quantity = reading.sentence_at(local.start).quantity_at(local)
    return quantity.trend if quantity else 0


def compare_signs(
    page: Signed, source: Signed, figure: Quantity, metrics: set[str | None], loose: int = 0, *, presented: bool = False
) -> SignFit:
    """Whether the page's sign is the source's.

    Args:
        page: The page's sign.
        source: The source's sign.
        figure: The page's figure.
        metrics: The metrics that the sentence or the cited row names.
        loose: The one direction of the sentence's words where they all agree and none is tied to the figure.
        presented: A tag says that the source's printed sign is one of presentation (changes in a cash flow statement).
    """
    if page.trend and source.trend and page.trend != source.trend:
        return SignFit.FLIPPED
    if loose and source.certain and not source.printed and figure.sign > 0 and loose != source.sign:
        return SignFit.FLIPPED
    if page.sign == source.sign or not figure.value:
        return SignFit.AGREE
    magnitude = presented or any(polarity_of(m) is Polarity.MAGNITUDE for m in metrics)
    if magnitude and figure.unit not in _CHANGES and not (figure.direction and source.certain and not source.printed):
        return SignFit.AGREE if page.printed or source.printed else SignFit.UNVERIFIED
    if page.certain and source.certain:
        return SignFit.FLIPPED
    if page.printed or source.printed:
        return SignFit.FLIPPED
    return SignFit.UNVERIFIED
