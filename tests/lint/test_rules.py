from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.lint.clean_bundle import (
    AS_OF,
    NAMES,
    WRITTEN,
    FakeEvidence,
    accepted_claims,
    clean_pages,
    files_of,
    head,
    slug,
    snapshot,
)
from viska_assets.lint.bundle import WaitingDraft
from viska_assets.lint.findings import LintFinding
from viska_assets.lint.policy import LintPolicy
from viska_assets.lint.report import LintReport
from viska_assets.lint.rules import RULES
from viska_assets.lint.run import lint_bundle
from viska_assets.model.claim import Claim
from viska_assets.model.page import ConceptType, Page, PageStatus, Supersession
from viska_assets.model.verdict import Severity

ISSUERS = [slug(name) for name in NAMES]


def lint(files: dict[str, str], evidence: FakeEvidence, claims: tuple[Claim, ...] = (), **more: object) -> LintReport:
    return lint_bundle(snapshot(files, evidence, claims=claims), AS_OF, **more)  # type: ignore[arg-type]


def defects(report: LintReport, rule: str) -> list[tuple[str, str]]:
    return [(finding.path, finding.code) for finding in report.of_rule(rule)]


def edited(files: dict[str, str], path: str, old: str, new: str) -> dict[str, str]:
    assert old in files[path]
    return files | {path: files[path].replace(old, new)}


def with_body(page: Page, old: str, new: str) -> Page:
    assert old in page.body
    return page.model_copy(update={"body": page.body.replace(old, new)})


def with_head(page: Page, **values: object) -> Page:
    return page.model_copy(update={"head": page.head.model_copy(update=values)})


def with_judgement(page: Page, sentence: str) -> Page:
    return with_body(page, "## Document", f"> [!judgement]\n> {sentence}\n\n## Document")


def test_the_clean_bundle_has_no_findings() -> None:
    pages, evidence = clean_pages()
    files = files_of(pages)
    report = lint(files, evidence, accepted_claims(files, evidence))
    assert report.findings == ()
    assert {result.name: result.findings for result in report.results} == {rule.name: 0 for rule in RULES}


def test_broken_links_are_found_wherever_they_stand() -> None:
    pages, evidence = clean_pages()
    for path in ("issuers/alder", "theses/birch", "holdings/cedar"):
        pages[path] = with_body(pages[path], "(/", "(/gone/")
    found = lint(files_of(pages), evidence).of_rule("broken_link")
    assert {finding.path for finding in found} == {"issuers/alder.md", "theses/birch.md", "holdings/cedar.md"}
    assert all(finding.line > 1 and finding.column > 1 for finding in found)


def test_broken_citations_of_every_kind_are_found_and_hard() -> None:
    pages, evidence = clean_pages()
    files = files_of(pages)
    files = edited(files, "theses/alder.md", "”[^c1]", "”[^c9]")
    files = edited(files, "theses/birch.md", "note2", "note9")
    files = edited(files, "theses/cedar.md", "resource: /sources/cedar-10-k.md", "resource: /sources/gone.md")
    files = edited(files, "issuers/cedar.md", 'content_sha256: "', 'content_sha256: "0')
    computed = "  - {id: d1, resource: computed from c7, computation: {expression: a, operands: {a: c7}}}\n---\n#"
    files = edited(files, "issuers/alder.md", "---\n#", computed)
    evidence.chunks["note4"] = replace(evidence.chunks["note4"], withdrawn=True)
    report = lint(files, evidence)
    assert sorted(defects(report, "broken_citation")) == [
        ("issuers/alder.md", "OPERAND_MISSING"),
        ("issuers/cedar.md", "CHUNK_CHANGED"),
        ("theses/alder.md", "DANGLING_CITATION"),
        ("theses/birch.md", "CHUNK_MISSING"),
        ("theses/cedar.md", "SOURCE_PAGE_MISSING"),
        ("theses/downy-oak.md", "SOURCE_WITHDRAWN"),
    ]
    assert {"theses/alder.md", "issuers/cedar.md"} <= set(report.condemned)


