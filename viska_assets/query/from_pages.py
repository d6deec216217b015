"""The synthesis path: read the index, open one or two pages, answer from their cited claims."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from viska_assets.okf.page import ParsedPage
from viska_assets.query.answerer import Answerer, Material
from viska_assets.query.answers import Answer, AnswerClaim
from viska_assets.query.names import NameTable
from viska_assets.query.opened_pages import opened_page
from viska_assets.query.page_choice import Choice, choose_pages
from viska_assets.query.page_figures import asked_figures
from viska_assets.query.page_statements import asked_statements
from viska_assets.query.support import supported_answer
from viska_assets.query.wording import Asked, Asking
from viska_assets.store.aliases import aliases
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Connection
from viska_assets.store.index_rows import index_rows, page_texts

CLAIMS = 10
# A second page whose index entry fits much less than the first's is not opened for words.
SECOND_PAGE = 0.75


@dataclass(frozen=True)
class Chosen:
    """What the index said to a question: the question taken apart, the issuers it names, the pages that fit."""

    question: Asking
    asked: Asked
    issuers: tuple[str, ...]
    choice: Choice


def answer_from_pages(
    connection: Connection,
    question: Asking,
    *,
    answerer: Answerer | None = None,
    evidence: StoredEvidence | None = None,
) -> Answer:
    """The answer of the synthesis tier alone; every claim of it passes the gate's P1 and P2.

    Args:
        connection: read access to both tiers.
        question: what is asked.
        answerer: who writes the answer from the pages; the extractive one where not given.
        evidence: chunks that were read before, to be read once only.
    """
    chosen = choose(connection, question, NameTable(aliases(connection)))
    return answer_from_chosen(connection, chosen, evidence or StoredEvidence(connection), answerer=answerer)[0]


def choose(connection: Connection, question: Asking, names: NameTable) -> Chosen:
    """Reads the index and chooses the pages that fit best, two at most; opens none."""
    named = names.named_in(question.text)
    issuers = (question.issuer,) if question.issuer else tuple(name.concept_id for name in named)
    words = {word for name in named for word in name.alias.lower().split()}
    asked = Asked(question.text, names=frozenset(words))
    return Chosen(question, asked, issuers, choose_pages(index_rows(connection, end_of_day(question)), asked, issuers))


def end_of_day(question: Asking) -> datetime | None:
    """The last instant of the day from which a question is asked."""
    if question.as_of is None:
        return None
    return datetime.combine(question.as_of + timedelta(days=1), time(), UTC) - timedelta(microseconds=1)


def answer_from_chosen(
    connection: Connection, chosen: Chosen, evidence: StoredEvidence, *, answerer: Answerer | None = None
) -> tuple[Answer, tuple[ParsedPage, ...]]:
    """The answer of the chosen pages, and those that were opened: the second only where the first leaves room."""
    if not chosen.choice.opened:
        hidden = ", ".join(row.concept_id for row in chosen.choice.withheld)
        return Answer(reason=f"lint withholds {hidden}" if hidden else "the index lists no page that fits"), ()
    pages: tuple[ParsedPage, ...] = ()
    claims: Sequence[AnswerClaim] = ()
    for wanted in range(1, len(chosen.choice.opened) + 1):
        pages += _open(connection, chosen, wanted - 1)
        if answerer is None:
            claims = extract_from_pages(chosen, pages)
            if _is_enough(chosen, claims):
                break
    if answerer is not None:
        claims = answerer(chosen.question, Material(pages=pages))
    evidence.preload(entry.chunk for claim in claims[:CLAIMS] for entry in claim.sources if entry.chunk)
    return supported_answer(claims, tuple(parsed.path for parsed in pages), evidence, CLAIMS), pages


def _open(connection: Connection, chosen: Chosen, at: int) -> tuple[ParsedPage, ...]:
    texts = page_texts(connection, [chosen.choice.opened[at].concept_id], end_of_day(chosen.question))
    return tuple(opened_page(page.text, f"{page.concept_id}.md") for page in texts)


def _is_enough(chosen: Chosen, claims: Sequence[AnswerClaim]) -> bool:
    """Whether what the first page says is all that is asked for."""
    asked, fits = chosen.asked, chosen.choice.fits
    if asked.wants_number:
        wanted = max(1, len(asked.metrics)) * max(1, len(asked.periods)) * max(1, len(chosen.issuers))
        return len(claims) >= wanted
    return bool(claims) and len(fits) > 1 and fits[1] < SECOND_PAGE * fits[0]


def extract_from_pages(chosen: Chosen, pages: Sequence[ParsedPage]) -> list[AnswerClaim]:
    """The claims of pages that answer a question, as the pages state them."""
    if chosen.asked.wants_number:
        return asked_figures(pages, chosen.asked, chosen.issuers)
    # what a page does not say in words it may say in a figure
    return asked_statements(pages, chosen.asked) or asked_figures(pages, chosen.asked, chosen.issuers)
