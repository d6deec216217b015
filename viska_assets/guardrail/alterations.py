"""A sentence that repeats its source but for a word: a direction turned round or a company exchanged."""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

# ruff: noqa: E501 (word lists)

_TOKEN = re.compile(r"[A-Za-z0-9&]+(?:['’][a-z]+)?|\d")
_SAME = 0.7  # share of the sentence's words that must stand in the source in order

_PAIRS: tuple[tuple[str, str], ...] = (
    (
        "increase increased increases increasing rise rose risen rises rising grew grow grows growth growing grown higher up gain gains "
        "gained climbed jumped surged advanced expanded expansion improved improvement upward more",
        "decrease decreased decreases decreasing fall fell fallen falls falling decline declined declines declining lower down drop "
        "dropped reduction reduced shrank contracted contraction slid slipped plunged deteriorated worsened downward less",
    ),
    ("profit profits income gain gains earnings profitable", "loss losses deficit unprofitable"),
    ("inflow inflows provided", "outflow outflows used"),
    ("above over exceeded exceeding more", "below under less"),
    ("favorable favourable favorably favourably", "unfavorable unfavourable unfavorably adverse"),
    ("positive positively", "negative negatively"),
    ("strengthened strengthening stronger", "weakened weakening weaker"),
    ("acquired acquisition bought purchase purchased", "sold sale disposed divested"),
    ("asset assets", "liability liabilities"),
    ("highest maximum most best", "lowest minimum least worst"),
)
_OPPOSITES: dict[str, set[str]] = {}
for _one, _two in _PAIRS:
    for _word in _one.split():
        _OPPOSITES.setdefault(_word, set()).update(_two.split())
    for _word in _two.split():
        _OPPOSITES.setdefault(_word, set()).update(_one.split())
# A bracketed loss and a bracketed income are the same loss.
_LOSS_WORDS = frozenset(["profit", "profits", "income", "gain", "gains", "earnings", "loss", "losses", "deficit"])
# A page may well call the issuer by one of these.
_STAND_INS = frozenset(
    [
        "the",
        "company",
        "companies",
        "group",
        "we",
        "our",
        "us",
        "it",
        "its",
        "they",
        "their",
        "firm",
        "business",
        "corporation",
        "issuer",
        "registrant",
        "this",
        "that",
        "and",
    ]
)


Signs = Sequence[tuple[int, int]]
"""The printed signs of a unit's figures: each the page's and the source's."""


def tokens_of(text: str) -> list[str]:
    """The words and digits of a text in lower case."""
    return [t.replace("’", "'").removesuffix("'s") for t in _TOKEN.findall(text.lower())]


@lru_cache(maxsize=4096)
def replacements(page: str, source: str) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """The word groups of ``page`` that stand in place of others of ``source``, where the two are nearly the same."""
    one, two = tokens_of(page), tokens_of(source)
    if not one or not two:
        return ()
    blocks = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    same = sum(end - start for tag, start, end, _, _ in blocks if tag == "equal")
    if same < _SAME * len(one):
        return ()
    return tuple(
        (tuple(one[a:b]), tuple(two[c:d]))
        for tag, a, b, c, d in blocks
        if tag == "replace" and b - a <= 8 and d - c <= 8
    )


def reversed_word(page: str, source: str, signs: Signs) -> str | None:
    """A direction word of ``page`` that stands where ``source`` has its opposite; None where there is none."""
    for mine, theirs in replacements(page, source):
        for word in mine:
            if _OPPOSITES.get(word, set()) & set(theirs) and word not in theirs and not _compensated(word, signs):
                return word
    return None


def reversed_label(page: str, label: str, signs: Signs) -> str | None:
    """A word of ``page`` that turns a row label round (``profit`` for ``loss``), the label's other words being there."""
    spoken, words = Counter(tokens_of(page)), Counter(tokens_of(label))
    if len(words) < 2:
        return None
    for word in words:
        if spoken[word] >= words[word] or _compensated(word, signs):
            continue
        turned = sorted(w for w in _OPPOSITES.get(word, ()) if spoken[w] > words[w])
        rest = [other for other in words if other != word]
        if turned and sum(other in spoken for other in rest) >= max(1, len(rest) - 1):
            return turned[0]
    return None


def _compensated(word: str, signs: Signs) -> bool:
    """Whether a printed sign makes up for the turned word (``grew -5 %`` for ``declined 5 %``)."""
    if any(page != source for page, source in signs):
        return True
    return word in _LOSS_WORDS and any(page < 0 for page, _ in signs)


def exchanged_name(page: str, source: str, names: tuple[str, ...]) -> str | None:
    """Words of ``page`` that stand where ``source`` names its company; None where none do."""
    own = (
        {token for name in names for token in tokens_of(name) if len(token) > 1}
        - _STAND_INS
        - {"inc", "corp", "ltd", "plc", "co", "of", "&"}
    )
    for mine, theirs in replacements(page, source):
        named = own & set(theirs)
        other = [word for word in mine if word not in own and word not in _STAND_INS]
        if (
            named
            and other
            and not own & set(mine)
            and any((word.isalpha() and len(word) > 2) or word in ("3m",) for word in other)
        ):
            return " ".join(mine)
    return None