def test_a_page_that_only_an_index_lists_is_an_orphan() -> None:
    pages, evidence = clean_pages()
    for number in range(3):
        lonely = Page(concept_id=f"metrics/m{number}", head=head(ConceptType.METRIC, f"M {number}"), body="# M")
        pages[lonely.concept_id] = with_body(lonely, "# M", f"# M {number}\n\n* [self](/metrics/m{number}.md)")
    report = lint(files_of(pages), evidence)
    assert defects(report, "orphan") == [(f"metrics/m{number}.md", "ORPHAN") for number in range(3)]
    assert defects(report, "index_drift") == []


def test_index_drift_of_every_kind_is_found() -> None:
    pages, evidence = clean_pages()
    files = files_of(pages)
    files = edited(files, "issuers/index.md", "About Alder.", "An old description.")
    files = edited(files, "events/index.md", "* [Birch results](birch-10-k.md) - About Birch results.\n", "")
    del files["theses/index.md"]
    files["notes/index.md"] = "# Notes\n\n* [n](n.md) - n\n"
    found = lint(files, evidence).of_rule("index_drift")
    assert [(finding.path, finding.code, finding.line) for finding in found] == [
        ("events/index.md", "INDEX_DRIFT", 4),
        ("issuers/index.md", "INDEX_DRIFT", 3),
        ("notes/index.md", "INDEX_LEFT_OVER", 1),
        ("theses/index.md", "INDEX_ABSENT", 1),
    ]


def superseding(page: Page, claim: str, by: str = "c1") -> Page:
    return with_head(page, supersedes=(Supersession(claim=claim, by=by, reason="restatement"),))


def test_supersession_that_does_not_close_is_found() -> None:
    pages, evidence = clean_pages()
    first, second, third, fourth = accepted_claims(files_of(pages), evidence)
    newer = WRITTEN + timedelta(days=30)
    restated = replace(first, claim_id="restated", known_at=newer)
    claims = (
        replace(first, superseded_by="restated"),
        restated,
        replace(second, superseded_by="vanished"),
        replace(third, superseded_by="older"),
        replace(third, claim_id="older", known_at=WRITTEN - timedelta(days=1)),
        replace(fourth, claim_id="x", superseded_by="y"),
        replace(fourth, claim_id="y", superseded_by="x", known_at=newer),
    )
    pages["issuers/alder"] = superseding(pages["issuers/alder"], first.claim_id)
    pages["issuers/birch"] = superseding(pages["issuers/birch"], "unheard-of")
    pages["issuers/cedar"] = superseding(pages["issuers/cedar"], third.claim_id, by="c9")
    pages["theses/alder"] = superseding(pages["theses/alder"], "restated")
    pages["theses/birch"] = superseding(pages["theses/birch"], "x")
    pages["theses/cedar"] = superseding(pages["theses/cedar"], "x")
    report = lint(files_of(pages), evidence, claims)
    assert set(defects(report, "supersession")) == {
        ("issuers/birch.md", "SUCCESSOR_MISSING"),
        ("issuers/birch.md", "SUPERSEDES_UNKNOWN"),
        ("issuers/cedar.md", "SUPERSEDES_BY_UNKNOWN"),
        ("issuers/cedar.md", "SUPERSEDES_NOT_NEWER"),
        ("theses/alder.md", "SUPERSEDES_ONE_SIDED"),
        ("theses/birch.md", "SUPERSEDED_TWICE"),
        ("theses/cedar.md", "SUPERSEDED_TWICE"),
        ("issuers/downy-oak.md", "SUPERSEDES_CYCLE"),
        ("issuers/downy-oak.md", "SUPERSEDES_UNDECLARED"),
    }


def test_a_closed_supersession_is_clean() -> None:
    pages, evidence = clean_pages()
    claims = accepted_claims(files_of(pages), evidence)
    newer = replace(claims[0], claim_id="restated", known_at=WRITTEN + timedelta(days=30))
    pages["issuers/alder"] = superseding(pages["issuers/alder"], claims[0].claim_id)
    chain = (replace(claims[0], superseded_by="restated"), newer, *claims[1:])
    assert defects(lint(files_of(pages), evidence, chain), "supersession") == []


