"""Drafts before the gate, one after another: each is judged as the page it would make of its concept."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from viska_assets.guardrail.codes import Code
from viska_assets.guardrail.gate import GatePolicy, claims_of_page, judge, judge_page
from viska_assets.maintain.compose import Composed
from viska_assets.maintain.restating import supersessions, with_successors
from viska_assets.maintain.world import World, load_world
from viska_assets.model.claim import Claim
from viska_assets.model.delta import ConceptDelta, Derivation, FigureTable, Support
from viska_assets.model.page import Page
from viska_assets.model.span import Span
from viska_assets.model.verdict import Finding, Predicate, Severity, Verdict
from viska_assets.okf.errors import OkfError
from viska_assets.okf.page import parse_page, render_page
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Connection
from viska_assets.store.registry import Draft, reopened_concepts

# A mail whose sender is not authenticated may not be the support of a claim on a page.
WRITER_POLICY = GatePolicy(fatal=frozenset({"SOURCE_UNAUTHENTICATED"}))


@dataclass(frozen=True)
class Judged:
    """A draft with the page it would make and the gate's answer."""

    draft: Draft
    page: Page
    text: str
    verdict: Verdict
    claims: tuple[Claim, ...]


def standing_world(connection: Connection, evidence: StoredEvidence) -> World:
    """The bundle as the accepted drafts make it: pages with a reopened draft claim only what the others support."""
    world = load_world(connection)
    for concept_id in reopened_concepts(connection):
        claims: tuple[Claim, ...] = ()
        if world.has_page(concept_id):
            page = page_of(world, evidence, concept_id)
            _, claims = judge_text(world, evidence, render_page(page), page.path)
        world.replace_claims(concept_id, claims)
    return world


def judge_drafts(world: World, evidence: StoredEvidence, drafts: Sequence[Draft]) -> list[Judged]:
    """Judges drafts in order; one that passes joins the world before the next is judged.

    Args:
        world: the bundle; holds the accepted drafts afterwards.
        evidence: the retrieval tier.
        drafts: in the order of ``store.registry.drafts_with_status``.
    """
    evidence.preload(chunk for draft in drafts for chunk in cited_chunk_ids(draft.delta))
    judged = []
    for draft in drafts:
        answer = judge_draft(world, evidence, draft)
        if answer.verdict.passed:
            world.accept(draft.delta, answer.claims)
        judged.append(answer)
    return judged


def judge_draft(world: World, evidence: StoredEvidence, draft: Draft) -> Judged:
    """The gate's answer for one draft, leaving the world as it is."""
    page = page_of(world, evidence, draft.delta.concept_id, draft.delta)
    text = render_page(page)
    verdict, claims = judge_text(world, evidence, text, page.path)
    if draft.findings:
        verdict = replace(verdict, findings=(*verdict.findings, *draft.findings))
    return Judged(draft, page, text, verdict, claims)


def page_of(world: World, evidence: StoredEvidence, concept_id: str, *more: ConceptDelta) -> Page:
    """The concept's page as it stands, with further deltas; what it replaces is declared under ``supersedes``."""
    return declared(world.page(concept_id, *more), evidence)


def declared(composed: Composed, evidence: StoredEvidence) -> Page:
    """A composed page that declares under ``supersedes`` which claims its newer sources replace."""
    if not composed.replaced:
        return composed.page
    try:
        parsed = parse_page(render_page(composed.page), composed.page.path)
    except OkfError:  # the gate says what is wrong with it
        return composed.page
    evidence.preload(entry.chunk for entry in composed.page.head.sources if entry.chunk)
    return supersessions(composed.page, composed.replaced, claims_of_page(parsed, evidence))


def judge_text(world: World, evidence: StoredEvidence, text: str, path: str) -> tuple[Verdict, tuple[Claim, ...]]:
    """The gate's answer for a page file, and the claims that the page makes where it passes."""
    try:
        parsed = parse_page(text, path)
    except OkfError:
        return judge(text, path, world, evidence, policy=WRITER_POLICY), ()
    evidence.preload(entry.chunk for entry in parsed.page.head.sources if entry.chunk)
    verdict = judge_page(parsed, world, evidence, policy=WRITER_POLICY)
    repeated = repeated_rows(text, path)
    if repeated:
        verdict = replace(verdict, findings=(*verdict.findings, *repeated))
    if not verdict.passed:
        return verdict, ()
    return verdict, with_successors(claims_of_page(parsed, evidence), parsed.page.head.supersedes)


def repeated_rows(text: str, path: str) -> tuple[Finding, ...]:
    """A table with two rows of one label: two documents fill the same cell differently, under whatever key."""
    findings = []
    seen: set[str] = set()
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        label = line[2:].split(" | ", 1)[0] if line.startswith("| ") else ""
        if not label:
            seen = set()
        elif label in seen and label != "---":
            findings.append(
                Finding(
                    code=Code.CONTRADICTION.value,
                    predicate=Predicate.P3,
                    severity=Severity.HARD,
                    message=f"{label}: two documents give different figures for the same period",
                    path=path,
                    line=number,
                    column=1,
                    span=Span(start, start + len(line)),
                    claim=line.strip()[:200],
                    hint="keep the figure of the issuer's own statement, or let the newer one supersede it",
                )
            )
        seen.add(label)
        start += len(line)
    return tuple(findings)


def cited_chunk_ids(delta: ConceptDelta) -> set[str]:
    """The chunks that a delta cites."""
    return {chunk for section in delta.sections for block in section.blocks for chunk in _of_block(block)}


def _of_block(block: object) -> Iterator[str]:
    if isinstance(block, FigureTable):
        for row in block.rows:
            for cell in row.cells.values():
                yield from _of_support(cell.support)
    else:
        for support in block.supports:  # type: ignore[attr-defined]
            yield from _of_support(support)


def _of_support(support: Support) -> Iterator[str]:
    if isinstance(support, Derivation):
        for operand in support.operands.values():
            yield operand.chunk
    else:
        yield support.chunk
