"""What a question asks for by its words: terms, metrics, periods, a number or words, and how well a text fits."""

import re
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from viska_assets.maintain.identity import LEGAL_FORMS
from viska_assets.model.evidence import Period
from viska_assets.retrieval.analyser import term_set, terms_of
from viska_assets.text.metrics import metrics_in
from viska_assets.text.periods import find_periods

_FILLER = (
    "much many please tell give find exact number figure say says said according company reported report value amount "
    "what which who when where how was were is are did does do the total show state states stated need want know get "
    "our your us we they their year quarter period fiscal end ended ending during between from with and for per about "
    "10-k 10-q filing annual could would can kindly me its his her this that these those any there"
)
FILLER = frozenset(term for word in _FILLER.split() for term in terms_of(word)) | frozenset(_FILLER.split())

# Words that ask for a view, a reason or a quote rather than for a figure.
_WANTS_WORDS = re.compile(
    r"\b(?:why|explain|describe|summari[sz]e|summary|overview|thes[ie]s|view|views|stance|opinion|arguments?|argues?|"
    r"risks?|threats?|rating|rates?\s+(?:\w+\s+)?(?:a\s+)?(?:buy|sell|hold|neutral)|outlook|bull|bear|case\s+for|case\s+against|story|drivers?|"
    r"in\s+its\s+own\s+words|verbatim|quote|says?\s+about|said\s+about|thinks?|believes?|recommend\w*|strategy|reasons?|"
    r"what\s+happened|what\s+drives|which\s+sentence|which\s+passage|wording)\b",
    re.I,
)
_WANTS_NUMBER = re.compile(
    r"\b(?:how\s+(?:much|many|large|big|high|low)|exact\s+(?:number|figure|amount|value)|what\s+(?:number|figure|amount|percentage|share\s+of)|"
    r"price\s+target|target\s+price|quantity|number\s+of|by\s+how|did\s+we\s+pay|we\s+paid|at\s+what\s+(?:price|cost)|cost\s+(?:per\s+share|basis)|return)\b",
    re.I,
)
_CHANGE = re.compile(
    r"\b(?:gr[eo]w\w*|growth|chang\w+|increas\w*|decreas\w*|declin\w*|rise|rose|fell|fall|drop\w*|year[\s-](?:on|over)[\s-]year|yoy)\b",
    re.I,
)


_WORDS = re.compile(r"[A-Za-z0-9&]+(?=['’]s)|[A-Za-z0-9&]+")
_OF_PART = re.compile(r"\s+(?:from|in|of|for)\s+(?:the\s+)?([A-Za-z0-9&]+)", re.I)
_NO_PART_WORDS = (
    "and or total net gross annual quarterly full group consolidated overall latest last current first "
    "second third fourth its in of s diluted basic reported half fy mean median highest lowest change "
    "growth compare both more less higher lower to on as by than if over q1 q2 q3 q4 h1 h2 three six nine "
    "twelve months january february march april may june july august september october november december "
    "question exactly precise cash operating adjusted non-gaap organic company firm"
)
_NO_PART = frozenset(_NO_PART_WORDS.split()) | LEGAL_FORMS


@dataclass(frozen=True)
class Asking:
    """A question as it is put: its words, the concept it is scoped to and the day it is asked from."""

    text: str
    issuer: str | None = None
    as_of: date | None = None