def test_pages_past_their_date_are_stale_and_deprecated_ones_are_not() -> None:
    pages, evidence = clean_pages()
    for path in ("issuers/alder", "theses/birch", "holdings/cedar"):
        pages[path] = with_head(pages[path], stale_after=AS_OF)
    pages["holdings/alder"] = with_head(pages["holdings/alder"], stale_after=AS_OF + timedelta(seconds=1))
    pages["theses/cedar"] = with_head(pages["theses/cedar"], stale_after=WRITTEN, status=PageStatus.DEPRECATED)
    found = lint(files_of(pages), evidence).of_rule("stale")
    assert [finding.path for finding in found] == ["holdings/cedar.md", "issuers/alder.md", "theses/birch.md"]
    assert all(finding.line > 1 for finding in found)


def test_a_freshness_window_holds_where_a_page_names_no_date() -> None:
    pages, evidence = clean_pages()
    policy = LintPolicy(freshness={ConceptType.THESIS: timedelta(days=30), ConceptType.HOLDING: timedelta(days=1)})
    found = lint(files_of(pages), evidence, policy=policy).of_rule("stale")
    assert [finding.path for finding in found] == [f"theses/{issuer}.md" for issuer in ISSUERS]


def test_a_date_that_is_no_timestamp_is_found_and_never_stale() -> None:
    pages, evidence = clean_pages()
    files = files_of(pages)
    for issuer in ISSUERS[:3]:
        path = f"holdings/{issuer}.md"
        files = edited(files, path, 'stale_after: "2027-01-01T00:00:00+00:00"', "stale_after: 2020-01-01")
    assert [code for _, code in defects(lint(files, evidence), "stale")] == ["TIMESTAMP"] * 3


def test_one_thing_under_two_names_is_found() -> None:
    pages, evidence = clean_pages()
    twins = {
        "issuers/alder-inc": head(ConceptType.ISSUER, "ALDER, Inc."),
        "issuers/b": head(ConceptType.ISSUER, "B", aliases=("Birch Corp.",)),
        "issuers/c": head(ConceptType.ISSUER, "C", identifiers={"cik": "3"}),
        "theses/downy": head(ConceptType.THESIS, "Downy Oak Thesis"),
    }
    for concept_id, twin in twins.items():
        pages[concept_id] = Page(concept_id=concept_id, head=twin, body="# T")
    found = lint(files_of(pages), evidence).of_rule("duplicate_concept")
    assert {(finding.path, finding.message.rpartition(" ")[2]) for finding in found} == {
        ("issuers/alder-inc.md", "issuers/alder"),
        ("issuers/birch.md", "issuers/b"),
        ("issuers/cedar.md", "issuers/c"),
        ("theses/downy-oak.md", "theses/downy"),
    }


@pytest.mark.parametrize(
    ("kind", "section"), [("holdings", "## Position\n\n"), ("theses", "## View\n\n"), ("sources", "## Document\n\n")]
)
def test_a_missing_section_is_found(kind: str, section: str) -> None:
    pages, evidence = clean_pages()
    suffix = "-10-k" if kind == "sources" else ""
    paths = [f"{kind}/{issuer}{suffix}" for issuer in ISSUERS[:3]]
    for path in paths:
        pages[path] = with_body(pages[path], section, "")
    assert [path for path, _ in defects(lint(files_of(pages), evidence), "missing_section")] == [
        f"{p}.md" for p in paths
    ]


def test_fabricated_and_uncited_figures_are_found_by_the_gate() -> None:
    pages, evidence = clean_pages()
    pages["issuers/alder"] = with_body(pages["issuers/alder"], "4,120", "9,120")
    pages["issuers/birch"] = with_body(pages["issuers/birch"], "million", "billion")
    pages["issuers/cedar"] = with_body(pages["issuers/cedar"], "million[^c1]", "million")
    pages["theses/alder"] = with_body(pages["theses/alder"], "rate the shares", "love the shares and rate them")
    pages["theses/birch"] = with_body(pages["theses/birch"], "## Document", "It will go up by 20%.\n\n## Document")
    report = lint(files_of(pages), evidence)
    paths = {path for path, _ in defects(report, "provenance")}
    assert {"issuers/alder.md", "issuers/birch.md", "issuers/cedar.md", "theses/birch.md"} <= paths
    assert all(finding.severity is Severity.HARD for finding in report.of_rule("provenance") if finding.path in paths)


