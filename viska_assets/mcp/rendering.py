"""From the function layer's results to what tools return, and to the short text that a model reads."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from viska_assets.mcp.replies import (
    AnswerOut,
    CheckOut,
    HitOut,
    OpenOut,
    Place,
    SearchOut,
    SourceOut,
    TracedOut,
    as_pair,
    snippet,
)

if TYPE_CHECKING:
    from viska_assets.query.opening import Opened
    from viska_assets.query.results import Found, Hit, Reply, Source, Where
    from viska_assets.query.source_check import Checked
    from viska_assets.query.trace import Traced

LONGEST_QUOTE = 400


def place_of(where: "Where") -> Place:
    """A place."""
    return Place(uri=where.uri, title=where.title, namespace=where.namespace, span=as_pair(where.span), page=where.page)


def hit_out(hit: "Hit", terms: list[str], *, full: bool) -> HitOut:
    """A hit, its text cut to a snippet unless the whole is asked for."""
    factors = hit.factors
    return HitOut(
        id=hit.id,
        kind=hit.kind.value,
        found_in=hit.found_in.value,
        place=place_of(hit.where),
        text=hit.text[:8_000] if full else snippet(hit.text, terms),
        date=str(hit.date),
        contributor=hit.contributor,
        confidence=hit.confidence.value,
        calibrated=hit.confidence.calibrated,
        score=hit.score,
        factors={
            "relevance": factors.relevance,
            "recency": factors.recency,
            "confidence": factors.confidence,
            "recency_weight": factors.recency_weight,
            "confidence_weight": factors.confidence_weight,
            "corroboration": factors.corroboration,
        },
        ranks=hit.ranks,
        also_at=[where.uri for where in hit.also_at],
        remarks=list(hit.remarks),
    )


def search_out(
    found: "Found", hits: list[HitOut], more: int, next_cursor: str | None, contradictions: Sequence[str] = ()
) -> SearchOut:
    """A page of hits with the explanation."""
    explanation = found.explanation
    return SearchOut(
        hits=hits,
        terms=list(explanation.decomposition.terms)[:40],
        intent=explanation.decomposition.intent,
        namespaces=list(explanation.namespaces),
        legs=explanation.legs,
        degraded=list(explanation.degraded),
        private=list(explanation.private),
        contradictions=[said[:300] for said in contradictions[:10]],
        more=more,
        next_cursor=next_cursor,
    )


def search_text(out: SearchOut, first: int) -> str:
    """Hits for a model: title, place and the beginning of the text; the structure has the rest."""
    lines = []
    for number, hit in enumerate(out.hits, first):
        page = f", page {hit.place.page}" if hit.place.page else ""
        remark = f" ({'; '.join(hit.remarks)})" if hit.remarks else ""
        lines.append(
            f"{number}. {hit.place.title}{page}, {hit.date[:10]}{remark}: {hit.place.uri}\n   {hit.text[:160]}"
        )
    if not lines:
        lines = ["Nothing was found."]
    if out.private:
        lines.append(f"Private vaults were opened for this, and that is logged: {', '.join(out.private)}.")
    lines += [f"Contradiction: {said}" for said in out.contradictions]
    if out.degraded:
        lines.append(f"Searched without: {', '.join(out.degraded)}.")
    if out.next_cursor:
        lines.append(f"{out.more} more; continue with cursor={out.next_cursor!r}.")
    return "\n".join(lines)


def source_out(source: "Source", *, full: bool) -> SourceOut:
    """A source, with its surroundings if they are asked for."""
    return SourceOut(
        marker=source.marker,
        id=source.id,
        place=place_of(source.where),
        locator=source.locator[:LONGEST_QUOTE],
        quoted=source.quoted[:LONGEST_QUOTE],
        passage=source.passage if full else "",
        date=str(source.date),
        contributor=source.contributor,
        found_in=source.found_in.value,
        cited_by=source.cited_by,
        pinned=source.pinned,
        sender=source.authentication,
    )


def answer_out(reply: "Reply", sources: list[SourceOut], more_sources: int) -> AnswerOut:
    """An answer."""
    return AnswerOut(
        text=reply.text,
        reason=reply.reason,
        tier=reply.route.tier.value,
        rule=reply.route.rule_id,
        why=reply.route.reason,
        cues=list(reply.route.cues),
        confidence=reply.confidence.value,
        sources=sources,
        pages_opened=list(reply.pages_opened),
        related=list(reply.related),
        remarks=list(reply.remarks)[:12],
        degraded=list(reply.explanation.degraded),
        more_sources=more_sources,
    )


def answer_text(reply: "Reply") -> str:
    """An answer for a model, with the sources that its markers name."""
    if not reply.answers:
        return "\n".join([f"No answer: {reply.reason}", *(f"Note: {remark}" for remark in reply.remarks)])
    lines = [reply.text, "", "Sources:"]
    for source in reply.sources:
        name = source.computation or f"{source.where.title}, {str(source.date)[:10]}, {source.locator[:80]}"
        lines.append(f"{source.marker} {name}: {source.where.uri}")
    lines += [f"Note: {remark}" for remark in reply.remarks]
    return "\n".join(lines)


def traced_out(traced: "Traced") -> TracedOut:
    """A citation to its bytes."""
    source = traced.source
    return TracedOut(
        **source_out(source, full=False).model_dump(),
        document=traced.document,
        source_span=as_pair(source.where.source_span),
        byte_span=as_pair(source.where.byte_span),
        file=f"viska://source/{source.where.document_id[:16]}",
        bytes_note=traced.bytes_note,
    )


def open_out(opened: "Opened") -> OpenOut:
    """What was opened."""
    return OpenOut(
        uri=opened.uri,
        kind=opened.kind.value,
        title=opened.title,
        text=opened.text,
        span=(opened.span.start, opened.span.end),
        total=opened.total,
        highlight=as_pair(opened.highlight),
        detail=opened.detail,
        next_offset=opened.next_offset,
        links=list(opened.links),
    )


def check_out(checked: "Checked") -> CheckOut:
    """A checked claim."""
    return CheckOut(
        claim=checked.claim[:2_000],
        standing=checked.standing.value,
        reason=checked.reason,
        codes=list(checked.codes),
        sources=[source_out(source, full=False) for source in checked.sources],
    )
