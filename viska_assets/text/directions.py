"""Words that bound a figure or give it a direction: ``nearly``, ``at least``, ``fell``, ``a loss of``."""

# ruff: noqa: E501 (one alternative of a pattern or one row of a table a line)
import re

from viska_assets.model.evidence import Bound

_BOUNDS: tuple[tuple[str, Bound], ...] = (
    (r"at\sleast|no\s(?:less|fewer)\sthan|not\sless\sthan|a\sminimum\sof|minimum(?:\sof)?|≥|>=", Bound.AT_LEAST),
    (r"at\smost|no\smore\sthan|not\smore\sthan|up\sto|as\smuch\sas|a\smaximum\sof|not\sto\sexceed|≤|<=", Bound.AT_MOST),
    (r"nearly|almost|close\sto|just\sunder|just\sbelow|just\sshort\sof|approaching", Bound.NEAR_BELOW),
    (
        r"(?:slightly\s|just\s|well\s)?(?:more|greater|higher)\sthan|(?:just\s|well\s)?over|in\sexcess\sof|exceed(?:s|ed|ing)|(?:just\s)?above|>",
        Bound.OVER,
    ),
    (r"(?:less|fewer|lower)\sthan|under|below|<", Bound.UNDER),
    (r"about|around|approximately|approx\.?|roughly|some|circa|ca\.|c\.|an?\sestimated|~|≈", Bound.APPROXIMATE),
)
_BEFORE = re.compile(
    "(?<![\\w'\"/])(?:" + "|".join(f"(?P<b{i}>{p})" for i, (p, _) in enumerate(_BOUNDS)) + r")\s?(?:the\s|an?\s)?$",
    re.I,
)
_AFTER = re.compile(
    r"\s?(?:\+(?!\d)|or\s(?:more|above|higher|better)\b)|(?P<most>\s?or\s(?:less|below|fewer|lower)\b)", re.I
)


def bound_before(text: str, at: int) -> Bound:
    """The bound that the words right before ``at`` put on the figure there."""
    match = _BEFORE.search(text, max(0, at - 28), at)
    if not match:
        return Bound.EQUAL
    for index, (_, bound) in enumerate(_BOUNDS):
        if match[f"b{index}"] is not None:
            return bound
    return Bound.EQUAL


def bound_after(text: str, at: int) -> Bound:
    """The bound of a suffix such as ``+`` or ``or more``."""
    match = _AFTER.match(text, at)
    if not match:
        return Bound.EQUAL
    return Bound.AT_MOST if match["most"] else Bound.AT_LEAST


_FALL = (
    r"fell|falls?|fallen|falling|declin(?:e|ed|es|ing)|decreas(?:e|ed|es|ing)|drop(?:s|ped|ping)?|down|lower(?:ed)?|"
    r"reduc(?:ed|es|e|ing|tions?)|shrank|shrunk|shrinks?|contract(?:ed|ion)|slid|slipped|plunged|plummeted|tumbled|"
    r"eroded|lost|less|worse|faldt|sank"
)
_RISE = (
    r"rose|ris(?:e|es|en|ing)|increas(?:e|ed|es|ing)|grew|grow(?:s|n|ing|th)?|up(?!\sto\b)|higher|gain(?:s|ed)?|climb(?:ed|s)?|"
    r"jump(?:ed|s)?|surg(?:ed|e|es)|soared|advanced|expand(?:ed|s)?|expansion|added|more|steg"
)
_LOSS = r"loss(?:es)?|deficit|outflows?|(?:income\s)?tax\sbenefit|benefit\sfrom\s(?:income\s)?taxes|net\scash\sused|shortfall"
_WORD = re.compile(rf"\b(?:(?P<fall>{_FALL})|(?P<rise>{_RISE})|(?P<loss>{_LOSS}))\b", re.I)
_EITHER = re.compile(
    r"\b(?:increase|rise|growth|gain|income|earnings|profit|inflow)s?\b[\s/]*\(?\s?(?:or|and)?\s?(?:decrease|decline|fall|loss|outflow|reduction|benefit)(?:e?s)?\b\)?"
    r"|\(?\b(?:decrease|decline|loss|benefit|reduction)(?:e?s)?\b\)?[\s/]*\(?(?:or|and)?\s?(?:increase|income|earnings|profit|growth|gain)s?\b\)?"
    r"|provision\sfor\s\(benefit\sfrom\)|\(benefit(?:\sfrom)?\)|provided\sby\s\(used\sin\)|\(used\sin\)",
    re.I,
)
_BREAK = re.compile(
    r"[;:|]|\.\s|\b(?:while|whereas|but|although|though|because|partially\soffset|partly\soffset|offset\sby|compared|versus|driven\sby|due\sto|reflecting|which)\b|\n",
    re.I,
)
_LEVEL = re.compile(
    r"\b(?:to|from|at|versus|vs\.?|than|over|against|of\swhich|level\sof)\s(?:[^\s,;()]{1,14}\s){0,3}$|\b(?:to|from)\s?$",
    re.I,
)
_CHAIN = re.compile(r"^[\s,(]*(?:or|and|an?|representing|by)?[\s,(]*(?:an?\s)?[(]?$", re.I)
_NOUN_AFTER = re.compile(
    r"^\)?\s?(?!(?:of|in|to|from|and|or|for|on|at|by|with|as|compared|versus|the|was|were|is|are)\s)(?:[\w-]+\s(?!(?:of|in|to|from|and|or|for|on|at|by|with|as|the|was|were|is|are)\s)){0,2}?"
    rf"(?:(?P<fall>{_FALL})|(?P<rise>{_RISE})|(?P<loss>net\sloss|operating\sloss|loss|deficit|outflow|tax\sbenefit))\b(?!\sthan\b)",
    re.I,
)


