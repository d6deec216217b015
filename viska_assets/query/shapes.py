"""Which shape a question has by its words alone: a view, an exact passage or number, or both. Pure."""

# ruff: noqa: E501 (one pattern a line)
import re
from collections.abc import Iterator
from dataclasses import dataclass

from viska_assets.query.results import Tier
from viska_assets.text.metrics import metrics_in
from viska_assets.text.periods import PeriodKind, find_periods

_VIEW = {
    "view": r"(?:our|your|the house'?s?|desk'?s?|broker'?s?'?|analysts?'?|sell-side|their|houses?'?) "
    r"(?:\w+ ){0,2}(?:views?|stance|opinions?|take|thinking|judgement|judgment|position on|line on|call on|outlook|conviction)",
    "view of": r"\b(?:views?|stance|opinions?|take|outlook|verdict|perspective)\b (?:of|on|for|about|towards?)\b",
    "view at the end": r"\b(?:views?|stance|opinions?)\b[?.!]?$|: our view\b|\bas we see it\b|\bin our (?:eyes|view|judgement|judgment|book)\b",
    "thesis": r"\bthes[ie]s\b",
    "case": r"\b(?:bull(?:ish)?|bear(?:ish)?|investment|long|short)(?: and (?:the )?(?:bull|bear))? (?:case|argument|story|point)\b|\bthe case (?:for|against)\b|"
    r"\bhow (?:bullish|bearish)\b",
    "summary": r"\b(?:summar[iy]\w*|sum up|overview|recap|profile|outline|condense|brief (?:me|on)|big picture|key (?:take-?aways|debates?)|"
    r"walk me through|bring me up to speed|tell me about|in a nutshell|get me up to speed)\b|^brief\b",
    "what we think": r"\b(?:we|you|houses?|analysts?|brokers?|sceptics|skeptics|critics|research)\b (?:\w+ ){0,2}(?:think|believe|see|assess|like|rate|"
    r"view|make of|feel|judge|expect|say on|worry|raise|disagree)\b|\bdo we (?:\w+ )?(?:like|stand)\b|\bwhere do (?:we|analysts|brokers) (?:stand|disagree|differ)\b",
    "own": r"\bwhy (?:do|are|did|would|should) we\b|\bshould we\b|\b(?:a )?buy or (?:a )?(?:hold|sell)\b|\boverweight\b|\bunderweight\b|\bare we invested\b|"
    r"\bas an investment\b|\bkeeping\b",
    "risk": r"\b(?:key|main|big(?:gest)?|what|which|its|the|name)\b (?:\w+ ){0,3}(?:risks?|threats?|worries|concerns|catalysts?|drivers?)\b|\brisks (?:in|at|of|for)\b|"
    r"'s? risks\b|\bcould (?:go wrong|break)\b|\bwhat would (?:make|change)\b|\bwhat (?:drives|are the (?:catalysts|drivers))\b",
    "argument": r"\barguments?\b|\bpros and cons\b|\bstrengths and weaknesses\b|\bfor and against\b|\bdebates?\b|\breasoning\b|\brationale\b",
    "rating": r"\b(?:ratings?|recommendations?|conviction|sentiment|cautious|bullish|bearish|consensus)\b",
    "story": r"\b(?:story|narrative|themes?|competitive position|strategic position|positioning|long-term outlook|outlook)\b",
    "explain": r"^(?:please )?(?:explain|describe|discuss|assess|evaluate)\b|\bhow (?:do|does|did) .*\b(?:compare|differ|make (?:its|their) money)\b|"
    r"\b(?:defensive|expensive|cheap|durable|sustainable)\b.*\b(?:we|our)\b|\bwhat do we know\b",
    "evidence": r"\bsupport(?:s|ing)? (?:the|our|a|an)\b|\bback(?:s|ed|ing)?(?: up)? (?:the|our|it)\b|\bfit our\b|\bconsistent with\b|\bbear out\b|\bsquare with\b",
}  # fmt: skip
_EXACT = {
    "exact": r"\b(?:exact(?:ly)?|precise(?:ly)?|verbatim|literal(?:ly)?|word for word|wording|quot(?:e|es|ed|ation)|cite[sd]?|citation)\b",
    "place": r"\b(?:passages?|sentences?|paragraphs?|pages?|footnotes?|source lines?|tables?|sections?|lines?|items?|notes?)\b"
    r"(?= (?:of|in|on|about|behind|that|where|does|do|is|are|shows?|lists?|covers?|describes?|backs?|supports?|which|the|with|for)\b|[?.]?$)",
    "where it says": r"\bwhere (?:in|does|do|did|is|the)\b.*\b(?:say|says|said|mention\w*|discuss\w*|disclos\w*|report|filing|10-[kq]|state[sd]?|describ\w*)\b",
    "evidence in filings": r"\b(?:evidence|support(?:s|ing)?|back(?:s|ed)?)\b.*\b(?:filings?|10-[kq]|report|passage|figures?)\b|\breported\b.*\bfigures\b",
    "how much": r"\bhow (?:much|many|large|big|high|low|often)\b|\bby how\b|\bat what (?:price|cost|rate)\b|\b(?:number|amount|percentage|share|volume) of\b",
    "figure": r"\b(?:exact )?(?:figures?|numbers?|amounts?)\b",
    "when": r"^when (?:did|was|were|is)\b|\bon (?:which|what) (?:date|day|page)\b|^(?:which|what) (?:date|page|table|footnote|paragraph|item|section|note)\b",
    "look up": r"^(?:please )?(?:look up|find the|show (?:me )?the|state|give (?:me )?the (?:exact|precise|literal))\b|\bpoint me to\b|\bshow where\b",
    "which of": r"^which (?:customers?|products?|segments?|subsidiar\w+|countries)\b",
}  # fmt: skip
_VIEW_PATTERNS = {name: re.compile(pattern, re.I) for name, pattern in _VIEW.items()}
_EXACT_PATTERNS = {name: re.compile(pattern, re.I) for name, pattern in _EXACT.items()}
_REPORTED = re.compile(
    r"\b(?:report(?:ed|s)?|pay|paid|spend|spent|deliver(?:ed)?|sell|sold|guide[ds]?|employ|cost|carry|earn(?:ed)?|generate[d]?)\b",
    re.I,
)
_RELATIVE = re.compile(
    r"\b(?:last|latest|previous|this|past|most recent|current)\b (?:fiscal |reported |full |\w+ )?(?:quarter|year|half|month)s?\b",
    re.I,
)
_COURTESY = re.compile(
    r"^(?:hi|hello|hey|dear \w+|please|kindly|(?:could|can|would|will) you|i(?:'d| would) like to know|tell me(?! about\b)|let me know)\b[\s,:]*",
    re.I,
)
_NOT_FIGURES = frozenset({"growth", "leverage", "price_target"})
_NOTES_OF_HOUSES = re.compile(r"\b(?:research|broker|the|house) notes?\b|\bin a few lines\b|\blines? on\b", re.I)


