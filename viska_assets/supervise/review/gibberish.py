"""Whether a text reads like language at all: simple counts, no dictionary and no model."""

import re
from collections import Counter

_WORD = re.compile(r"[^\W\d_]+")
_COMMON = frozenset(
    {
        *("the", "a", "an", "of", "in", "on", "to", "for", "and", "or", "is", "was", "are", "were", "at", "by"),
        *("from", "with", "than", "that", "this", "as", "it", "its", "not", "no", "be", "has", "have", "had"),
        *("will", "would", "while", "after", "before", "over", "under", "per", "year", "quarter"),
    }
)
_VOWEL = re.compile(r"[aeiouyæøåäöüéèáíóú]", re.IGNORECASE)
_CLUSTER = re.compile(r"[bcdfghjklmnpqrstvwxz]{6,}", re.IGNORECASE)
LONGEST = 8000


def gibberish_in(text: str) -> str:
    """Why a text is no language, or empty.

    Counted are words without vowels or with six consonants in a row, the share of the most frequent word, common
    words, and characters that are neither letters, digits, spaces nor usual marks. Short texts are judged mildly.
    """
    if len(text) > LONGEST:
        return f"{len(text)} characters are more than a rationale needs"
    words = _WORD.findall(text)
    if len(words) < 2:
        return "fewer than two words"
    # An abbreviation in capitals (GMBH, EPS) is no nonsense.
    odd = [w for w in words if len(w) > 3 and not w.isupper() and (not _VOWEL.search(w) or _CLUSTER.search(w))]
    if len(odd) > max(1, 0.2 * len(words)):
        return f"{len(odd)} of {len(words)} words are no words, such as {odd[0][:20]!r}"
    lower = [word.lower() for word in words]
    most, times = Counter(lower).most_common(1)[0]
    if len(words) >= 8 and times > 0.4 * len(words):
        return f"{most[:20]!r} is {times} of {len(words)} words"
    if len(words) >= 15 and not _COMMON & set(lower):
        return "no common word in a long text"
    strange = sum(1 for c in text if not (c.isalnum() or c.isspace() or c in ".,;:!?()[]%$€£¥+-–—−'\"“”‘’&/*|=<>~#"))
    if strange > 0.15 * len(text):
        return f"{strange} of {len(text)} characters are neither letters nor figures"
    return ""
