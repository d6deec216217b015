"""What an issuer itself expects: the sentences of its releases and filings that name a metric and a figure to come."""

import re
from collections.abc import Iterator

from viska_assets.maintain.extractive.citing import cite_quote
from viska_assets.maintain.extractive.view import DocumentView
from viska_assets.maintain.markdown import escape_markdown
from viska_assets.model.delta import Statement
from viska_assets.model.evidence import Evidence, Unit
from viska_assets.model.span import Span
from viska_assets.model.views import CitedChunk
from viska_assets.text.metrics import metrics_in
from viska_assets.text.periods import find_periods
from viska_assets.text.sentences import split_sentences

MOST_SENTENCES = 6
OUTLOOK = re.compile(
    r"\b(?:guidance|outlook"
    r"|(?:we|the company|management) (?:currently |now )?(?:expects?|anticipates?|forecasts?|projects?)"
    r"|(?:is|are) (?:currently |now )?(?:expected|forecast|projected|anticipated) "
    r"to (?:be|grow|increase|decrease|decline))\b",
    re.IGNORECASE,
)
# Sentences of the notes about accounting that only sound like an outlook.
BOOKKEEPING = re.compile(
    r"\b(?:amortiz|recogniz|unrecognized|weighted[- ]average period|adopt|accounting standard|vest|lease|pension"
    r"|contribut|matur|remaining performance|purchase obligations?|deriv|reclassif)",
    re.IGNORECASE,
)
_FIGURES = (Unit.MONEY, Unit.PERCENT, Unit.PER_SHARE, Unit.BASIS_POINT, Unit.PERCENTAGE_POINT)


def guidance_statements(view: DocumentView) -> list[Statement]:
    """Verbatim sentences of running text, each with an outlook's words, a metric, a figure and a period not yet over.

    A sentence without a period of its own counts only where it says guidance or outlook itself. At most
    ``MOST_SENTENCES``, in reading order.
    """
    found: list[Statement] = []
    for chunk, sentence in _sentences(view):
        citation = cite_quote(chunk, sentence, view.title)
        statement = Statement(text=f"“{escape_markdown(sentence)}”", supports=(citation,)) if citation else None
        if statement and statement not in found:
            found.append(statement)
        if len(found) == MOST_SENTENCES:
            break
    return found


def _sentences(view: DocumentView) -> Iterator[tuple[CitedChunk, str]]:
    for chunk in view.chunks:
        if chunk.table or not OUTLOOK.search(chunk.text):
            continue
        for span in split_sentences(chunk.text):
            text = span.of(chunk.text).strip()
            if OUTLOOK.search(text) and not BOOKKEEPING.search(text) and metrics_in(text):
                inside = _figures_in(chunk, span)
                if inside and _is_to_come(view, chunk, text):
                    yield chunk, text


def _figures_in(chunk: CitedChunk, span: Span) -> list[Evidence]:
    absolute = span.shifted(chunk.span.start)
    return [e for e in chunk.evidence if e.unit in _FIGURES and absolute.covers(e.span)]


def _is_to_come(view: DocumentView, chunk: CitedChunk, text: str) -> bool:
    """Whether the sentence speaks of a period that ends after the document became known."""
    known = view.stored.known_at.date()
    ends = [found.period.end for found in find_periods(text, chunk.fiscal_year_end) if found.period]
    if ends:
        return max(ends) > known
    return bool(re.search(r"\b(?:guidance|outlook)\b", text, re.IGNORECASE))
