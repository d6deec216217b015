"""Which pages to open: the index read once, its entries weighed against the question, two at most."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from viska_assets.query.wording import Asked
from viska_assets.retrieval.analyser import term_set
from viska_assets.store.index_rows import IndexRow

PAGES = 2

_VIEW = re.compile(
    r"\b(?:thes[ie]s|views?|stance|rating|rated?|rates|price\s+target|target\s+price|recommend\w*|opinion|arguments?|argues?|risks?|"
    r"threats?|bulls?|bears?|bullish|bearish|outlook|thinks?|believes?|conviction|upside|downside|case\s+(?:for|against)|"
    r"likes?|dislikes?|worr\w+|concerns?|own\s+words|says?\s+about|broker\w*|analysts?|house)\b",
    re.I,
)
_POSITION = re.compile(
    r"\b(?:holdings?|positions?|do\s+we\s+(?:hold|own)|we\s+(?:hold|own)|our\s+(?:stake|shares|cost)|quantity|cost\s+(?:basis|per\s+share)|"
    r"how\s+many\s+shares|stake|exposure|pay\s+for|paid\s+for)\b",
    re.I,
)
_EVENT = re.compile(
    r"\b(?:events?|news|happened|published|filed|announc\w+|press\s+release|timeline|log|recent)\b", re.I
)
_PORTFOLIO = re.compile(r"\b(?:portfolio|fund|twr|time-weighted|performance|performed)\b", re.I)
_OVERVIEW = re.compile(
    r"\b(?:summar\w+|overview|profile|brief\s+me|key\s+figures|at\s+a\s+glance|know\s+about|tell\s+me\s+about)\b", re.I
)


@dataclass(frozen=True)
class Choice:
    """The pages that fit a question best, and those that would have but are kept out of sight by lint."""

    opened: tuple[IndexRow, ...]
    withheld: tuple[IndexRow, ...]
    entries: int
    fits: tuple[float, ...] = ()


def choose_pages(rows: Sequence[IndexRow], asked: Asked, issuers: Sequence[str]) -> Choice:
    """The best pages by their index entries; pages of sources are pointers and never answer.

    Args:
        rows: the index.
        asked: the question.
        issuers: the issuers that the question names or is scoped to; where it names two, each gets a page.
    """
    scored = [(index_fit(asked, row, issuers), row) for row in rows if row.type != "Source"]
    ranked = sorted(((fit, row) for fit, row in scored if fit > 0), key=lambda item: (-item[0], item[1].concept_id))
    best = _spread(ranked, issuers)
    opened = [item for item in best if not item[1].withheld][:PAGES]
    withheld = tuple(row for _, row in best[:PAGES] if row.withheld)
    return Choice(tuple(row for _, row in opened), withheld, len(rows), tuple(fit for fit, _ in opened))


def _spread(ranked: list[tuple[float, IndexRow]], issuers: Sequence[str]) -> list[tuple[float, IndexRow]]:
    """The ranking with the best page of each named issuer first, where several are named."""
    if len(issuers) < 2:
        return ranked
    first: list[tuple[float, IndexRow]] = []
    for issuer in issuers:
        own = next((item for item in ranked if item not in first and is_about(item[1].concept_id, issuer)), None)
        if own is not None:
            first.append(own)
    return first + [item for item in ranked if item not in first]


def is_about(concept_id: str, issuer: str) -> bool:
    """Whether a page is about an issuer, by its slug: the issuer's own, or one that holds it as whole words."""
    slug = issuer.rsplit("/", 1)[-1]
    return f"-{slug}-" in f"-{concept_id.rsplit('/', 1)[-1]}-"


def index_fit(asked: Asked, row: IndexRow, issuers: Sequence[str]) -> float:
    """How well an index entry fits: its words, whom it is about, and whether its type holds what is asked for."""
    fit = max(0.0, asked.overlap(f"{row.title} {row.description}"))
    about = any(is_about(row.concept_id, issuer) for issuer in issuers)
    if issuers and not about and row.type != "Metric":
        return 0.0
    if not issuers and row.type != "Metric" and not asked.terms & term_set(row.title):
        # A company that nobody knows by this name must not be answered for by another's page.
        return 0.0
    fit += 0.5 * about
    text = asked.question
    view, position = bool(_VIEW.search(text)), bool(_POSITION.search(text))
    overview = bool(_OVERVIEW.search(text))
    match row.type:
        case "Thesis":
            fit += 0.4 if view else 0.1 if overview else -0.2
        case "Holding":
            fit += 0.5 if position else -0.2
        case "Issuer":
            fit += 0.3 if (asked.metrics or overview) and not position else 0.0
        case "Event":
            fit += 0.2 if _EVENT.search(text) else -0.2
        case "Metric":
            fit += 0.4 if _PORTFOLIO.search(text) else -0.1
        case _:
            pass
    return fit