class Asked:
    """A question taken apart once: its terms, the metrics it names and the periods it names.

    Args:
        question: as it is put.
        fiscal_year_end: (month, day) of the issuer it is about, where known.
        names: the words of the names of issuers in it, which name nothing else.
    """

    def __init__(
        self, question: str, fiscal_year_end: tuple[int, int] | None = None, names: frozenset[str] = frozenset()
    ) -> None:
        self.question = question
        self.name_words = names
        self.all_terms = tuple(terms_of(question))
        self.terms = {term for term in self.all_terms if term not in FILLER}
        self.metrics = list(dict.fromkeys(mention.metric_id for mention in metrics_in(question)))
        self.periods = list(
            dict.fromkeys(found.period for found in find_periods(question, fiscal_year_end) if found.period)
        )

    @classmethod
    def of_one(cls, asked: "Asked", metric: str | None, period: Period | None) -> "Asked":
        """The same question about one of its metrics and one of its periods alone."""
        one = cls.__new__(cls)
        one.question, one.all_terms, one.terms = asked.question, asked.all_terms, asked.terms
        one.name_words = asked.name_words
        one.metrics = [metric] if metric else []
        one.periods = [period] if period else []
        return one

    def besides(self, words: frozenset[str]) -> "Asked":
        """The same question without some of its terms, such as the name of the company that all passages are about."""
        left = self.terms - words
        if not left or left == self.terms:
            return self
        other = Asked.__new__(Asked)
        other.__dict__.update(self.__dict__ | {"terms": left})
        return other

    @cached_property
    def wants_number(self) -> bool:
        """Whether a figure is asked for rather than words: said so, or a metric named and no view or reason."""
        if _WANTS_NUMBER.search(self.question):
            return True
        return bool(self.metrics) and not _WANTS_WORDS.search(self.question)

    @cached_property
    def wants_change(self) -> bool:
        """Whether the change of a figure is asked for."""
        return bool(_CHANGE.search(self.question))

    @property
    def each_metric(self) -> list[str | None]:
        """The metrics that are asked for one by one; none in particular where none is named."""
        return [*self.metrics] or [None]

    @property
    def each_period(self) -> list[Period | None]:
        """The periods that are asked for one by one; none in particular where none is named."""
        return [*self.periods] or [None]

    @cached_property
    def part(self) -> str:
        """The part of a company whose figure is asked for ("iPhone revenue", "revenue from services"), or nothing."""
        for mention in metrics_in(self.question):
            before = _WORDS.findall(self.question[: mention.span.start])
            after = _OF_PART.match(self.question, mention.span.end)
            for word in (before[-1:] or [""])[0], after[1] if after else "":
                plain = word.lower()
                if plain and plain not in FILLER | self.name_words | _NO_PART and not plain[0].isdigit():
                    return word
        return ""

    @cached_property
    def words(self) -> frozenset[str]:
        """The plain words of the question, for naming a segment or a row as printed."""
        return frozenset(re.findall(r"[a-z0-9]+", self.question.lower()))

    def overlap(self, text: str) -> float:
        """The share of the question's terms that the text has, less a little for each word beside them."""
        words = term_set(text)
        shared = len(self.terms & words)
        if not shared:
            return 0.0
        return shared / len(self.terms) - 0.01 * len(words - self.terms)

    def names(self, label: str) -> bool:
        """Whether the question names a row or segment: all words of its label stand in it."""
        words = set(re.findall(r"[a-z0-9]+", label.lower())) - {"and", "of", "the", "net", "total"}
        return bool(words) and words <= self.words

    def fits_period(self, period: Period | None) -> float:
        """1 where the period is one that is asked for, 0 where nothing is known, -1 where another is asked for."""
        if not self.periods or period is None:
            return 0.0
        fits = any(is_same_period(period, asked) for asked in self.periods)
        return 1.0 if fits else -1.0


def is_same_period(period: Period, asked: Period) -> bool:
    """Whether two periods are one: to ten days, or a fiscal year asked for by its number alone."""
    if abs((period.end - asked.end).days) <= 10:
        return period.is_instant or asked.is_instant or abs(period.days - asked.days) <= 10
    if asked.days >= 350 and period.is_instant:
        # "Total assets in fiscal 2024" stand on the day on which that year ends.
        return period.end.year == asked.end.year
    both_years = min(period.days, asked.days) >= 350 and max(period.days, asked.days) <= 380
    return both_years and period.end.year == asked.end.year
