"""One bundle with at least three defects of every class: all are found, and its clean twin has no finding."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.lint.clean_bundle import AS_OF, NAMES, accepted_claims, clean_pages, files_of, head, slug, snapshot
from tests.lint.test_rules import edited, with_body, with_head, with_judgement
from viska_assets.lint.bundle import BundleSnapshot, WaitingDraft
from viska_assets.lint.rules import RULES
from viska_assets.lint.run import lint_bundle
from viska_assets.model.lint import RuleName
from viska_assets.model.page import ConceptType, Page, Supersession

THREE = [slug(name) for name in NAMES[:3]]
OTHER = dict(zip(THREE, ("Downy Oak", "Downy Oak", "Alder"), strict=True))

PLANTED: dict[RuleName, set[str]] = {
    RuleName.PROVENANCE: {f"theses/{i}.md" for i in THREE},
    RuleName.CONTRADICTION: {f"issuers/{i}.md" for i in THREE} | {f"holdings/{i}.md" for i in THREE},
    RuleName.BROKEN_CITATION: {"theses/downy-oak.md", "issuers/downy-oak.md", "theses/cedar.md"},
    RuleName.SUPERSESSION: {f"events/{i}-10-k.md" for i in THREE},
    RuleName.MALFORMED_PAGE: {f"sources/{i}-10-k.md" for i in THREE},
    RuleName.MALFORMED_INDEX_OR_LOG: {"issuers/index.md", "theses/index.md", "log.md"},
    RuleName.BROKEN_LINK: {f"holdings/{i}.md" for i in THREE},
    RuleName.ORPHAN: {f"metrics/m{n}.md" for n in range(3)},
    RuleName.INDEX_DRIFT: {"events/index.md", "sources/index.md", "notes/index.md"},
    RuleName.STALE: {f"holdings/{i}.md" for i in THREE},
    RuleName.DUPLICATE_CONCEPT: {f"issuers/{i}-twin.md" for i in THREE},
    RuleName.MISSING_SECTION: {f"holdings/{i}.md" for i in THREE},
    RuleName.COVERAGE_GAP: {f"issuers/{i}-twin.md" for i in THREE},
    RuleName.UNLINKED_MENTION: {f"theses/{i}.md" for i in THREE},
    RuleName.UNDEFINED_ABBREVIATION: {f"theses/{i}.md" for i in THREE},
    RuleName.AGED_QUARANTINE: {f"theses/late{n}.md" for n in range(3)},
}


def planted() -> BundleSnapshot:
    pages, evidence = clean_pages()
    claims = accepted_claims(files_of(pages), evidence)
    rivals = [
        replace(claim, claim_id=f"rival{n}", concept_id="issuers/other", low=claim.low + 10**9, high=claim.high + 10**9)
        for n, claim in enumerate(claims[:3])
        if claim.low is not None and claim.high is not None
    ]
    for issuer in THREE:
        thesis, holding = f"theses/{issuer}", f"holdings/{issuer}"
        event, source = f"events/{issuer}-10-k", f"sources/{issuer}-10-k"
        pages[thesis] = with_judgement(pages[thesis], f"The ARPU is like that of {OTHER[issuer]}.")
        pages[thesis] = with_body(pages[thesis], "## Document", "Sales will go up by 20%.\n\n## Document")
        pages[holding] = with_head(pages[holding], stale_after=AS_OF)
        pages[holding] = with_body(pages[holding], "## Position\n\n", "* [gone](/theses/gone.md)\n")
        pages[event] = with_head(
            pages[event], supersedes=(Supersession(claim="unheard-of", by="c9", reason="restatement"),)
        )
        pages[source] = with_body(pages[source], "## Document", "<script>x</script>\n\n## Document")
        twin = head(ConceptType.ISSUER, f"{issuer} twin", aliases=(pages[f"issuers/{issuer}"].head.title,))
        pages[f"issuers/{issuer}-twin"] = Page(concept_id=f"issuers/{issuer}-twin", head=twin, body="# Twin")
    for number in range(3):
        metric = head(ConceptType.METRIC, f"M {number}")
        pages[f"metrics/m{number}"] = Page(concept_id=f"metrics/m{number}", head=metric, body=f"# M {number}")
    files = files_of(pages)
    files = edited(files, "theses/cedar.md", "”[^c1]", "”[^c9]")
    files = edited(files, "issuers/downy-oak.md", 'content_sha256: "', 'content_sha256: "0')
    evidence.chunks["note4"] = replace(evidence.chunks["note4"], withdrawn=True)
    files["issuers/index.md"] = f"---\ntitle: x\n---\n{files['issuers/index.md']}"
    files["theses/index.md"] = "# Empty\n"
    files["log.md"] = "# Log\n\n## [2026-01-01] ingest\n\n* x\n"
    files = edited(files, "events/index.md", "About Birch results.", "An old description.")
    del files["sources/index.md"]
    files["notes/index.md"] = "# Notes\n\n* [n](n.md) - n\n"
    week = AS_OF - timedelta(days=8)
    waiting = [WaitingDraft(f"theses/late{n}.md", week, ("UNGROUNDED",)) for n in range(3)]
    waiting += [WaitingDraft(f"holdings/{i}.md", AS_OF, ("CONTRADICTION",), "note.eml") for i in THREE]
    found = snapshot(files, evidence, claims=(*claims, *rivals))
    return replace(found, quarantine=tuple(waiting))


def clean_twin() -> BundleSnapshot:
    pages, evidence = clean_pages()
    files = files_of(pages)
    found = snapshot(files, evidence, claims=accepted_claims(files, evidence))
    return replace(found, quarantine=(WaitingDraft("theses/new.md", AS_OF, ("UNGROUNDED",)),))


def test_every_class_is_planted_three_times() -> None:
    assert set(PLANTED) == {rule.name for rule in RULES}
    assert all(len(paths) >= 3 for paths in PLANTED.values())


@pytest.mark.parametrize("rule", PLANTED)
def test_every_planted_defect_is_found(rule: RuleName) -> None:
    report = lint_bundle(planted(), AS_OF)
    assert PLANTED[rule] <= {finding.path for finding in report.of_rule(rule)}


def test_the_clean_twin_has_no_finding() -> None:
    assert lint_bundle(clean_twin(), AS_OF).findings == ()


def test_the_planted_bundle_reads_the_same_by_increments() -> None:
    before = lint_bundle(clean_twin(), AS_OF).state
    assert lint_bundle(planted(), AS_OF, before=before).findings == lint_bundle(planted(), AS_OF).findings