def test_claims_that_disagree_without_superseding_are_found_by_the_gate() -> None:
    pages, evidence = clean_pages()
    files = files_of(pages)
    claims = accepted_claims(files, evidence)
    others = [
        replace(claim, claim_id=f"other{n}", concept_id="issuers/other", low=claim.low + 10**9, high=claim.high + 10**9)
        for n, claim in enumerate(claims[:3])
        if claim.low is not None and claim.high is not None
    ]
    found = lint(files, evidence, (*claims, *others)).of_rule("contradiction")
    assert {finding.path for finding in found} == {f"issuers/{issuer}.md" for issuer in ISSUERS[:3]}
    assert {finding.code for finding in found} == {"CONTRADICTION"}


def test_pages_that_a_source_in_quarantine_contradicts_are_found_and_stay() -> None:
    pages, evidence = clean_pages()
    waiting = tuple(
        WaitingDraft(path, AS_OF - timedelta(days=1), codes, "note.eml")
        for path, codes in (
            ("theses/alder.md", ("CONTRADICTION",)),
            ("theses/birch.md", ("CONTRADICTION", "UNGROUNDED")),
            ("issuers/cedar.md", ("CONTRADICTION",)),
            ("theses/cedar.md", ("UNGROUNDED",)),
            ("theses/unwritten.md", ("CONTRADICTION",)),
        )
    )
    report = lint_bundle(replace(snapshot(files_of(pages), evidence), quarantine=waiting), AS_OF)
    assert defects(report, "contradiction") == [
        (path, "SOURCE_CONTRADICTS") for path in ("issuers/cedar.md", "theses/alder.md", "theses/birch.md")
    ]
    assert "note.eml" in report.of_rule("contradiction")[0].message
    assert report.hard == ()


def without(pages: dict[str, Page], names: Iterable[str]) -> dict[str, Page]:
    gone = set(names)
    return {name: page for name, page in pages.items() if name not in gone}


def test_positions_without_a_view_and_issuers_without_events_are_gaps() -> None:
    pages, evidence = clean_pages()
    removed = [f"theses/{i}" for i in ISSUERS[:3]] + [f"events/{i}-10-k" for i in ISSUERS[1:]]
    report = lint(files_of(without(pages, removed)), evidence)
    assert defects(report, "coverage_gap") == [
        *((f"holdings/{issuer}.md", "HOLDING_WITHOUT_THESIS") for issuer in ISSUERS[:3]),
        *((f"issuers/{issuer}.md", "ISSUER_WITHOUT_EVENT") for issuer in ISSUERS[1:]),
    ]


def test_pages_that_cannot_be_read_or_break_the_form_are_found() -> None:
    pages, evidence = clean_pages()
    files = files_of(pages)
    files = edited(files, "issuers/alder.md", "type: Issuer\n", "type: Issuer\ntype: Holding\n")
    files = edited(files, "theses/birch.md", "# Birch thesis\n", "# Birch thesis\n\n<script>x</script>\n")
    files = edited(files, "holdings/cedar.md", "# Cedar position\n", "# Cedar\u200b position\n")
    files["issuers/x.md"] = "no frontmatter"
    report = lint(files, evidence)
    assert {
        ("issuers/alder.md", "UNREADABLE_PAGE"),
        ("issuers/x.md", "UNREADABLE_PAGE"),
        ("theses/birch.md", "RAW_HTML"),
        ("holdings/cedar.md", "HIDDEN_OR_CONFUSABLE"),
    } <= set(defects(report, "malformed_page"))