def _sign(match: re.Match[str]) -> int:
    return 1 if match["rise"] else -1


def direction_words(text: str) -> list[tuple[int, int, int, bool]]:
    """All direction words: start, end, sign, and whether the word is a loss (a negative level) and not a change.

    A phrase that names both ways (``increase (decrease)``, ``income (loss)``) gives no direction.
    """
    either = [(m.start(), m.end()) for m in _EITHER.finditer(text)]
    return [
        (m.start(), m.end(), _sign(m), m["loss"] is not None)
        for m in _WORD.finditer(text)
        if not any(start <= m.start() < end for start, end in either)
    ]


def directions_of(text: str, extents: list[tuple[int, int]], changes: list[bool]) -> list[tuple[int, int]]:
    """For each figure extent its (direction, trend).

    ``direction`` is the sign that a word gives the figure itself (``fell 5 %``, ``a loss of 5``); ``trend`` the way
    the metric moved where the figure is a level (``fell to 5``). ``changes`` says which figures are of a kind that is
    usually a change (percent, points).
    """
    words = direction_words(text)
    if not words:
        return [(0, 0)] * len(extents)
    found: list[tuple[int, int]] = []
    for index, (start, end) in enumerate(extents):
        previous = extents[index - 1] if index else None
        inherited = found[index - 1] if index else (0, 0)
        found.append(_direction(text, start, end, words, previous, inherited, changes[index]))
    return found


def _direction(
    text: str,
    start: int,
    end: int,
    words: list[tuple[int, int, int, bool]],
    previous: tuple[int, int] | None,
    inherited: tuple[int, int],
    change: bool,
) -> tuple[int, int]:
    after = _NOUN_AFTER.match(text[end : end + 60])
    if after and not _BREAK.search(after[0]):
        return _sign(after), 0
    before = [word for word in words if word[1] <= start and start - word[1] < 120]
    if not before:
        return 0, 0
    floor = previous[1] if previous else 0
    near = [word for word in before if word[0] >= floor]
    if not near:
        if previous and any(inherited) and _CHAIN.match(text[previous[1] : start]):
            return inherited
        losses = [w for w in before if w[3]]
        if losses and not change and not _BREAK.search(text[losses[-1][1] : start]):
            return -1, 0
        return 0, 0
    word = near[-1]
    between = text[word[1] : start]
    if _BREAK.search(between):
        return 0, 0
    if word[3]:
        return (-1, 0)
    if _LEVEL.search(between + " ") or _LEVEL.search(between):
        losses = [w for w in before if w[3] and not _BREAK.search(text[w[1] : start])]
        return (-1 if losses else 0), word[2]
    return word[2], 0
