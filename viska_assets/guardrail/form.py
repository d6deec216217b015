"""P4: the page's form, as OKF and Viska's grammar have it, and characters that hide or confuse."""

from collections.abc import Iterator, Sequence

from viska_assets.guardrail.code_texts import CODES
from viska_assets.guardrail.codes import Code
from viska_assets.guardrail.findings import Desk, file_span
from viska_assets.model.claim_unit import ClaimUnit, UnitKind
from viska_assets.model.delta import SectionName
from viska_assets.model.span import Span
from viska_assets.model.verdict import Finding, Predicate, Severity
from viska_assets.model.views import BundleView
from viska_assets.okf.form import page_issues
from viska_assets.okf.issue import Issue, Level
from viska_assets.okf.links import Reach, page_links
from viska_assets.okf.page import ParsedPage
from viska_assets.text.confusables import find_confusables
from viska_assets.text.quantities import Role, Side, read_quantities

_SECTIONS = frozenset(section.value for section in SectionName)
_OWN_CODE = {"HIDDEN_CHARACTER": Code.HIDDEN_OR_CONFUSABLE, "AMBIGUOUS_DATE": Code.AMBIGUOUS_DATE}


def check_form(parsed: ParsedPage, units: Sequence[ClaimUnit], bundle: BundleView, desk: Desk) -> Iterator[Finding]:
    """The P4 findings of a page."""
    seen: set[tuple[str, int]] = set()
    for issue in page_issues(parsed):
        finding = from_issue(issue, desk.path)
        seen.add((finding.code, finding.span.start))
        yield finding
    for span, reason in find_confusables(parsed.text[parsed.body_start :]):
        place = span.shifted(parsed.body_start)
        if (str(Code.HIDDEN_OR_CONFUSABLE), place.start) not in seen:
            yield desk.finding(Code.HIDDEN_OR_CONFUSABLE, reason, place)
    yield from _headings(units, parsed.page.head.title, desk)
    for link in page_links(parsed):
        concept = link.target.concept_id
        if (
            link.target.reach is Reach.BUNDLE
            and concept
            and concept != parsed.page.concept_id
            and not bundle.has_page(concept)
        ):
            yield desk.finding(Code.BROKEN_LINK, f"the link {link.written} leads to no page of the bundle", link.span)


def _headings(units: Sequence[ClaimUnit], title: str, desk: Desk) -> Iterator[Finding]:
    for unit in units:
        if unit.kind is not UnitKind.HEADING or unit.text in _SECTIONS or unit.text.strip() == title.strip():
            continue
        for quantity in read_quantities(unit.text, side=Side.PAGE):
            if quantity.role is Role.FIGURE:
                span = file_span(unit, quantity.extent.start, quantity.extent.end)
                yield desk.finding(
                    Code.HEADING_FIGURE, f"the heading holds {quantity.raw}", span, claim=unit.text, figure=quantity.raw
                )


def from_issue(issue: Issue, path: str) -> Finding:
    """A remark of the pages room as a finding of P4."""
    code = _OWN_CODE.get(issue.code)
    severity = Severity.HARD if issue.level is Level.ERROR else Severity.WARNING
    return Finding(
        code=str(code or issue.code),
        predicate=Predicate.P4,
        severity=severity,
        message=issue.message,
        path=path,
        line=issue.line,
        column=issue.column,
        span=Span(issue.start, max(issue.start, issue.end)),
        hint=issue.hint or CODES[code or Code.FORM].mend,
    )
