"""Research: a question to the tier that the router names, answered with claims whose sources are resolved to spans."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from viska_assets.okf.page import ParsedPage
from viska_assets.query.answers import Answer, AnswerClaim
from viska_assets.query.current import current_chunks
from viska_assets.query.errors import QueryError
from viska_assets.query.from_pages import Chosen, answer_from_chosen, choose, end_of_day
from viska_assets.query.from_passages import PASSAGES, answer_from_chunks
from viska_assets.query.library import Reader
from viska_assets.query.names import NameTable
from viska_assets.query.results import (
    Confidence,
    Explanation,
    Reply,
    Route,
    Source,
    Statement,
    Tier,
)
from viska_assets.query.routing import route_chosen
from viska_assets.query.search import decompose, index_of
from viska_assets.query.sources import resolve_sources
from viska_assets.query.wording import Asking
from viska_assets.retrieval.search import hybrid_search
from viska_assets.store.aliases import aliases
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.scope import UNTRUSTED, SearchScope

# Under this the reply says in words that it is unsure.
UNSURE = 0.4
RELATED = 10
_MARKER_LIKE = re.compile(r"\[(?=\d+\])")


@dataclass
class _Trail:
    """What was asked of each tier on the way to a reply."""

    legs: dict[str, int]
    degraded: tuple[str, ...] = ()
    pages: tuple[ParsedPage, ...] = ()
    remarks: tuple[str, ...] = ()


def answer(reader: Reader, question: Asking, *, tier: Tier | None = None) -> Reply:
    """The reply to a question. Every claim in it passes P1 and P2, and every marker resolves to a source.

    Args:
        reader: whose connection, engines, gate and namespaces are used.
        question: what is asked, of whom, and as of when; nothing that became known later counts.
        tier: overrides the router.

    Raises:
        QueryError: for an empty question.
    """
    question = replace(question, text=question.text[:10_000].replace("\0", " "))
    if not question.text.strip():
        raise QueryError("the question is empty", "ask for something")
    chosen = choose(reader.connection, question, NameTable(aliases(reader.connection)))
    route = route_chosen(reader, chosen, tier)
    evidence = StoredEvidence(reader.connection)
    trail = _Trail({})
    said = Answer()
    if route.tier is not Tier.RETRIEVAL:
        said, trail.pages = answer_from_chosen(reader.connection, chosen, evidence, answerer=reader.answerer)
        if said.abstains:
            trail.remarks += (f"the pages do not answer: {said.reason}; passages were asked instead",)
    if said.abstains:
        opened = said.pages_opened
        said = replace(_from_passages(reader, chosen, evidence, trail), pages_opened=opened)
    return _reply(reader, chosen, route, said, trail, evidence)


def _from_passages(reader: Reader, chosen: Chosen, evidence: StoredEvidence, trail: _Trail) -> Answer:
    """The answer of the retrieval tier in the reader's namespaces; the first that answers counts."""
    question, issuers = chosen.question, chosen.issuers
    scope = SearchScope(entity=issuers[0] if len(issuers) == 1 else None, known_at=end_of_day(question))
    said = Answer(reason="no passage was found")
    index = index_of(reader, reader.namespaces)
    for namespace in index.namespaces:
        found = hybrid_search(
            reader.connection,
            index.embedder,
            question.text,
            replace(scope, namespace=namespace),
            PASSAGES,
            reranker=reader.reranker,
            model=index.model,
        )
        trail.degraded = tuple(sorted({*trail.degraded, *found.degraded}))
        for leg, number in found.legs.items():
            trail.legs[leg] = trail.legs.get(leg, 0) + number
        ids = [passage.chunk_id for passage in found.passages]
        evidence.preload(ids)
        chunks = [chunk for chunk in map(evidence.chunk, ids) if chunk is not None]
        current = current_chunks(reader.connection, chunks, evidence, end_of_day(question))
        said = answer_from_chunks(question, current.chunks, evidence, answerer=reader.answerer)
        if not said.abstains:
            trail.remarks += current.remarks(entry.chunk for claim in said.claims for entry in claim.sources)
            break
    return said


