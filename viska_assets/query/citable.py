"""Everything in the opened pages or found chunks that an answer could cite, as claims in the words of their places."""

from collections.abc import Iterator

from viska_assets.guardrail.locate import locator_of
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.model.views import CitedChunk
from viska_assets.okf.page import ParsedPage
from viska_assets.query.answerer import Material
from viska_assets.query.answers import AnswerClaim
from viska_assets.query.from_passages import NO_FIGURES, figure_claim, quotable_sentences, quote_claim
from viska_assets.query.opened_pages import units_of
from viska_assets.query.page_figures import cited_entries, claim_of, figures_of
from viska_assets.query.wording import Asked, Asking


def citable_claims(question: Asking, material: Material, limit: int) -> list[AnswerClaim]:
    """What could be cited for a question, best first: by shared words, then in the order it was found.

    Args:
        question: what is asked.
        material: pages or chunks.
        limit: how many claims at most.
    """
    asked = Asked(question.text)
    found = list(_of_pages(material) if material.pages else _of_chunks(material))
    once = {claim.text: claim for claim in reversed(found)}
    scored = [(asked.overlap(text), -number, once[text]) for number, text in enumerate(reversed(once))]
    return [claim for _, _, claim in sorted(scored, key=lambda item: (-item[0], -item[1]))[:limit]]


def _of_pages(material: Material) -> Iterator[AnswerClaim]:
    for parsed in material.pages:
        yield from _of_page(parsed)


def _of_page(parsed: ParsedPage) -> Iterator[AnswerClaim]:
    figures = [figure for figure in figures_of(parsed) if figure.quantity is not None]
    yield from (claim_of(figure, 1.0) for figure in figures)
    known = {figure.unit.span for figure in figures}
    for unit in units_of(parsed):
        if unit.marks and not unit.exempt and unit.span not in known:
            yield AnswerClaim(unit.text, cited_entries(parsed.page, unit), 1.0, parsed.page.concept_id)


def _of_chunks(material: Material) -> Iterator[AnswerClaim]:
    for chunk in material.chunks:
        yield from _of_chunk(chunk)


def _of_chunk(chunk: CitedChunk) -> Iterator[AnswerClaim]:
    reading = ChunkReading(chunk)
    for evidence in chunk.evidence:
        locator = None if evidence.unit in NO_FIGURES else locator_of(evidence, reading)
        if locator is not None:
            yield figure_claim(chunk, evidence, locator, 1.0)
    yield from (quote_claim(chunk, text, 1.0) for text in quotable_sentences(chunk))
