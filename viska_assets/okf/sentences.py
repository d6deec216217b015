"""Where the sentences of a page's text end: full stops that are not those of abbreviations, initials or numbers."""

import re

from viska_assets.model.span import Span

_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s+[\"'“‘(\[]?[A-Z0-9$€£¥])")
_LAST_WORD = re.compile(r"[\w&'-]+(?:\.[\w&'-]+)*$")
_ABBREVIATIONS = re.compile(
    r"approx|art|bn|ca|ch|cf|cl|co|corp|dept|dr|e\.g|ed|eq|est|etc|excl|exh|fig|gov|i\.e|inc|incl|int|jr|kr|lic|llc|llp"
    r"|ltd|max|mia|min|mio|mm|mn|mr|mrd|mrs|ms|mt|nr|nos?|op|pp?|pct|plc|pres|prof|pt|pty|sec|sen|ser|sr|st|tkr|tn"
    r"|u\.k|u\.s|u\.s\.a|vol|vs|yr|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec",
    re.IGNORECASE,
)


def sentence_spans(text: str) -> tuple[Span, ...]:
    """The sentences of a paragraph, in order, without the white space between them; empty for blank text."""
    spans: list[Span] = []
    start = 0
    for end in _END.finditer(text):
        if text[end.start()] == "." and _is_abbreviation(text[start : end.start()]):
            continue
        spans.append(_trimmed(text, start, end.end()))
        start = end.end()
    if text[start:].strip():
        spans.append(_trimmed(text, start, len(text)))
    return tuple(spans)


def _is_abbreviation(before: str) -> bool:
    word = _LAST_WORD.search(before)
    if word is None:
        return False
    last = word[0]
    is_initial = len(last) == 1 and last.isupper()
    return is_initial or _ABBREVIATIONS.fullmatch(last) is not None


def _trimmed(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return Span(start + left, start + len(piece.rstrip()))
