"""The gate: one pure function from a page, the bundle and the evidence to a verdict."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from viska_assets.guardrail.binding import Binder
from viska_assets.guardrail.codes import Code
from viska_assets.guardrail.contradiction import PageClaims, check_contradictions, page_claims
from viska_assets.guardrail.figures import FigureCheck
from viska_assets.guardrail.findings import Desk
from viska_assets.guardrail.form import check_form
from viska_assets.guardrail.provenance import check_provenance
from viska_assets.guardrail.reading import ChunkReader
from viska_assets.guardrail.rules import RULES_VERSION
from viska_assets.model.claim import Claim
from viska_assets.model.claim_unit import ClaimUnit
from viska_assets.model.page import SourceEntry
from viska_assets.model.span import Span
from viska_assets.model.verdict import Finding, Predicate, Severity, Verdict
from viska_assets.model.views import BundleView, EvidenceView
from viska_assets.okf.claims import claim_units
from viska_assets.okf.errors import OkfError
from viska_assets.okf.page import ParsedPage, parse_page
from viska_assets.text.sentences import split_sentences

__all__ = ["ALL", "RULES_VERSION", "GatePolicy", "check_units", "claims_of_page", "judge", "judge_page"]

ALL: frozenset[Predicate] = frozenset(Predicate)


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """What a desk may choose: ``fatal`` names warning codes that shall quarantine as well."""

    fatal: frozenset[str] = frozenset()


DEFAULT_POLICY = GatePolicy()


def judge(
    page_text: str,
    path: str,
    bundle: BundleView,
    evidence: EvidenceView,
    *,
    policy: GatePolicy = DEFAULT_POLICY,
    predicates: frozenset[Predicate] = ALL,
) -> Verdict:
    """Judge a page file.

    Args:
        page_text: The whole file, decoded.
        path: Its path in the bundle, ``issuers/nvidia.md``.
        bundle: Pages and accepted claims.
        evidence: The retrieval tier by chunk id.
        policy: The desk's choices.
        predicates: Which of P1 to P4 to apply.

    Returns:
        The verdict; the same inputs give the same bytes under any hash seed, zone, locale and date.
    """
    try:
        parsed = parse_page(page_text, path)
    except OkfError as error:
        desk = Desk.of(path, page_text)
        start = desk.line_starts[min(error.line, len(desk.line_starts)) - 1] if error.line else 0
        finding = desk.finding(Code.UNREADABLE_PAGE, error.message, Span(start, start), hint=error.mend)
        return Verdict(path, (finding,), RULES_VERSION)
    return judge_page(parsed, bundle, evidence, policy=policy, predicates=predicates)


def judge_page(
    parsed: ParsedPage,
    bundle: BundleView,
    evidence: EvidenceView,
    *,
    policy: GatePolicy = DEFAULT_POLICY,
    predicates: frozenset[Predicate] = ALL,
) -> Verdict:
    """Judge a parsed page (see ``judge``)."""
    desk = Desk(parsed.path, parsed.lines.starts)
    units = claim_units(parsed, split_sentences)
    head = parsed.page.head
    binder = Binder(head.sources, ChunkReader(evidence))
    found: list[Finding] = []
    if Predicate.P1 in predicates:
        found += check_provenance(units, binder, desk)
    if predicates & {Predicate.P2, Predicate.P3}:
        figures = FigureCheck(binder, desk, head.currency or None)
        p2 = list(figures.check(units))
        if Predicate.P2 in predicates:
            found += p2
        if Predicate.P3 in predicates:
            claims = page_claims(parsed.page.concept_id, figures.grounded, units, binder)
            lines = [parsed.key_line("supersedes", number) for number in range(len(head.supersedes))]
            places = [Span(desk.line_starts[line - 1], desk.line_starts[line - 1]) for line in lines]
            found += check_contradictions(claims, head.supersedes, bundle, desk, binder.readings(), places)
    if Predicate.P4 in predicates:
        found += check_form(parsed, units, bundle, desk)
    return Verdict(parsed.path, _ordered(found, policy), RULES_VERSION)


def check_units(
    units: Sequence[ClaimUnit],
    sources: Sequence[SourceEntry],
    evidence: EvidenceView,
    *,
    path: str = "",
    text: str = "",
    currency: str | None = None,
) -> tuple[Finding, ...]:
    """P1 and P2 over claim units without a page around them."""
    desk = Desk.of(path, text)
    binder = Binder(sources, ChunkReader(evidence))
    found = [*check_provenance(units, binder, desk), *FigureCheck(binder, desk, currency).check(units)]
    return _ordered(found, DEFAULT_POLICY)


def claims_of_page(parsed: ParsedPage, evidence: EvidenceView) -> tuple[Claim, ...]:
    """The keyed claims of a page, in reading order, for the registry."""
    return claims_with_places(parsed, evidence).claims


def claims_with_places(parsed: ParsedPage, evidence: EvidenceView) -> PageClaims:
    """The keyed claims of a page and their places in its file."""
    units = claim_units(parsed, split_sentences)
    binder = Binder(parsed.page.head.sources, ChunkReader(evidence))
    figures = FigureCheck(binder, Desk(parsed.path, parsed.lines.starts), parsed.page.head.currency or None)
    for _ in figures.check(units):
        pass
    return page_claims(parsed.page.concept_id, figures.grounded, units, binder)


def _ordered(findings: Iterable[Finding], policy: GatePolicy) -> tuple[Finding, ...]:
    """Findings in a fixed order, each once, with the policy's severities."""
    unique = dict.fromkeys(replace(f, severity=Severity.HARD) if f.code in policy.fatal else f for f in findings)
    return tuple(sorted(unique, key=lambda f: (f.span.start, f.span.end, f.predicate, f.code, f.message)))
