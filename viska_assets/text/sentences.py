"""Sentence splitting for finance prose: abbreviations, decimals and citation marks do not end a sentence."""

import re

from viska_assets.model.span import Span

_END = re.compile(
    r"(?=[.!?\n])"
    r"(?:[.!?]+[\"'”’)\]]*(?:\s?\[\^?[^\]\s]{1,40}\](?:\([^)\s]*\))?)*(?=\s|$)|\n\s*\n|(?<=[:;])\n)"
)
# Always followed by more of the sentence.
_TITLES = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "messrs",
        "st",
        "vs",
        "no",
        "nos",
        "approx",
        "ca",
        "cf",
        "e.g",
        "i.e",
        "eg",
        "ie",
        "fig",
        "figs",
        "para",
        "art",
        "sec",
        "resp",
        "incl",
        "excl",
        "est",
        "max",
        "min",
        "avg",
        "op",
        "u.s.c",
        "ff",
        "al",
        "pp",
        "p",
        "vol",
        "rev",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
    ]
)
# May end a sentence: decided by what follows.
_MAY_END = frozenset(
    [
        "inc",
        "corp",
        "co",
        "ltd",
        "llc",
        "plc",
        "l.p",
        "lp",
        "n.v",
        "s.a",
        "a.g",
        "ag",
        "a/s",
        "bros",
        "intl",
        "dept",
        "assn",
        "u.s",
        "u.k",
        "u.s.a",
        "e.u",
        "d.c",
        "p.m",
        "a.m",
        "etc",
        "cent",
        "cents",
        "pct",
        "bn",
        "mn",
        "mio",
        "mia",
        "mrd",
        "kr",
        "tkr",
        "th",
        "bps",
        "m",
        "b",
        "k",
        "t",
        "jr",
        "sr",
        "ph.d",
    ]
)
_OPENER = re.compile(r"\s+[\"'“‘(\[]*(?:[A-Z][\w’'-]*|[$€£]|\d)")
# Words that begin a sentence often enough after an abbreviation that may end one.
_STARTERS = frozenset(
    [
        "the",
        "a",
        "an",
        "this",
        "that",
        "these",
        "those",
        "it",
        "its",
        "we",
        "our",
        "he",
        "she",
        "they",
        "in",
        "on",
        "at",
        "for",
        "as",
        "by",
        "with",
        "from",
        "to",
        "of",
        "after",
        "before",
        "during",
        "net",
        "total",
        "gross",
        "operating",
        "revenue",
        "revenues",
        "sales",
        "management",
        "however",
        "although",
        "while",
        "there",
        "if",
        "when",
        "and",
        "but",
        "no",
        "all",
        "both",
        "each",
        "other",
        "such",
        "since",
        "under",
        "income",
        "cash",
        "diluted",
        "earnings",
        "growth",
        "margin",
    ]
)


def split_sentences(text: str) -> tuple[Span, ...]:
    """The spans of the sentences of ``text``, without surrounding white space, in order.

    A mark such as ``[^c1]`` after the full stop stays with its sentence; a fragment without letters joins its
    neighbour.
    """
    spans: list[Span] = []
    start = 0
    for match in _END.finditer(text):
        if match[0][0] in ".!?" and not _ends(text, match, start):
            continue
        _append(spans, text, start, match.end())
        start = match.end()
    _append(spans, text, start, len(text))
    return tuple(spans)


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start == end:
        return
    if spans and not any(char.isalpha() for char in text[start:end]) and "\n\n" not in text[spans[-1].end : start]:
        spans[-1] = Span(spans[-1].start, end)
        return
    spans.append(Span(start, end))


def _ends(text: str, match: re.Match[str], start: int) -> bool:
    """Whether the stop at ``match`` ends its sentence."""
    if match[0][0] != "." or match.end() == len(text):
        return True
    word = _word_before(text, match.start(), start)
    following = _OPENER.match(text, match.end())
    if following is None:
        return bool(re.match(r"\s*\n\s*\n", text[match.end() : match.end() + 8])) or "[" in match[0]
    if "[" in match[0]:
        return True
    next_word = following[0].strip(" \n\t\"'“‘([").lower()
    if word in _TITLES:
        return word not in ("no", "may", "mar") and word not in _TITLES
    if word in _MAY_END or re.fullmatch(r"(?:[a-z]\.)+[a-z]", word):
        return next_word in _STARTERS or (
            word in ("cent", "cents", "pct", "bn", "mn", "kr", "bps", "etc") and next_word.isalpha()
        )
    if len(word) == 1 and word.isalpha() and word != "i":
        return next_word in _STARTERS
    return not (word.isdigit() and len(word) <= 3 and match.start() - len(word) == start)


def _word_before(text: str, at: int, start: int) -> str:
    begin = at
    while begin > start and (text[begin - 1].isalnum() or text[begin - 1] in "./&'"):
        begin -= 1
    return text[begin:at].lower()
