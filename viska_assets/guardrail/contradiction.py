"""P3: claims of one key agree, or the newer one declares that it supersedes the older. Structured claims only."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from viska_assets.guardrail.binding import Binder
from viska_assets.guardrail.claims import claims_of, disjoint, facts_of, key_of
from viska_assets.guardrail.codes import Code
from viska_assets.guardrail.figures import Grounded
from viska_assets.guardrail.findings import Desk
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.model.claim import Claim, ClaimKey
from viska_assets.model.claim_unit import ClaimUnit
from viska_assets.model.evidence import Evidence, Period, Scenario
from viska_assets.model.page import Supersession
from viska_assets.model.span import Span
from viska_assets.model.verdict import Finding
from viska_assets.model.views import BundleView


@dataclass(frozen=True)
class PageClaims:
    """The claims of one page and where each stands in its file."""

    claims: tuple[Claim, ...]
    places: Mapping[str, Span]


def check_contradictions(
    page: PageClaims,
    supersedes: Sequence[Supersession],
    bundle: BundleView,
    desk: Desk,
    cited: Sequence[ChunkReading] = (),
    entry_places: Sequence[Span] = (),
) -> Iterator[Finding]:
    """The P3 findings of a page: against itself, the bundle, and the evidence it cites."""
    yield from _check_supersessions(page, supersedes, bundle, desk, entry_places)
    by_key: dict[ClaimKey, list[Claim]] = {}
    for claim in page.claims:
        by_key.setdefault(claim.key, []).append(claim)
    own = {claim.claim_id: claim for claim in page.claims}
    declared = {entry.claim for entry in supersedes}
    replaced = [c for claim_id in sorted(declared) if (c := own.get(claim_id) or bundle.claim(claim_id)) is not None]
    for claim in page.claims:
        rivals = [c for c in by_key[claim.key] if c.claim_id != claim.claim_id and disjoint(claim, c)]
        older = [c for c in rivals if _is_later(claim, c)]
        same_time = [c for c in rivals if not _is_later(claim, c) and not _is_later(c, claim)]
        for rival in [*same_time, *(c for c in older if c.claim_id not in declared)]:
            yield _contradiction(claim, rival, page, desk, "another claim of this page")
        yield from _against_bundle(claim, page, replaced, bundle, desk)
    yield from _not_unanimous(page, cited, desk)


def _is_later(one: Claim, two: Claim) -> bool:
    return one.known_at is not None and two.known_at is not None and one.known_at > two.known_at


def _is_twin(one: Claim, two: Claim) -> bool:
    """Whether two pages state the same of the same passage."""
    return one.key == two.key and one.chunk_id == two.chunk_id and not disjoint(one, two)


def _against_bundle(
    claim: Claim, page: PageClaims, replaced: Sequence[Claim], bundle: BundleView, desk: Desk
) -> Iterator[Finding]:
    """Findings against other pages; ``replaced`` are the claims that this page supersedes.

    What is superseded on one page is superseded wherever the same passage is cited for it.
    """
    standing = bundle.claims(claim.key)
    successors = {c.superseded_by for c in standing if c.superseded_by and _is_twin(c, claim)}
    own = {c.claim_id for c in page.claims}
    for accepted in standing:
        if accepted.superseded_by or accepted.claim_id in own or not disjoint(claim, accepted):
            continue
        if accepted.claim_id in successors or any(_is_twin(accepted, c) for c in replaced):
            continue
        yield _contradiction(
            claim, accepted, page, desk, f"the accepted claim {accepted.claim_id} of {accepted.concept_id}"
        )
    for other in bundle.disagreeing(claim.key):
        if not other.superseded_by and disjoint(claim, other):
            who, here = other.key.asserter or "another asserter", claim.key.asserter or "this one"
            message = f"{who} says {other.value}, {here} says {claim.value}"
            yield desk.finding(
                Code.DISAGREEMENT,
                message,
                page.places.get(claim.claim_id, Span(0, 0)),
                figure=claim.value,
                cited=claim.source_id,
            )


def _contradiction(claim: Claim, rival: Claim, page: PageClaims, desk: Desk, whose: str) -> Finding:
    period = f" for {claim.key.period.end}" if claim.key.period else ""
    message = f"{claim.key.metric}{period}: {claim.value} here, {rival.value} in {whose}"
    reason = (
        "restatement" if claim.key.scenario is Scenario.ACTUAL and _is_later(claim, rival) else "correction or revision"
    )
    entry = f"{{claim: {rival.claim_id}, by: {claim.source_id}, reason: …}}"
    hint = f"if the newer source replaces it, add to supersedes: {entry} ({reason})"
    return desk.finding(
        Code.CONTRADICTION,
        message,
        page.places.get(claim.claim_id, Span(0, 0)),
        figure=claim.value,
        cited=claim.source_id,
        hint=hint,
    )


def _check_supersessions(
    page: PageClaims,
    supersedes: Sequence[Supersession],
    bundle: BundleView,
    desk: Desk,
    entry_places: Sequence[Span],
) -> Iterator[Finding]:
    own = {claim.claim_id: claim for claim in page.claims}
    for number, entry in enumerate(supersedes):
        place = entry_places[number] if number < len(entry_places) else Span(0, 0)
        target = bundle.claim(entry.claim) or own.get(entry.claim)
        by = [claim for claim in page.claims if claim.source_id == entry.by]
        if target is None or not by:
            message = (
                f"claim {entry.claim} is not accepted"
                if target is None
                else f"source {entry.by} states no claim of this page"
            )
            yield desk.finding(Code.SUPERSEDES_UNKNOWN, message, place, cited=entry.by)
            continue
        newer = [claim for claim in by if claim.key == _timeless(target.key, claim.key)]
        if not newer:
            message = f"claim {entry.claim} is about {target.key.metric}, source {entry.by} is not"
            yield desk.finding(Code.SUPERSEDES_OTHER_KEY, message, place, cited=entry.by)
            continue
        if not any(_is_later(claim, target) for claim in newer) and entry.reason != "correction":
            message = f"source {entry.by} is not newer than claim {entry.claim}"
            yield desk.finding(Code.SUPERSEDES_NOT_NEWER, message, place, cited=entry.by)
        if _closes_circle(target, {claim.claim_id for claim in newer}, bundle):
            yield desk.finding(
                Code.SUPERSEDES_CYCLE, f"claim {entry.claim} already follows from the new one", place, cited=entry.by
            )


def _timeless(key: ClaimKey, like: ClaimKey) -> ClaimKey:
    """A key with the as-of date of another: an opinion may supersede its own earlier date."""
    return replace(key, as_of=like.as_of)


def _closes_circle(target: Claim, new_ids: set[str], bundle: BundleView) -> bool:
    """Whether following ``superseded_by`` from the target comes back to itself or starts at a new claim."""
    if target.claim_id in new_ids:
        return True
    seen = {target.claim_id}
    following = target.superseded_by
    while following is not None:
        if following in seen:
            return True
        seen.add(following)
        claim = bundle.claim(following)
        following = claim.superseded_by if claim is not None else None
    return False


def _not_unanimous(page: PageClaims, cited: Sequence[ChunkReading], desk: Desk) -> Iterator[Finding]:
    """Cited chunks that print other numbers for a claim's key (the page shows one of them)."""
    keyed = _evidence_by_key(cited, {claim.key.period for claim in page.claims})
    for claim in page.claims:
        if claim.low is None or claim.high is None:
            continue
        others = {
            e.printed
            for e in keyed.get(claim.key, [])
            if e.value + e.quantum / 2 < claim.low or e.value - e.quantum / 2 > claim.high
        }
        if others:
            message = f"{claim.key.metric}: cited chunks also print {', '.join(sorted(others))}"
            yield desk.finding(
                Code.EVIDENCE_NOT_UNANIMOUS,
                message,
                page.places.get(claim.claim_id, Span(0, 0)),
                figure=claim.value,
                cited=claim.source_id,
            )


def _evidence_by_key(cited: Sequence[ChunkReading], periods: set[Period | None]) -> dict[ClaimKey, list[Evidence]]:
    found: dict[ClaimKey, list[Evidence]] = {}
    for reading in cited:
        for evidence in reading.chunk.evidence:
            if evidence.period is None or evidence.period not in periods or not evidence.row_path:
                continue
            key = key_of(evidence, reading)
            if key is not None:
                found.setdefault(key, []).append(evidence)
    return found


def page_claims(
    concept_id: str, grounded: Sequence[Grounded], units: Sequence[ClaimUnit], binder: Binder
) -> PageClaims:
    """The claims of a page with their places."""
    claims = claims_of(concept_id, grounded) + facts_of(concept_id, units, binder)
    places: dict[str, Span] = {}
    for item in grounded:
        for claim in claims:
            if claim.source_id == item.bound.entry.id and claim.value == item.evidence.printed:
                start = item.unit.offsets.to_source(item.figure.extent.start)
                end = item.unit.offsets.to_source(max(item.figure.extent.start, item.figure.extent.end - 1)) + 1
                places.setdefault(claim.claim_id, Span(start, max(start, end)))
    return PageClaims(claims, places)