def _reply(
    reader: Reader, chosen: Chosen, route: Route, said: Answer, trail: _Trail, evidence: StoredEvidence
) -> Reply:
    sources = _sources(reader, said, evidence)
    markers = {source.id: source.marker for source in sources}
    statements = tuple(_statement(claim, markers) for claim in said.claims)
    at = end_of_day(chosen.question) or reader.now
    stale = {p.page.concept_id: until.date() for p in trail.pages if (until := p.page.head.stale_after) and until < at}
    remarks = [*route.notes, *trail.remarks, *(f"{page} is stale since {day}" for page, day in stale.items())]
    remarks += [f"withheld ({what})" for what in said.withheld]
    remarks += [
        f"{s.marker} comes from a sender who is not authenticated" for s in sources if s.authentication in UNTRUSTED
    ]
    confidence = _confidence(said, sources, bool(stale))
    if statements and confidence.value < UNSURE:
        remarks.append("Viska is unsure whether this answers the question")
    if trail.degraded:
        remarks.append(f"searched without: {', '.join(trail.degraded)}")
    for source in sources:
        reader.show(source.where.namespace, source.where.uri)
    remarks += [reader.announcement] if reader.private else []
    decomposition = decompose(chosen.asked, chosen.issuers)
    return Reply(
        question=chosen.question.text,
        route=route,
        text=with_markers(statements),
        statements=statements,
        sources=sources,
        confidence=confidence,
        explanation=Explanation(decomposition, reader.namespaces, trail.legs, trail.degraded, reader.private),
        reason=said.reason if not statements else "",
        pages_opened=said.pages_opened,
        indexes_read=1,
        related=_related(trail.pages),
        remarks=tuple(dict.fromkeys(remarks)),
    )


def _sources(reader: Reader, said: Answer, evidence: StoredEvidence) -> tuple[Source, ...]:
    """The sources of all claims, each once, in the order of the claims."""
    entries = {entry.id: (entry, claim.page) for claim in said.claims for entry in claim.sources}
    return resolve_sources(reader.connection, list(entries.values()), evidence)


def _statement(claim: AnswerClaim, markers: dict[str, str]) -> Statement:
    return Statement(
        claim.text,
        tuple(markers[entry.id] for entry in claim.sources if entry.id in markers),
        claim.value,
        claim.unit,
        claim.currency,
        claim.period,
    )


def with_markers(statements: Sequence[Statement]) -> str:
    """Statements with their markers, one a line; what looks like a marker in the words of a source is escaped."""
    return "\n".join(_MARKER_LIKE.sub(r"\\[", said.text) + " " + "".join(said.markers) for said in statements)


def markers_in(text: str) -> tuple[str, ...]:
    """The markers of a reply's text, in order; escaped brackets of the sources' own words are none."""
    return tuple(re.findall(r"(?<!\\)\[\d+\]", text))


def _confidence(said: Answer, sources: Sequence[Source], stale: bool) -> Confidence:
    """How well the weakest claim fits, less for pages that are stale and senders who are not authenticated."""
    if not said.claims:
        return Confidence(0.0, "nothing is said")
    fit = min(claim.fit for claim in said.claims[:1])
    untrusted = any(source.authentication in UNTRUSTED for source in sources)
    value = fit * (0.8 if stale else 1.0) * (0.6 if untrusted else 1.0)
    return Confidence(round(min(1.0, value), 4), f"the first claim fits the question by {fit:.2f}; not calibrated")


def _related(pages: Sequence[ParsedPage]) -> tuple[str, ...]:
    """The pages that the opened ones link to: their neighbours in the graph, sources left out."""
    opened = {parsed.page.concept_id for parsed in pages}
    linked = (link.target.concept_id for parsed in pages for link in parsed.links)
    found = dict.fromkeys(c for c in linked if c and c not in opened and not c.startswith("sources/"))
    return tuple(found)[:RELATED]