@dataclass(frozen=True)
class Shape:
    """What a question's words say: the cues for a view and for something exact, and the tier that follows."""

    view: tuple[str, ...]
    exact: tuple[str, ...]

    @property
    def tier(self) -> Tier:
        """Both or neither is mixed; a question for something exact alone is retrieval's, for a view synthesis'."""
        if bool(self.view) == bool(self.exact):
            return Tier.MIXED
        return Tier.SYNTHESIS if self.view else Tier.RETRIEVAL

    @property
    def rule_id(self) -> str:
        """The rule that decided."""
        if self.view and self.exact:
            return "shape.both"
        return "shape.view" if self.view else "shape.exact" if self.exact else "shape.tie"


def without_courtesy(text: str) -> str:
    """The question without the words that only lead up to it."""
    while (shorter := _COURTESY.sub("", text)) != text:
        text = shorter
    return text


def shape_of(question: str) -> Shape:
    """The shape of a question."""
    text = without_courtesy(" ".join(question.replace("’", "'").split()))
    view = tuple(name for name, pattern in _VIEW_PATTERNS.items() if pattern.search(text))
    return Shape(view, tuple(_exact_cues(text)))


def _exact_cues(text: str) -> Iterator[str]:
    plain = _NOTES_OF_HOUSES.sub(" ", text)
    for name, pattern in _EXACT_PATTERNS.items():
        if pattern.search(plain):
            yield name
    metrics = [mention.alias for mention in metrics_in(text) if mention.metric_id not in _NOT_FIGURES]
    periods = [p for p in find_periods(text) if p.kind is not PeriodKind.AMBIGUOUS or p.period]
    relative = _RELATIVE.search(text)
    if metrics:
        yield f"metric {metrics[0]}"
    if relative:
        yield f"period {relative[0]}"
    if periods:
        yield f"period {periods[0].span.of(text)}"
    elif (
        _REPORTED.search(text)
        and re.match(r"(?:what|how|which)\b.*\b(?:did|does|do|has|have)\b", text, re.I)
        and not metrics
    ):
        yield "reported"
