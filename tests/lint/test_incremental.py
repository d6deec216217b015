from dataclasses import replace

from tests.lint.clean_bundle import AS_OF, accepted_claims, clean_pages, files_of, snapshot
from viska_assets.lint.bundle import BundleSnapshot
from viska_assets.lint.run import lint_bundle
from viska_assets.model.verdict import Verdict
from viska_assets.okf.page import ParsedPage


class CountingGate:
    """A gate that remembers what it was asked."""

    def __init__(self, inner: BundleSnapshot) -> None:
        self.inner = inner
        self.asked: list[str] = []

    def __call__(self, parsed: ParsedPage) -> Verdict:
        self.asked.append(parsed.path)
        assert self.inner.judge is not None
        return self.inner.judge(parsed)


def counting(snap: BundleSnapshot) -> tuple[BundleSnapshot, CountingGate]:
    gate = CountingGate(snap)
    return replace(snap, judge=gate), gate


def test_nothing_is_judged_again_where_nothing_changed() -> None:
    pages, evidence = clean_pages()
    snap, gate = counting(snapshot(files_of(pages), evidence))
    first = lint_bundle(snap, AS_OF)
    assert len(gate.asked) == len(pages)
    second = lint_bundle(snap, AS_OF, before=first.state)
    assert len(gate.asked) == len(pages)
    assert second.findings == first.findings


def test_only_a_changed_page_is_judged_again_and_the_report_is_that_of_a_full_run() -> None:
    pages, evidence = clean_pages()
    files = files_of(pages)
    before = lint_bundle(snapshot(files, evidence), AS_OF).state
    files["issuers/alder.md"] = files["issuers/alder.md"].replace("4,120", "9,120")
    snap, gate = counting(snapshot(files, evidence))
    incremental = lint_bundle(snap, AS_OF, before=before)
    assert gate.asked == ["issuers/alder.md"]
    full = lint_bundle(snapshot(files, evidence), AS_OF)
    assert incremental.findings == full.findings != ()
    assert incremental.as_markdown() == full.as_markdown()


def test_a_changed_chunk_and_a_rival_claim_have_their_pages_judged_again() -> None:
    pages, evidence = clean_pages()
    files = files_of(pages)
    claims = accepted_claims(files, evidence)
    before = lint_bundle(snapshot(files, evidence, claims=claims), AS_OF).state
    evidence.chunks["note2"] = replace(evidence.chunks["note2"], withdrawn=True)
    rival = replace(claims[2], claim_id="rival", concept_id="issuers/other")
    snap, gate = counting(snapshot(files, evidence, claims=(*claims, rival)))
    lint_bundle(snap, AS_OF, before=before)
    assert gate.asked == ["issuers/cedar.md", "theses/birch.md"]


def test_a_page_that_vanishes_has_the_pages_that_link_to_it_judged_again() -> None:
    pages, evidence = clean_pages()
    files = files_of(pages)
    before = lint_bundle(snapshot(files, evidence), AS_OF).state
    del files["theses/alder.md"]
    snap, gate = counting(snapshot(files, evidence))
    report = lint_bundle(snap, AS_OF, before=before)
    assert gate.asked == ["issuers/alder.md"]
    assert [finding.code for finding in report.of_rule("broken_link")] == ["BROKEN_LINK"]
    assert "theses/alder.md" not in report.state.summaries