def test_a_malformed_index_or_log_is_found() -> None:
    pages, evidence = clean_pages()
    files = files_of(pages)
    files["issuers/index.md"] = f"---\ntitle: x\n---\n{files['issuers/index.md']}"
    files["theses/index.md"] = "# Empty\n"
    files["log.md"] = "# Log\n\n## [2026-01-01] ingest\n\n* x\n"
    report = lint(files, evidence)
    assert [code for _, code in defects(report, "malformed_index_or_log")] == [
        "INDEX_FRONTMATTER",
        "LOG_HEADING",
        "INDEX_EMPTY",
    ]


def test_a_company_named_without_a_link_either_way_is_found_once_a_page() -> None:
    pages, evidence = clean_pages()
    for issuer, named in zip(ISSUERS[:3], ("Birch", "Downy Oak", "Alder"), strict=True):
        pages[f"theses/{issuer}"] = with_judgement(pages[f"theses/{issuer}"], f"Like {named}, {named}.")
    pages["theses/downy-oak"] = with_judgement(pages["theses/downy-oak"], "Cedarwood, Alderman and downy oak.")
    found = lint(files_of(pages), evidence).of_rule("unlinked_mention")
    assert [(finding.path, finding.message.split(" is ")[0]) for finding in found] == [
        ("theses/alder.md", "Birch"),
        ("theses/birch.md", "Downy Oak"),
        ("theses/cedar.md", "Alder"),
    ]
    assert found[0].hint == "link it: [Birch](/issuers/birch.md)"


def test_an_abbreviation_is_explained_on_its_page_or_known_to_the_desk() -> None:
    pages, evidence = clean_pages()
    explained = "Average revenue per user (ARPU) rose, and ARPU is an EPS driver."
    sentences = ("The ARPU rose.", explained, "ARPU and NPS.", "An NPL.")
    for issuer, sentence in zip(ISSUERS, sentences, strict=True):
        pages[f"theses/{issuer}"] = with_judgement(pages[f"theses/{issuer}"], sentence)
    policy = LintPolicy(known_abbreviations=frozenset({"NPL"}))
    found = lint(files_of(pages), evidence, policy=policy).of_rule("undefined_abbreviation")
    assert [(finding.path, finding.message.split()[0]) for finding in found] == [
        ("theses/alder.md", "ARPU"),
        ("theses/cedar.md", "ARPU"),
        ("theses/cedar.md", "NPS"),
    ]


def test_drafts_that_wait_too_long_are_found() -> None:
    pages, evidence = clean_pages()
    ages = {"theses/a.md": 8, "theses/b.md": 7, "theses/c.md": 6, "theses/d.md": 30}
    waiting = tuple(WaitingDraft(path, AS_OF - timedelta(days=days), ("UNGROUNDED",)) for path, days in ages.items())
    report = lint_bundle(replace(snapshot(files_of(pages), evidence), quarantine=waiting), AS_OF)
    assert [path for path, _ in defects(report, "aged_quarantine")] == ["theses/a.md", "theses/b.md", "theses/d.md"]
    assert "UNGROUNDED" in report.of_rule("aged_quarantine")[0].message


def test_every_rule_says_what_it_finds() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(rule.description.endswith(".") for rule in RULES)


def test_findings_read_like_a_compiler_and_as_a_table() -> None:
    pages, evidence = clean_pages()
    pages["issuers/alder"] = with_body(pages["issuers/alder"], "4,120", "9,120")
    report = lint(files_of(pages), evidence)
    finding: LintFinding = report.hard[0]
    assert finding.as_line().startswith(f"issuers/alder.md:{finding.line}:{finding.column}: hard {finding.code}: ")
    markdown = report.as_markdown()
    assert "| provenance | 1 | hard |" in markdown
    assert f"issuers/alder.md:{finding.line}" in markdown
    assert report.as_rows()[0]["rule"] == "provenance"


def test_without_a_gate_its_rules_say_that_they_did_not_run() -> None:
    pages, evidence = clean_pages()
    report = lint_bundle(snapshot(files_of(pages), evidence, gate=False), datetime(2026, 3, 1, tzinfo=UTC))
    assert {result.name for result in report.results if result.findings is None} == {"provenance", "contradiction"}
    assert "| provenance | not run |" in report.as_markdown()
