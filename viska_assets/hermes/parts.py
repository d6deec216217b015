"""Whether a sentence speaks of a part of a company or of more than a metric: its figure says nothing of the whole then.

"Services net sales", "net sales in Greater China" and "cash and marketable securities" are about something else than
"net sales" and "cash". What a sentence leaves open is no fact to compare.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from viska_assets.maintain.identity import LEGAL_FORMS
from viska_assets.model.span import Span
from viska_assets.query.wording import Asked
from viska_assets.text.metrics import metrics_in
from viska_assets.text.periods import find_periods
from viska_assets.text.quantities import read_quantities

# "cash, cash equivalents and marketable securities": what is named goes on behind the metric.
_GOES_ON = re.compile(
    r"(?:\s*,\s*[a-z][\w-]*(?:\s+[a-z][\w-]*){0,2})*\s*,?\s+(?:and|or|plus|including|excluding|less)\s+(?:[a-z][\w-]*)",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![\w.])(?:[A-Z][\w&-]*|[a-z]+[A-Z]\w*)")
_NO_NAMES = (
    "gaap non-gaap usd eur gbp us u s fy cy ytd ttm eps ebitda ebit q1 q2 q3 q4 h1 h2 i we our "
    "january february march april may june july august september october november december"
)
# What stands before a metric and is no part; a word that is not listed may be one ("services revenue").
_VERBS = (
    "had has have having reported reports posted posts generated recorded expects expect expected sees saw guides "
    "guided forecasts projects estimates estimated delivered achieved earned record higher lower strong"
)
_NO_PARTS = frozenset(_VERBS.split())
_PLAIN = frozenset(_NO_NAMES.split()) | LEGAL_FORMS


@lru_cache(maxsize=4096)
def speaks_of_part(sentence: str, names: frozenset[str]) -> bool:
    """Whether a sentence names a part, or goes on to name more than its metric.

    Args:
        sentence: with one metric.
        names: the words of the company's names, in lower case.

    A sentence is asked about once for each of its figures and once for itself, and keeps its answer.
    """
    mentions = metrics_in(sentence)
    if any(_GOES_ON.match(sentence, mention.span.end) for mention in mentions):
        return True
    if Asked(sentence, None, names | _NO_PARTS | _PLAIN).part:
        return True
    return _names_other(sentence, names, [mention.span for mention in mentions])


def _names_other(sentence: str, names: frozenset[str], taken: Sequence[Span]) -> bool:
    """Whether a word is written as a name and is none of the company's, of a period or of a figure."""
    spans = [*taken, *(found.span for found in find_periods(sentence)), *(q.extent for q in read_quantities(sentence))]
    for match in _NAME.finditer(sentence):
        at_start = not sentence[: match.start()].strip(" “\"'(*#-")
        inside = any(span.start <= match.start() < span.end for span in spans)
        if not at_start and not inside and match[0].lower().removesuffix("'s") not in names | _PLAIN:
            return True
    return False
