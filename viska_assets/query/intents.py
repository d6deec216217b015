"""Which command a request means, by the words in which people ask for it."""

import re
from enum import StrEnum


class Intent(StrEnum):
    """The commands of the asking side."""

    SEARCH = "search"
    RESEARCH = "research"
    FIND_PATTERN = "find-pattern"
    AUDIT_COVERAGE = "audit-coverage"
    TRACE_PROVENANCE = "trace-provenance"
    FIND_CONTRADICTION = "find-contradiction"
    SOURCE_CHECK = "source-check"


# The first that fits counts; a plain question is research, anything else a search.
_WORDS: tuple[tuple[Intent, str], ...] = (
    (Intent.FIND_CONTRADICTION, r"contradict\w*|conflicting|disagree\w*|inconsisten\w*"),
    (Intent.AUDIT_COVERAGE, r"coverage|what is missing|what do we not know|gaps?\b"),
    (Intent.SOURCE_CHECK, r"source[\s-]check|fact[\s-]check|is it true|verify|check (?:the|this|whether) claim"),
    (Intent.TRACE_PROVENANCE, r"provenance|trace\b|where does .* come from|which source"),
    (Intent.FIND_PATTERN, r"find[\s-]pattern|regex|regular expression|grep|literal"),
    (Intent.RESEARCH, r"research|what do we know|what did we decide|cross-vault|multi-source|synthesi[sz]e"),
    (Intent.SEARCH, r"search|find me|where is|look up|retrieve"),
)
_PATTERNS = tuple((intent, re.compile(rf"\b(?:{words})", re.I)) for intent, words in _WORDS)
_QUESTION = re.compile(r"^\s*(?:what|who|when|why|how|which|is|are|does|do|did|was|were)\b|\?\s*$", re.I)


def intent_of(request: str) -> Intent:
    """The command that a request means."""
    for intent, pattern in _PATTERNS:
        if pattern.search(request):
            return intent
    return Intent.RESEARCH if _QUESTION.search(request) else Intent.SEARCH
