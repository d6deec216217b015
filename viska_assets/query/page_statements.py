"""Statements on pages: the cited sentences and list items that answer a question for words, by what it asks about."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from viska_assets.model.claim_unit import ClaimUnit, UnitKind
from viska_assets.okf.page import ParsedPage
from viska_assets.query.answers import AnswerClaim
from viska_assets.query.opened_pages import units_of
from viska_assets.query.page_figures import cited_entries, claim_of, figures_of
from viska_assets.query.wording import Asked

LEAST_FIT = 0.25

# What a question may ask of a view, by the section of a thesis that holds it.
_ASPECTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("View", re.compile(r"\b(?:rating|rated?|rates|recommend\w*|stance|price\s+target|target\s+price)\b", re.I)),
    (
        "Arguments",
        re.compile(
            r"\b(?:arguments?|argues?|why|reasons?|bulls?|bullish|case\s+for|drivers?|likes?|upside|supports?)\b", re.I
        ),
    ),
    (
        "Risks",
        re.compile(r"\b(?:risks?|threats?|bears?|bearish|case\s+against|worr\w+|concerns?|downside|dislikes?)\b", re.I),
    ),
)
_WHOLE_VIEW = re.compile(
    r"\b(?:thes[ie]s|views?|opinion|summar\w+|overview|thinks?|believes?|outlook|say|says|brief)\b", re.I
)
# Asks for the whole of a company, which its key figures give where no statement does.
_OVERVIEW = re.compile(
    r"\b(?:overview|summar\w+|brief|results?|how\s+(?:is|are|was|were|did|has|have)\b.*\b(?:do(?:ing|ne)?|perform\w*)|"
    r"tell\s+me\s+about|what\s+do\s+we\s+know|views?|thes[ie]s)\b",
    re.I,
)
_KEY_METRICS = ("revenue", "operating_income", "net_income", "eps_diluted")


@dataclass(frozen=True)
class _Statement:
    parsed: ParsedPage
    unit: ClaimUnit
    section: str


def asked_statements(pages: Sequence[ParsedPage], asked: Asked) -> list[AnswerClaim]:
    """The statements that a question asks for, best first and otherwise in reading order."""
    aspects = [section for section, cue in _ASPECTS if cue.search(asked.question)]
    whole = not aspects or bool(_WHOLE_VIEW.search(asked.question))
    houses = [_fit_of_title(asked, parsed) for parsed in pages]
    scored: list[tuple[float, int, AnswerClaim]] = []
    for rank, parsed in enumerate(pages):
        if houses[rank] < max(houses) - 0.1:
            continue
        for statement in _statements(parsed):
            fit = _fit(asked, statement, aspects, whole) - 0.03 * rank
            if fit >= LEAST_FIT:
                scored.append((fit, len(scored), _claim(statement, min(1.0, fit))))
    best = [claim for _, _, claim in sorted(scored, key=lambda item: (-round(item[0], 6), item[1]))]
    texts = [claim.text for claim in best]
    said = [c for c in best if not any(_plain(c.text) in _plain(t) for t in texts if t != c.text)]
    return said or (_key_figures(pages) if _OVERVIEW.search(asked.question) else [])


def _plain(text: str) -> str:
    return text.strip("“”. ")


def _fit_of_title(asked: Asked, parsed: ParsedPage) -> float:
    """How well a page's title fits, so that a house that is named speaks alone."""
    return max(0.0, asked.overlap(parsed.page.head.title))


def _statements(parsed: ParsedPage) -> Iterator[_Statement]:
    for unit in units_of(parsed):
        if unit.kind in (UnitKind.SENTENCE, UnitKind.LIST_ITEM) and unit.marks and not unit.exempt:
            yield _Statement(parsed, unit, unit.section)


def _fit(asked: Asked, statement: _Statement, aspects: Sequence[str], whole: bool) -> float:
    fit = max(0.0, asked.overlap(f"{statement.section} {statement.unit.text}"))
    if statement.section in aspects:
        return 0.6 + fit
    if whole and statement.section in ("View", "Arguments", "Risks"):
        return (0.5 if statement.section == "View" else 0.4) + fit
    return fit if not aspects else fit - 0.2


def _claim(statement: _Statement, fit: float) -> AnswerClaim:
    page = statement.parsed.page
    return AnswerClaim(statement.unit.text, cited_entries(page, statement.unit), fit, page.concept_id)


def _key_figures(pages: Sequence[ParsedPage]) -> list[AnswerClaim]:
    """The newest key figures of an issuer's page, for a question that wants an overview and finds no statement."""
    found: list[AnswerClaim] = []
    for parsed in pages:
        if parsed.page.head.type.value not in ("Issuer", "Metric", "Holding"):
            continue
        figures = [f for f in figures_of(parsed) if not f.is_change and not f.segment and f.quantity]
        for metric in (*_KEY_METRICS, None):
            own = [f for f in figures if (f.metric == metric if metric else parsed.page.head.type.value != "Issuer")]
            if own:
                newest = max(own, key=lambda f: (f.period.end.toordinal() if f.period else 0, -f.unit.span.start))
                found.append(claim_of(newest, 0.4))
    return list({claim.text: claim for claim in found}.values())
