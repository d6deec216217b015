"""The router: which tier answers a question, by named rules in a fixed order, the state of the corpus counted in."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from viska_assets.query.from_pages import Chosen, choose, end_of_day
from viska_assets.query.library import Reader
from viska_assets.query.names import NameTable
from viska_assets.query.results import Route, Tier
from viska_assets.query.shapes import Shape, shape_of
from viska_assets.query.wording import Asking
from viska_assets.store.aliases import aliases
from viska_assets.store.index_rows import quarantined_drafts, stale_after

_WORDS = {
    "shape.view": "it asks for a view",
    "shape.exact": "it asks for an exact number or passage",
    "shape.both": "it asks for a view and for something exact",
    "shape.tie": "its words say neither",
}


def route(reader: Reader, question: Asking, tier: Tier | None = None) -> Route:
    """Which tier answers a question and why.

    The rules, in this order: an explicit tier stands; the words decide (``shapes``); where that is synthesis but no
    page fits, or the page is withheld or stale, it is mixed; where the parity gate is closed, nothing goes to
    synthesis and retrieval answers.

    Args:
        reader: whose connection, gate and clock are used.
        question: what is asked.
        tier: overrides the rules.
    """
    return route_chosen(reader, choose(reader.connection, question, NameTable(aliases(reader.connection))), tier)


def route_chosen(reader: Reader, chosen: Chosen, tier: Tier | None = None) -> Route:
    """The route of a question for which the index was read already."""
    shape = shape_of(chosen.question.text)
    cues = (*(f"view: {cue}" for cue in shape.view), *(f"exact: {cue}" for cue in shape.exact))
    if tier is not None:
        notes = () if tier is Tier.RETRIEVAL or reader.gate().open else (f"asked for although {reader.gate().reason}",)
        return Route(tier, "explicit", cues, chosen.issuers, "the asker named the tier", notes)
    by_words = Route(shape.tier, shape.rule_id, cues, chosen.issuers, _WORDS[shape.rule_id])
    if by_words.tier is Tier.RETRIEVAL:
        return by_words
    gate = reader.gate()
    if not gate.open:
        return replace(
            by_words,
            tier=Tier.RETRIEVAL,
            rule_id="gate.closed",
            reason=f"{by_words.reason}, but {gate.reason}",
            notes=(gate.reason,),
        )
    return _with_corpus(reader, chosen, by_words, shape)


def _with_corpus(reader: Reader, chosen: Chosen, by_words: Route, shape: Shape) -> Route:
    """The route once the pages were looked at that would answer."""
    if chosen.choice.withheld and not chosen.choice.opened:
        names = ", ".join(row.concept_id for row in chosen.choice.withheld)
        return _mixed(by_words, "corpus.withheld", f"lint withholds {names}")
    if not chosen.choice.opened:
        return _mixed(by_words, "corpus.missing", "no page of the bundle fits")
    first = chosen.choice.opened[0].concept_id
    stale = stale_since(reader, [first], end_of_day(chosen.question))
    notes = list(by_words.notes)
    waiting = quarantined_drafts(reader.connection, [first])
    if waiting:
        notes.append(f"{waiting[first]} drafts about {first} wait in quarantine")
    if stale:
        return _mixed(replace(by_words, notes=tuple(notes)), "corpus.stale", f"{first} is stale since {stale[first]}")
    return replace(by_words, notes=tuple(notes))


def _mixed(by_words: Route, rule_id: str, why: str) -> Route:
    reason = f"{by_words.reason}, but {why}"
    return replace(by_words, tier=Tier.MIXED, rule_id=rule_id, reason=reason, notes=(*by_words.notes, why))


def stale_since(reader: Reader, concept_ids: Sequence[str], as_of: datetime | None) -> dict[str, str]:
    """Of some pages those that say of themselves that they are stale, with the day since when; none is opened."""
    until = stale_after(reader.connection, concept_ids, as_of)
    return {concept: at.date().isoformat() for concept, at in until.items() if at < (as_of or reader.now)}
