"""Answers over several sources: the desk's own first, then what repositories and the web say, word for word."""

import re
from collections.abc import Sequence
from dataclasses import replace

from viska_assets.hermes.merging import Merged
from viska_assets.hermes.research import EXHAUSTED, Researched, research
from viska_assets.model.span import Span
from viska_assets.query.answer import UNSURE, answer, with_markers
from viska_assets.query.from_pages import end_of_day
from viska_assets.query.library import Reader
from viska_assets.query.results import Confidence, FoundIn, Reply, Route, Source, Statement, Tier
from viska_assets.query.weights import CAP
from viska_assets.query.wording import Asking
from viska_assets.store.scope import SearchScope

QUOTES = 3
LONGEST_QUOTE = 400
LABELS = {FoundIn.REPOSITORY: "Found in a repository", FoundIn.WEB: "Found on the web"}


def answer_from_sources(
    reader: Reader, question: Asking, *, sources: Sequence[FoundIn], tier: Tier | None = None
) -> Reply:
    """The reply to a question from several sources; every marker in it resolves to a source.

    The vaults answer as they always do, through the gate. Nothing of the other sources is put in other words: their
    best lines follow, quoted whole with a label of where they were found, and no figure of theirs becomes a value.

    Args:
        reader: whose connection, engines, policy and namespaces are used.
        question: what is asked, of whom, and as of when. Outside the vaults the company's name is a word like others.
        sources: where to look; the vaults alone are asked as by ``query.answer``.
        tier: overrides the router for the vaults.

    Raises:
        QueryError: for an empty question, and where a contradiction cannot be logged.
    """
    if set(sources) <= {FoundIn.VAULT}:
        return answer(reader, question, tier=tier)
    scope = SearchScope(entity=question.issuer, known_at=end_of_day(question))
    found = research(reader, question.text, sources=sources, scope=scope, limit=CAP)
    own = answer(reader, question, tier=tier) if FoundIn.VAULT in sources else _unasked(question, found)
    outside = [merged for merged in found.hits if merged.hit.found_in is not FoundIn.VAULT]
    sure = [merged for merged in outside if merged.hit.confidence.value >= EXHAUSTED]
    return _with_quotes(own, found, sure[:QUOTES], len(outside))


def _unasked(question: Asking, found: Researched) -> Reply:
    """The reply of vaults that were not to be asked."""
    return Reply(
        question=question.text,
        route=Route(Tier.RETRIEVAL, "explicit.sources", reason="sources outside the vaults were named"),
        text="",
        statements=(),
        sources=(),
        confidence=Confidence(0.0, "nothing is said"),
        explanation=found.explanation,
        reason="the sources that were named hold nothing that fits",
    )


def _with_quotes(own: Reply, found: Researched, quoted: Sequence[Merged], outside: int) -> Reply:
    first = len(own.sources) + 1
    sources = [_source(f"[{number}]", merged) for number, merged in enumerate(quoted, first)]
    quotes = tuple(_statement(source) for source in sources)
    statements = (*own.statements, *quotes)
    remarks = [*own.remarks, *found.remarks]
    remarks += [f"{gone.source} did not answer: {gone.reason}" for gone in found.missing]
    remarks += [conflict.explanation for conflict in found.compared.contradictions]
    remarks += [remark for merged in quoted for remark in merged.hit.remarks]
    if outside > len(quoted):
        remarks.append(f"{outside - len(quoted)} further hits outside the vaults fit less and are not quoted")
    confidence, reason = own.confidence, own.reason
    if quotes and not own.answers:
        remarks.append(f"the vaults do not answer: {own.reason}")
        best = max((merged.hit.confidence for merged in quoted), key=lambda found: found.value)
        confidence, reason = replace(best, basis=f"of the best quote: {best.basis}"), ""
        if best.value < UNSURE:
            remarks.append("Viska is unsure whether this answers the question")
    missing = (gone.source for gone in found.missing)
    return replace(
        own,
        text=with_markers(statements),
        statements=statements,
        sources=(*own.sources, *sources),
        confidence=confidence,
        reason=reason,
        explanation=replace(own.explanation, degraded=tuple(dict.fromkeys([*own.explanation.degraded, *missing]))),
        remarks=tuple(dict.fromkeys(remarks)),
    )


def _source(marker: str, merged: Merged) -> Source:
    hit = merged.hit
    text = re.sub(r"\s+", " ", hit.text).strip()
    quoted = text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE].rsplit(" ", 1)[0]
    line = f"line {hit.where.line} at {hit.where.commit[:12]}" if hit.where.line else "the search server's snippet"
    return Source(
        marker=marker,
        id=hit.id,
        where=hit.where,
        locator=line,
        quoted=quoted,
        passage=text,
        quoted_span=Span(0, len(quoted)),
        date=hit.date,
        contributor=hit.contributor,
        authentication="not applicable",
        found_in=hit.found_in,
    )


def _statement(source: Source) -> Statement:
    return Statement(f"{LABELS[source.found_in]}: “{source.quoted}”", (source.marker,))
