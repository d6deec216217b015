"""How well a label or a sentence fits a question: shared words, weighed against words that are not asked for."""

from dataclasses import dataclass
from datetime import date

from viska_assets.model.evidence import Period
from viska_assets.retrieval.analyser import terms_of
from viska_assets.text.metrics import metrics_in
from viska_assets.text.periods import find_periods

_FILLER = "much many please tell give find exact number figure say says according company reported"
FILLER = frozenset(_FILLER.split())


@dataclass(frozen=True)
class Asking:
    """A question as it is put: its words, the concept it is scoped to and the day it is asked from."""

    text: str
    issuer: str | None = None
    as_of: date | None = None


class Asked:
    """A question taken apart once: its terms, the metrics it names and the periods it names."""

    def __init__(self, question: str, fiscal_year_end: tuple[int, int] | None = None) -> None:
        self.terms = {term for term in terms_of(question) if term not in FILLER}
        self.metrics = {mention.metric_id for mention in metrics_in(question)}
        self.periods = [found.period for found in find_periods(question, fiscal_year_end) if found.period]
        self.wants_number = bool(self.metrics) or question.lower().startswith(("how much", "how many"))

    def overlap(self, text: str) -> float:
        """The share of the question's terms that the text has, less a little for each word beside them."""
        words = set(terms_of(text))
        shared = len(self.terms & words)
        if not shared:
            return 0.0
        return shared / len(self.terms) - 0.01 * len(words - self.terms)

    def fits_period(self, period: Period | None) -> float:
        """1 where the period is one that is asked for, 0 where nothing is known, -1 where another is asked for."""
        if not self.periods or period is None:
            return 0.0
        fits = any(_same(period, asked) for asked in self.periods)
        return 1.0 if fits else -1.0


def _same(period: Period, asked: Period) -> bool:
    """Whether two periods are one: to ten days, or a fiscal year asked for by its number alone."""
    if abs((period.end - asked.end).days) <= 10:
        return period.is_instant or asked.is_instant or abs(period.days - asked.days) <= 10
    both_years = min(period.days, asked.days) >= 350 and max(period.days, asked.days) <= 380
    return both_years and period.end.year == asked.end.year
